"""Words that include a final period."""

from __future__ import annotations

import re


def word_set(words: str) -> frozenset[str]:
    """The words of a string, as a set."""
    return frozenset(words.split())


NEVER_LAST = word_set(
    """mr mrs ms messrs mme mlle dr prof rev hon gen col capt lt sgt maj cmdr gov sen rep pres st
    ste mt figs eq eqs refs cf vs viz e.g i.e eg ie ca approx resp incl excl ibid n.b
    sra srta dña exmo exma sig sigg dott hrn fr frl dn bzw sog ggf evtl inkl zzgl bspw z.b d.h
    u.a z.t i.d.r bl.a f.eks d.v.s t.ex str geb tel св ул проф акад им тов ee pozn zob tzn tzv ing
    mgr mudr judr tp κ κκ κα π.χ βλ σ.σ"""
)
"""No sentence ends with one of these."""

BEFORE_NUMBERS = word_set(
    """fig ref tab table sec sect vol vols no nos nr pp p ch chap art ed eds v op jan feb mar apr
    jun jul aug sep sept oct nov dec abs стр д кв корп"""
)
"""Abbreviations only where a number follows."""

SELDOM_LAST = word_set(
    """etc al inc corp ltd co bros jr sr u.s u.k u.n u.s.a a.m p.m d.c ph.d m.d b.c a.d i.p i.v dept
    univ assn biol chem physiol med virol immunol exp proc natl acad sci am ann mol spp var
    mio mrd usw uu a.a.o jh jhd ff bl г гг тыс млн млрд руб др т.д т.п т.е pl obr"""
)
"""Abbreviations that may end a sentence."""

INITIALS = re.compile(r"(?:[^\W\d_]\.-?)*[^\W\d_]")
"""Of names, in any script, if they are uppercase."""
LETTERED = re.compile(
    r"""vitamin|protein|hepatitis|type|region|phase|strain|complex|group|class|grade|stage|part|plan
    |figure|panel|domain|inhibitor|factor|receptor|virus|influenza|option|point|section
    |appendix|annex|exhibit|schedule|series|category|degrees|an?
    |.*(?:mycin|myxin|sporine?|lasin|psin|culin|toxin|phorin|hibin|globulin|ase)
    |.*(?:alpha|beta|gamma|delta|kappa|chi|zeta)""",
    re.VERBOSE,
)
"""What is followed by a letter that is no initial: *vitamin C*, *protein kinase A*."""
ORDINALS = word_set(
    """januar februar märz mai juni juli oktober dezember jänner marts maj jahrhundert jahrhunderts
    jahrtausend auflage weltkrieg weltkriegs weltkrieges bundesliga platz mal kapitel lebensjahr
    spieltag minute runde geburtstag august april september november"""
)
"""What German and Danish count with a period: *3. Oktober*, *19. Jahrhundert*."""
_INNER_PERIODS = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}")


def is_abbreviation(word: str) -> bool:
    """Whether the last period of ``word.`` belongs to it even at the end of a sentence."""
    lowered = word.lower()
    return (
        lowered in NEVER_LAST
        or lowered in SELDOM_LAST
        or _INNER_PERIODS.fullmatch(word) is not None
    )
