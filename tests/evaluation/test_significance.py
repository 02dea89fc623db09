"""Intervals and tests: exact against brute force, calibrated under the null, powerful otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from innermost.arrays import Ints
from innermost.evaluation import significance
from innermost.evaluation.counts import Counts
from innermost.evaluation.significance import (
    COLUMNS,
    bootstrap,
    compare,
    distinct_rows,
    permutation_test,
)


def units(counts: Sequence[Counts]) -> Ints:
    """``[n, 4]``: one row per unit."""
    rows = [(c.gold, c.predicted, c.correct, c.found) for c in counts]
    return np.array(rows, dtype=np.int64).reshape(-1, len(COLUMNS))


def micro_f1(rows: Ints) -> float:
    gold, predicted, correct, found = (int(n) for n in rows.sum(axis=0))
    return Counts(gold, predicted, correct, found).f1


def brute_force_p(first: Ints, second: Ints) -> float:
    """All 2^n ways to swap the two systems, one by one."""
    observed = abs(micro_f1(first) - micro_f1(second))
    extreme = 0
    for swaps in product([False, True], repeat=len(first)):
        swap = np.array(swaps)[:, None]
        a, b = np.where(swap, second, first), np.where(swap, first, second)
        extreme += abs(micro_f1(a) - micro_f1(b)) >= observed - 1e-12
    return extreme / 2 ** len(first)


@st.composite
def two_systems(draw: st.DrawFn) -> tuple[Ints, Ints]:
    rows: list[list[Counts]] = [[], []]
    for _ in range(draw(st.integers(1, 7))):
        gold = draw(st.integers(0, 4))
        for side in rows:
            correct = draw(st.integers(0, gold))
            side.append(Counts(gold, correct + draw(st.integers(0, 2)), correct))
    return units(rows[0]), units(rows[1])


def simulated(rng: np.random.Generator, n: int, skill: float) -> Ints:
    gold = np.full(n, 3)
    correct = rng.binomial(gold, skill)
    predicted = correct + rng.binomial(2, 0.4, size=n)
    return np.stack([gold, predicted, correct, correct], axis=1)


@settings(max_examples=60, deadline=None)
@given(two_systems())
def test_the_exact_test_is_the_brute_force_one(systems: tuple[Ints, Ints]) -> None:
    p_value, exact = permutation_test(*systems, samples=1, rng=np.random.default_rng(0))
    assert exact
    assert p_value == pytest.approx(brute_force_p(*systems))


def test_sampling_comes_close_to_the_exact_value(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    first, second = simulated(rng, 12, 0.8), simulated(rng, 12, 0.6)
    expected = brute_force_p(first, second)
    monkeypatch.setattr(significance, "EXACT_LIMIT", 0)
    p_value, exact = permutation_test(first, second, samples=20_000, rng=rng)
    assert not exact
    assert p_value == pytest.approx(expected, abs=0.015)


def test_p_is_uniform_when_the_systems_are_alike() -> None:
    rng = np.random.default_rng(11)
    p_values = [
        permutation_test(simulated(rng, 150, 0.7), simulated(rng, 150, 0.7), samples=300, rng=rng)[
            0
        ]
        for _ in range(400)
    ]
    for level in (0.05, 0.1, 0.25, 0.5, 0.75, 0.9):
        four_deviations = 4 * np.sqrt(level * (1 - level) / len(p_values))
        assert np.mean(np.array(p_values) <= level) == pytest.approx(level, abs=four_deviations)


def test_p_is_small_for_a_planted_difference() -> None:
    rng = np.random.default_rng(3)
    result = compare(simulated(rng, 400, 0.85), simulated(rng, 400, 0.7), samples=2000)
    assert result.p_value < 0.001
    assert result.difference.low > 0.03
    assert result.difference.low < result.difference.value < result.difference.high


def test_equal_systems_do_not_differ() -> None:
    rows = simulated(np.random.default_rng(1), 50, 0.7)
    result = compare(rows, rows, samples=500)
    assert (result.p_value, result.exact) == (1.0, True)
    assert (result.difference.value, result.difference.low, result.difference.high) == (0, 0, 0)


def test_swapping_the_systems_mirrors_the_difference() -> None:
    rng = np.random.default_rng(8)
    first, second = simulated(rng, 10, 0.9), simulated(rng, 10, 0.5)
    one, other = compare(first, second, samples=200), compare(second, first, samples=200)
    assert one.difference.value == -other.difference.value
    assert one.p_value == pytest.approx(other.p_value)


def test_a_seed_makes_it_repeatable_and_another_seed_differs() -> None:
    rng = np.random.default_rng(2)
    first, second = simulated(rng, 200, 0.7), simulated(rng, 200, 0.68)
    assert bootstrap(first, seed=4) == bootstrap(first, seed=4)
    assert bootstrap(first, seed=4) != bootstrap(first, seed=5)
    assert compare(first, second, samples=500, seed=4) == compare(
        first, second, samples=500, seed=4
    )


def brute_force_interval(*systems: Ints) -> list[float]:
    """All n^n draws of the units of one system, or the differences between two."""
    scores = []
    for draw in product(range(len(systems[0])), repeat=len(systems[0])):
        drawn = [rows[list(draw)] for rows in systems]
        if all(rows[:, :2].any() for rows in drawn):  # gold or predicted entities
            first, *others = map(micro_f1, drawn)
            scores.append(first - sum(others))
    return np.quantile(scores, [0.025, 0.975]).tolist()


BLANK = Counts()
"""A sentence without entities in which none is predicted."""


@pytest.mark.parametrize(
    "counts",
    [
        [Counts(3, 3, 3), Counts(2, 2, 2), BLANK],
        [Counts(3, 4, 2), BLANK, BLANK, BLANK],
        [Counts(4, 2, 1), Counts(1, 3, 1), Counts(0, 1, 0), BLANK, BLANK],
    ],
)
def test_draws_without_entities_are_left_out(counts: list[Counts]) -> None:
    rows = units(counts)
    interval = bootstrap(rows, samples=20_000)["f1"]
    expected = brute_force_interval(rows)
    assert [interval.low, interval.high] == pytest.approx(expected, abs=0.02)
    nothing = units([Counts(c.gold, 0, 0) for c in counts])  # has no score where there is no gold
    difference = compare(rows, nothing, samples=20_000).difference
    expected = brute_force_interval(rows, nothing)
    assert [difference.low, difference.high] == pytest.approx(expected, abs=0.02)


def test_a_blank_sentence_does_not_widen_a_perfect_score() -> None:
    interval = bootstrap(units([Counts(2, 2, 2), Counts(1, 1, 1), BLANK]))["f1"]
    assert (interval.low, interval.high) == (1, 1)


def test_bootstrap_agrees_with_drawing_units_one_by_one() -> None:
    rng = np.random.default_rng(6)
    rows = simulated(rng, 120, 0.7)
    drawn = [micro_f1(rows[rng.integers(0, len(rows), len(rows))]) for _ in range(3000)]
    interval = bootstrap(rows, samples=3000)["f1"]
    assert interval.value == pytest.approx(micro_f1(rows))
    assert [interval.low, interval.high] == pytest.approx(
        np.quantile(drawn, [0.025, 0.975]).tolist(), abs=0.006
    )


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(9)
    truth = micro_f1(simulated(rng, 200_000, 0.7))
    intervals = [bootstrap(simulated(rng, 100, 0.7), samples=300)["f1"] for _ in range(200)]
    covered = np.mean([i.low <= truth <= i.high for i in intervals])
    assert 0.88 <= covered <= 0.99


def test_no_units_give_zero_scores() -> None:
    nothing = units([])
    for rows in (nothing, units([BLANK])):
        interval = bootstrap(rows)["f1"]
        assert (interval.value, interval.low, interval.high) == (0, 0, 0)
        result = compare(rows, rows, samples=10)
        assert (result.p_value, result.difference.low, result.difference.high) == (1, 0, 0)


def test_many_units_cost_no_more_than_their_distinct_rows() -> None:
    rng = np.random.default_rng(7)
    first, second = simulated(rng, 200_000, 0.7), simulated(rng, 200_000, 0.7)
    assert not compare(first, second, samples=200).exact


def test_systems_of_different_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="2 and 1 units"):
        compare(units([Counts()] * 2), units([Counts()]))


@given(st.lists(st.lists(st.sampled_from([0, 1, 5, -3, 1 << 40]), min_size=4, max_size=4)))
def test_distinct_rows_are_those_that_numpy_finds(rows: list[list[int]]) -> None:
    given_rows = np.array(rows, dtype=np.int64).reshape(-1, 4)
    found, times = distinct_rows(given_rows)
    expected, expected_times = np.unique(given_rows, axis=0, return_counts=True)
    assert found.tolist() == expected.tolist()
    assert times.tolist() == expected_times.tolist()
