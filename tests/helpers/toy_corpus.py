"""A few dozen small sentences with names inside names, for tests that need a trained model.

Three types: a PERSON may be named by a post at an ORG, an ORG by its PLACE, and a PERSON or an ORG
may contain another of the same type.
"""

from __future__ import annotations

from itertools import product

from innermost.corpus import Sentence
from innermost.nest import Span

TYPES = ["ORG", "PERSON", "PLACE"]

_PLACES = ["Oslo", "Lyon", "Turin", "Ghent"]
_SCHOOLS = ["University", "Academy"]
_UNITS = ["physics department", "old library"]
_POSTS = ["rector", "mayor"]
_ENDINGS = ["spoke on Monday .", "was in the news .", "won a prize ."]

# Brackets enclose an entity: [LABEL words ...].
_PATTERNS = [
    "[PERSON the {post} of [PLACE {place} ] ] {ending}",
    "[ORG the [PLACE {place} ] {school} ] {ending}",
    "[ORG the {unit} of [ORG the {school} of [PLACE {place} ] ] ] {ending}",
    "[PERSON the sister of [PERSON the {post} of [ORG the {school} of [PLACE {place} ] ] ] ] "
    "{ending}",
    "nobody in [PLACE {place} ] {ending}",
    "it rained and nobody {ending}",
]


def toy_sentences() -> list[Sentence]:
    """48 sentences, the same every time; every pattern and every place occurs often."""
    choices = list(product(_SCHOOLS, _UNITS, _POSTS, _ENDINGS))
    sentences = []
    for number in range(48):
        school, unit, post, ending = choices[(number * 7) % len(choices)]
        pattern = _PATTERNS[number % len(_PATTERNS)]
        place = _PLACES[(number // len(_PATTERNS)) % len(_PLACES)]
        filled = pattern.format(place=place, school=school, unit=unit, post=post, ending=ending)
        sentences.append(bracketed(filled))
    return sentences


def bracketed(text: str) -> Sentence:
    """A sentence from ``nobody in [PLACE Oslo ]``, its parts separated by spaces."""
    tokens: list[str] = []
    entities: list[Span] = []
    opened: list[tuple[int, str]] = []
    for part in text.split():
        if part.startswith("["):
            opened.append((len(tokens), part[1:]))
        elif part == "]":
            start, label = opened.pop()
            entities.append(Span(start, len(tokens), label))
        else:
            tokens.append(part)
    return Sentence(tokens, sorted(entities, key=lambda s: (s.start, -s.end)))
