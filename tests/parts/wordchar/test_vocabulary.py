import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from innermost.parts.wordchar.vocabulary import (
    EDGE,
    UNKNOWN,
    build_vocabulary,
    composed,
    spell,
)

TOKENS = ["gene", "gene", "Gene", "IL-2", "IL-2", "rare", "activating"]


def vocabulary(min_count=2):
    return build_vocabulary(TOKENS, ["gene", "nfat", "activating"], min_count=min_count)


def test_words_without_a_vector_get_a_trained_one():
    assert vocabulary().trained == ["IL-2"]
    assert vocabulary(min_count=1).trained == ["IL-2", "rare"]


def test_lookup_goes_from_the_word_itself_to_its_relatives():
    known = vocabulary()
    gene, nfat, activating = (known.word(w) for w in known.pretrained)
    assert known.word("gene") == gene
    assert known.word("GENE") == gene
    assert known.word("-gene") == gene
    assert known.word("platelet-activating") == activating
    assert known.word("NFAT-1") == nfat
    assert known.word("IL-2") == 1
    for unknown in ("rare", "1-2", "---", "", "-", "zzz"):
        assert known.word(unknown) == UNKNOWN


@given(st.text())
def test_any_string_has_a_number_and_a_spelling(form):
    known = vocabulary()
    assert 0 <= known.word(form) <= len(known.trained) + len(known.pretrained)
    assert len(known.spell(form)) == len(composed(form))


@given(st.text(st.characters(min_codepoint=0xC0, max_codepoint=0x1EFF), min_size=1))
def test_the_encoding_of_accents_makes_no_difference(form):
    forms = [unicodedata.normalize(kind, form) for kind in ("NFC", "NFD")]
    for token in forms:
        known = build_vocabulary([token], [])
        first, second = ((known.word(f), known.spell(f)) for f in forms)
        assert first == second
        assert first[0] != UNKNOWN


@given(st.lists(st.text("abcé", min_size=1), min_size=1, max_size=6))
def test_windows_are_each_character_with_its_neighbors_in_the_word(forms):
    known = build_vocabulary(["abc"], [])
    spelling = spell(known, forms)
    expected = []
    for form in forms:
        numbers = [EDGE, *known.spell(form), EDGE]
        expected.extend(numbers[i : i + 3] for i in range(len(form)))
    assert spelling.windows.tolist() == expected
    assert spelling.lengths.tolist() == [len(f) for f in forms]
