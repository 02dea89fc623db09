"""Scores a model against sentences written for it: what must be found, and what must not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "english_sentences.json"
_ARTICLES = ("the ", "a ", "an ")
_POSSESSIVES = ("'s", "’s", "'", "’")

Found = tuple[str, str]
"""The text and the type of an entity."""


@dataclass(frozen=True, slots=True)
class Outcome:
    expected: int
    missing: list[str]
    """``type: text`` of expected entities that were not found, with their sentence."""
    absurd: list[str]
    """The same for entities that must not be found but were."""

    @property
    def recall(self) -> float:
        return 1 - len(self.missing) / self.expected


def read_sentences() -> list[dict[str, Any]]:
    sentences: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return sentences


def compare(sentences: Iterable[dict[str, Any]], predictions: Iterable[Iterable[Found]]) -> Outcome:
    """An expected entity lists all spellings and types that count."""
    expected = 0
    missing: list[str] = []
    absurd: list[str] = []
    for sentence, prediction in zip(sentences, predictions, strict=True):
        found = {(_bare(text), label) for text, label in prediction}
        for entity in sentence["expected"]:
            expected += 1
            wanted = {(_bare(text), label) for text in entity["text"] for label in entity["types"]}
            if not wanted & found:
                missing.append(f"{entity['types'][0]}: {entity['text'][0]} | {sentence['text']}")
        absurd += [
            f"{entity['type']}: {entity['text']} | {sentence['text']}"
            for entity in sentence["never"]
            if (_bare(entity["text"]), entity["type"]) in found
        ]
    return Outcome(expected, missing, absurd)


def _bare(text: str) -> str:
    """The text without article and possessive, which annotators may or may not include."""
    for article in _ARTICLES:
        if text.lower().startswith(article):
            text = text[len(article) :]
            break
    for ending in _POSSESSIVES:
        if text.endswith(ending):
            return text[: -len(ending)]
    return text
