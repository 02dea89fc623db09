"""The CRF by enumeration: every legal tag sequence, one by one."""

from __future__ import annotations

import itertools
import math

B, I, E, S, O = range(5)  # noqa: E741
LEGAL = {(O, O), (O, B), (O, S), (S, O), (S, B), (S, S), (E, O), (E, B), (E, S)} | {
    (B, I),
    (B, E),
    (I, I),
    (I, E),
}


def legal_paths(n):
    for path in itertools.product(range(5), repeat=n):
        if path[0] in (B, S, O) and path[-1] in (E, S, O) and set(zip(path, path[1:])) <= LEGAL:  # noqa: B905, RUF007
            yield path


def whole(n):
    return (B,) + (I,) * (n - 2) + (E,)


def score(path, emissions):
    return math.fsum(float(emissions[t][tag]) for t, tag in enumerate(path))


def log_sum(values):
    values = list(values)
    top = max(values)
    return top + math.log(math.fsum(math.exp(v - top) for v in values))


def log_partition(emissions):
    return log_sum(score(p, emissions) for p in legal_paths(len(emissions)))


def log_partition_without_best(emissions):
    n = len(emissions)
    return log_sum(score(p, emissions) for p in legal_paths(n) if p != whole(n))


# Ties, read from the right: O before S before E, B before I.
_PREFERENCE = {O: 0, S: 1, E: 2, B: 0, I: 1}


def best_path(emissions, without_whole=False):
    n = len(emissions)
    paths = [p for p in legal_paths(n) if not (without_whole and p == whole(n))]
    best = max(score(p, emissions) for p in paths)
    tied = [p for p in paths if score(p, emissions) == best]
    return min(tied, key=lambda p: [_PREFERENCE[t] for t in reversed(p)])


def spans_of(path):
    spans, start = [], None
    for t, tag in enumerate(path):
        if tag == S:
            spans.append((t, t + 1))
        elif tag == B:
            start = t
        elif tag == E:
            spans.append((start, t + 1))
    return spans


def decode(emissions, max_depth=None):
    """One type, one sentence: the paper's recursion (Algorithm 1), literally."""
    found = []

    def inside(start, end, level):
        if end - start > 1 and (max_depth is None or level <= max_depth):
            for s, e in spans_of(best_path(emissions[start:end], without_whole=True)):
                found.append((start + s, start + e, level))
                inside(start + s, start + e, level + 1)

    for s, e in spans_of(best_path(emissions)):
        found.append((s, e, 1))
        inside(s, e, 2)
    return sorted(found)


def marginal(emissions, start, end, without_whole=False):
    """The probability that a path has exactly the entity [start, end)."""
    n = len(emissions)
    paths = [p for p in legal_paths(n) if not (without_whole and p == whole(n))]
    scores = [score(p, emissions) for p in paths]
    total = log_sum(scores)
    return math.fsum(
        math.exp(s - total)
        for p, s in zip(paths, scores, strict=True)
        if (start, end) in spans_of(p)
    )


def entity_score(emissions, ancestors, span):
    """``ancestors``: the spans around it, outermost first."""
    chain = [*ancestors, span]
    result = marginal(emissions, *chain[0])
    for (ps, pe), (s, e) in zip(chain, chain[1:]):  # noqa: B905, RUF007
        result *= marginal(emissions[ps:pe], s - ps, e - ps, without_whole=True)
    return result


def distribution(emissions, without_whole=False):
    """Every path with its probability."""
    n = len(emissions)
    paths = [p for p in legal_paths(n) if not (without_whole and p == whole(n))]
    total = log_sum(score(p, emissions) for p in paths)
    return [(p, math.exp(score(p, emissions) - total)) for p in paths]
