"""Types with a prefix are layers, of which a model uses one at a time."""

from __future__ import annotations

import pytest

from innermost.errors import UsageError
from innermost.model_folder.layers import layers, select_types

TYPES = ["mentions/person", "person", "place", "mentions/place", "roles/person"]


def test_the_default_layer_is_that_of_the_types_without_a_prefix() -> None:
    assert layers(TYPES) == ["mentions", "roles"]
    assert select_types(TYPES) == {1: "person", 2: "place"}
    assert select_types(TYPES, layer="mentions") == {0: "person", 3: "place"}
    assert select_types(TYPES, layer="mentions", labels=["place"]) == {3: "place"}


def test_without_a_type_that_has_no_prefix_there_are_no_layers() -> None:
    types = ["ORG/bank", "ORG/school", "N/A"]
    assert layers(types) == []
    assert select_types(types) == dict(enumerate(types))
    with pytest.raises(UsageError, match="no layer 'ORG'"):
        select_types(types, layer="ORG")


@pytest.mark.parametrize(
    ("layer", "labels", "message"),
    [
        ("mention", None, "no layer 'mention'\n  its layers: mentions, roles"),
        (None, ["persn"], "no type 'persn'\n  did you mean 'person'?"),
        ("roles", ["place"], "no type 'place'\n  it has: person"),
        (None, [], "types is"),
        (None, "person", "types is 'person'"),
    ],
)
def test_what_a_model_does_not_have_is_refused(
    layer: str | None, labels: list[str] | None, message: str
) -> None:
    with pytest.raises(UsageError) as refused:
        select_types(TYPES, layer=layer, labels=labels)
    assert message in str(refused.value)
