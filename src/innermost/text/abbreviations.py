"""Words that include a final period."""

from __future__ import annotations

import re


def word_set(words: str) -> frozenset[str]:
    """The words of a string, as a set."""
    return frozenset(words.split())


NEVER_LAST = word_set(
    """mr mrs ms messrs mme mlle dr prof rev hon gen col capt lt sgt maj cmdr gov sen rep pres st
    ste mt figs eq eqs refs cf vs viz e.g i.e eg ie ca approx resp incl excl ibid n.b"""
)
"""No sentence ends with one of these."""

BEFORE_NUMBERS = word_set(
    """fig ref tab table sec sect vol vols no nos nr pp p ch chap art ed eds v op jan feb mar apr
    jun jul aug sep sept oct nov dec"""
)
"""Abbreviations only where a number follows."""

SELDOM_LAST = word_set(
    """etc al inc corp ltd co bros jr sr u.s u.k u.n u.s.a a.m p.m d.c ph.d m.d b.c a.d i.p i.v dept
    univ assn biol chem physiol med virol immunol exp proc natl acad sci am ann mol spp var
    """
)
"""Abbreviations that may end a sentence."""

INITIALS = re.compile(r"(?:[A-Z]\.-?)*[A-Z]")
_INNER_PERIODS = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}")


def is_abbreviation(word: str) -> bool:
    """Whether the last period of ``word.`` belongs to it even at the end of a sentence."""
    lowered = word.lower()
    return (
        lowered in NEVER_LAST
        or lowered in SELDOM_LAST
        or _INNER_PERIODS.fullmatch(word) is not None
    )
