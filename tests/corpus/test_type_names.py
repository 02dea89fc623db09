"""Types whose names are probably one."""

import pytest

from innermost.corpus.quality.type_names import alike


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"PER": 3, "per": 2, "Per": 1}, [("PER", "Per", "per")]),
        ({"cell-type": 3, "cell_type": 2}, [("cell-type", "cell_type")]),
        ({"person": 9, "perosn": 1}, [("perosn", "person")]),
        ({"person": 9, "persn": 1}, [("persn", "person")]),
        ({"person": 9, "persons": 1}, [("persons", "person")]),
        ({"organization": 9, "organisation": 1}, [("organisation", "organization")]),
        ({"person": 9, "persn": 2}, []),  # not rare
        ({"DNA": 9, "RNA": 1}, []),
        ({"DNA_family": 9, "RNA_family": 1}, []),
        ({"grade_a": 9, "grade_b": 1}, []),
        ({"grade_1_x": 9, "grade_2_x": 1}, []),
        ({"person": 9, "place": 1}, []),
    ],
)
def test_names_that_are_probably_one(counts, expected):
    assert alike(counts) == expected


def test_a_type_for_each_concept():
    """Comparing every two of them would take minutes."""
    assert alike({f"concept_{number:06}": 1 + number % 9 for number in range(20_000)}) == []
    assert alike({"short": 1, "x" * 1000: 9}) == []
