"""A note where a text is in a language that the model has not learned."""

from __future__ import annotations

import pytest

from helpers.cli import ok
from innermost import load
from innermost.prediction.foreign_words import FEWEST, MOST, ForeignWords

GERMAN = (
    "Gestern besprachen die Vertreter beider Länder etliche neue Abmachungen und die gemeinsame "
    "Verteidigung der europäischen Grenzen."
)
ENGLISH = (
    "Yesterday the representatives of both countries discussed new treaties and the joint "
    "defence of the eastern borders."
)
SCIENCE = (
    "Transcription of the promoter was abolished by phosphorylation and by dexamethasone in "
    "monocytes, but not in fibroblasts or thymocytes."
)


@pytest.mark.parametrize(
    ("text", "model", "is_foreign"),
    [
        (GERMAN, "english", True),
        ("Она поехала в город и посетила музей, " * 3, "english", True),
        ("राम सीता मंदिर में हैं और वे दिल्ली की यात्रा करेंगे", "english", True),
        ("ذهبت المرأة إلى السوق ثم عادت إلى بيتها مساء", "english", True),
        (GERMAN, "multilingual", False),
        (ENGLISH, "english", False),
        (ENGLISH.upper(), "english", False),
        (SCIENCE, "english", False),
        ("Wir fuhren nach Wien.", "english", False),
        ("", "english", False),
    ],
)
def test_another_language_is_noticed_by_its_words(text, model, is_foreign):
    note = "of the words are unknown to english; if it is another language, try --model multiling"
    assert (note in ok("predict", "-m", model, text).err) == is_foreign


def test_the_share_is_that_of_the_words_in_lowercase():
    nlp = load("english")
    foreign = ForeignWords(nlp)
    words = ["river"] * FEWEST + ["fluhß"] * FEWEST + ["Fluß", "x", "2"] * FEWEST
    runs = [[(None, nlp(" ".join(words)))]]
    assert list(foreign.watch(runs)) == runs
    assert foreign.share == 0.5


def test_enough_words_are_counted_and_no_more():
    nlp = load("english", sentences=False)
    foreign = ForeignWords(nlp)
    few = nlp(" ".join(["fluhß"] * (FEWEST - 1)))
    list(foreign.watch([[(None, few)]]))
    assert foreign.share is None
    many = nlp(" ".join(["river"] * MOST))
    list(foreign.watch([[(None, many)], [(None, few)] * 500]))
    assert foreign.share is None
