"""Sentence ends: what breaks, what does not, and accuracy on real text."""

import textwrap
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.text import sentence_starts
from sentences import genia, litbank, score

SHARED = Path(__file__).parents[2] / "../shared/data"


def split(text):
    starts = [*sentence_starts(text), len(text)]
    return [text[a:b].strip() for a, b in pairwise(starts)]


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Green met Dr. Jones at St. Mary's.",
        "Signals, e.g. IL-2, i.e. a cytokine, vs. controls (cf. Fig. 3).",
        "Lee et al. (2001) saw it.",
        "It was written by J. R. R. Smith.",
        "Ada J. Stone was born on Nov. 3.",
        "I saw J. S. Bach there, and the composer G. Verdi.",
        "He told the minister B. Stone and his aide J. Smith.",
        "W. A. Mozart wurde z. B. in Salzburg gefeiert.",
        "Der Maler P. P. Rubens lebte i. d. R. in Bad Homburg v. d. Höhe.",
        "Он живёт на улице Ленина, д. 5, кв. 3.",
        "It costs 3.5 dollars, about No. 7 of them.",
        "E. coli grew at 37.5 degrees approx. twice as fast.",
        "Wait... what was that?",
        '"What is it?" he said.',
        "One line\nand the next of the same sentence.",
        "Am 3. Oktober und im 19. Jahrhundert war es so.",
        "Nach § 5 Abs. 2 Nr. 3 sind es ca. 500 km bzw. 3 Mio. Euro.",
        "Он приехал в г. Москва на ул. Ленина.",
        "Там жили М. В. и А. С. Соколов.",
        "La Sra. García vive en EE. UU. con D. Juan.",
        "Yes!",
        "Ο κ. Παππάς και η κ. Ρήγα (βλ. κεφάλαιο δύο) ήταν εκεί.",
        "Bà ấy sống ở TP. Đà Nẵng.",
        "It needs TNF-α; The rest (TNF-β; IL-2) does not.",
        "(He knew.)",
    ],
)
def test_one_sentence(text):
    assert split(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "It ended.| Then it began.",
        "It ended!| it began?| Yes.",
        "It grew for 24 hr.| Cells were counted.",
        "She got a B.| Mary got an A.",
        '"I know." | She left.',
        "(He knew.) |[She did not.] |So it was.",
        "It binds NF-kappa B.| The site is new.",
        "It binds kappa B.| Deletion of it does not.| He has hepatitis C.| Patients recover.",
        "We saw Jun.| After that, vitamin D.| Both grew.",
        "It fell.| p53 did not.| cAMP rose.",
        "A heading without a period\n\n|the first line",
        "a\n \t\r\n|b",
        "Well ...| No.",
        "He lives in the U.S.| The others do not.",
        "[A translated title]\n|The abstract.",
        "「そうだ。」|これは文です。|次の文！|終わり",
        "It rose.| (ii) It fell.",
        "राम घर गया।| क्या वह आएगी?| हाँ।",
        "وہ لاہور گیا۔| کیا وہ آئے گا؟| ہاں۔",
        "آیا او می‌آید؟| بله.",
        "Նա Երևանում է։| Արամը եկավ։",
        "አበበ መጣ።| ከበደ ሄደ።",
        "သူသည် နေသည်။|သူမ သွားသည်။",
        "Πού είναι; |Στην Πάτρα. |«Γιατί;» ρώτησε. |Ναι!",
    ],
)
def test_breaks(text):
    assert split(text.replace("|", "")) == [part.strip() for part in text.split("|")]


@given(st.text(st.sampled_from("aB1 .!?\n\"')(…。\u00a0\r"), max_size=40))
def test_breaks_stand_only_after_white_space_or_an_ideographic_stop(text):
    starts = sentence_starts(text)
    assert starts == sorted(set(starts))
    assert starts[0] == 0
    for start in starts[1:]:
        assert 0 < start < len(text)
        assert text[start - 1].isspace() or "。" in text[max(0, start - 9) : start]
        assert not text[start].isspace()


@pytest.mark.skipif(not SHARED.exists(), reason="GENIA and LitBank are not here")
def test_boundaries_on_abstracts_and_novels():
    assert score(genia(SHARED / "genia")).f1 > 0.995
    assert score(litbank(SHARED / "litbank")).f1 > 0.985


@pytest.mark.parametrize(
    "lines",
    [
        ["Athens", "Athens hosted the 2004 Summer Olympic Games."],
        ["Storm hits Florida", "Thousands of people left their homes on Monday, the mayor said."],
        ["Ingredients:", "Two eggs and a cup of flour from the mill."],
    ],
)
def test_a_headline_is_a_sentence(lines):
    assert split("\n".join(lines)) == lines
    assert split("\n".join([*lines, "", *lines])) == lines * 2


@pytest.mark.parametrize(
    "text",
    [
        "The mayor of New\nYork spoke.",
        "The bridge was built by the Port Authority of New\nYork and New Jersey before the war.",
        "It was written by\nthe secretary of the old town council.",
        "He met Dr.\nSmith at the entrance of the old hospital.",
        "They sold apples, pears,\nPlums and grapes at the market near the church.",
    ],
)
def test_a_wrapped_line_is_not_the_end_of_a_sentence(text):
    assert len(split(text)) == 1


def test_a_line_break_at_the_beginning_ends_nothing():
    text = "\nAthens hosted the Olympic Games of 2004 in summer, and those of 1896 in spring"
    assert sentence_starts(text) == [0]


def test_wrapped_paragraphs_are_split_at_full_stops_only():
    prose = "Mary Ann Smith met John Paul Jones in New York City. Then Bob Ray left Santa Fe. " * 30
    for width in (30, 50, 72):
        wrapped = textwrap.fill(prose, width, break_on_hyphens=False)
        found = [" ".join(sentence.split()) for sentence in split(wrapped)]
        assert found == split(prose)
