"""Words in any script, and scripts without capital letters."""

import pytest

from innermost.text.scripts import has_no_case, is_word


@pytest.mark.parametrize(
    "word", ["town", "Größe", "cafe\u0301", "हिन्दी", "ตำแหน่ง", "می\u200cآید", "東"]
)
def test_letters_with_their_marks_are_a_word(word):
    assert is_word(word)


@pytest.mark.parametrize("token", ["", "2", "p53", "a_b", "-", "\u0301", "।"])
def test_other_tokens_are_not(token):
    assert not is_word(token)


def test_some_scripts_have_no_case():
    assert has_no_case("شهر")
    assert has_no_case("हिन्दी")
    assert not has_no_case("town")
    assert not has_no_case("ПАРК")
