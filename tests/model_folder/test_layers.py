"""A model with several layers of annotation is used one layer at a time."""

from __future__ import annotations

import pytest

from innermost.errors import UsageError
from innermost.model_folder.info import ModelInfo
from innermost.model_folder.layers import select_types


def info(types: list[str], *layers: str) -> ModelInfo:
    return ModelInfo(types=types, layers=list(layers), tokenizer="unicode", encoder={})


LAYERED = info(
    ["mentions/person", "person", "place", "mentions/place", "roles/person"], "mentions", "roles"
)


def test_the_default_layer_has_the_types_without_a_prefix() -> None:
    assert select_types(LAYERED) == {1: "person", 2: "place"}
    assert select_types(LAYERED, layer="mentions") == {0: "person", 3: "place"}
    assert select_types(LAYERED, layer="mentions", labels=["place"]) == {3: "place"}


def test_a_slash_without_a_layer_is_part_of_the_label() -> None:
    types = ["ORG/bank", "person", "ORG/school", "N/A"]
    assert select_types(info(types)) == dict(enumerate(types))
    assert select_types(info(types, "ORG")) == {1: "person", 3: "N/A"}
    with pytest.raises(UsageError, match="no layer 'ORG'"):
        select_types(info(types), layer="ORG")


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
        select_types(LAYERED, layer=layer, labels=labels)
    assert message in str(refused.value)
