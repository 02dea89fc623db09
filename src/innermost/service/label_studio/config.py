"""Label Studio's labeling configuration: where entities go, and which ones do not fit.

A configuration names its tags::

    <View>
      <Labels name="label" toName="text"><Label value="protein"/><Label value="DNA"/></Labels>
      <Text name="text" value="$text"/>
    </View>
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from innermost.corpus.shared.xml_events import End, Start, events
from innermost.errors import DataError
from innermost.service.errors import InvalidRequestError


class LabelingConfigError(InvalidRequestError):
    """The configuration does not fit the model or the service."""

    error_type = "labeling_config"

    def __init__(self, message: str) -> None:
        super().__init__(message, at="$.label_config")


@dataclass(frozen=True, slots=True)
class Label:
    name: str
    """As Label Studio writes it in results."""
    aliases: tuple[str, ...] = ()
    """Other names that a model may use for it."""


@dataclass(slots=True)
class Control:
    """A ``Labels`` tag and the ``Text`` tag that it labels."""

    name: str
    text_name: str
    text_key: str
    """The key of the text in a task's data."""
    labels: list[Label]
    labels_key: str | None
    """The key of the labels in a task's data, where they are not in the configuration."""
    max_usages: int | None
    notes: list[str] = field(default_factory=list)
    """Notes on surprising behavior, for the person who set this up."""


def read_control(config: str) -> Control:
    """The first ``Labels`` tag for a ``Text`` tag; the error, if none, says what there is."""
    tags = _tags(config)
    texts = {tag.attributes.get("name", ""): tag for tag in tags if tag.name == "Text"}
    for tag in tags:
        if tag.name == "Labels" and tag.attributes.get("toName") in texts:
            return _control(tag, texts[tag.attributes["toName"]])
    controls = [f"{t.name} for {t.attributes['toName']}" for t in tags if "toName" in t.attributes]
    raise LabelingConfigError(
        "the labeling configuration has no <Labels> for a <Text>"
        + (f", only {', '.join(controls)}" if controls else "")
    )


def label_names(
    labels: Iterable[Label], types: Sequence[str]
) -> tuple[dict[str, str], list[str], list[str]]:
    """The label of each type; the types without a label; the labels without a type."""
    exact: dict[str, str] = {}
    folded: dict[str, str] = {}
    for label in labels:
        for name in (label.name, *label.aliases):
            exact.setdefault(name, label.name)
            folded.setdefault(name.casefold(), label.name)
    matches = {kind: exact.get(kind) or folded.get(kind.casefold()) for kind in types}
    names = {kind: name for kind, name in matches.items() if name}
    used = set(names.values())
    missing = [kind for kind in types if kind not in names]
    return names, missing, [label.name for label in labels if label.name not in used]


def task_labels(control: Control, data: Mapping[str, Any]) -> list[Label]:
    """The labels of one task."""
    if control.labels_key is None:
        return control.labels
    values = data.get(control.labels_key)
    options = values if isinstance(values, list) else []
    return [
        _label(option if isinstance(option, dict) else {"value": str(option)}) for option in options
    ]


@dataclass(slots=True)
class _Element:
    name: str
    attributes: dict[str, str]
    children: list[_Element] = field(default_factory=list)


def _tags(config: str) -> list[_Element]:
    """All tags in order, each with the tags directly inside it."""
    tags: list[_Element] = []
    open_tags: list[_Element] = []
    try:
        for event in events(io.BytesIO(config.encode()), "labeling configuration"):
            if isinstance(event, Start):
                tag = _Element(event.name, event.attributes)
                if open_tags:
                    open_tags[-1].children.append(tag)
                open_tags.append(tag)
                tags.append(tag)
            elif isinstance(event, End):
                open_tags.pop()
    except DataError as error:
        raise LabelingConfigError(str(error)) from None
    return tags


def _control(labels: _Element, text: _Element) -> Control:
    for attribute, plain in (("valueType", "text"), ("encoding", "none")):
        if text.attributes.get(attribute, plain) != plain:
            raise LabelingConfigError(
                f'the <Text> has {attribute}="{text.attributes[attribute]}": only text in '
                "the task itself can be read"
            )
    dynamic = labels.attributes.get("value")
    usages = labels.attributes.get("maxUsages", "")
    control = Control(
        name=labels.attributes.get("name", ""),
        text_name=text.attributes.get("name", ""),
        text_key=text.attributes.get("value", "").lstrip("$"),
        labels=[_label(tag.attributes) for tag in labels.children if tag.name == "Label"],
        labels_key=dynamic.lstrip("$") if dynamic else None,
        max_usages=int(usages) if usages.isdecimal() and int(usages) else None,
    )
    if control.max_usages is not None:
        control.notes.append(
            f'maxUsages="{control.max_usages}": of each label only the entities with the highest '
            "scores are shown, and nested ones may be missing"
        )
    granularity = text.attributes.get("granularity", "symbol")
    if granularity in ("sentence", "paragraph"):
        control.notes.append(
            f'granularity="{granularity}": entities are shown, but people cannot draw a nested one'
        )
    return control


def _label(attributes: Mapping[str, Any]) -> Label:
    """A label; its alias, if it has one, is its name in results."""
    value = str(attributes.get("value", ""))
    alias = str(attributes.get("alias") or value)
    predicted = str(attributes.get("predicted_values") or "").split(",")
    return Label(alias, (value, *(name.strip() for name in predicted if name.strip())))
