"""Tokenizers: every character is accounted for, and the words are the expected ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.operations import count_calls
from innermost import text as library
from innermost.errors import UsageError
from innermost.text import genia_words, tokenizer

ALL = pytest.mark.parametrize("name", library.names())
# Lone surrogates too: Python strings can contain them, so they must not break anything.
any_text = st.text(st.characters(exclude_categories=[]), max_size=60)
TRICKY = r""". , ! ? … 。 " ' “ ” ‘ ’ ( ) [ ] - -- --> ... 's n't Mr. e.g. J. U.S. Fig. et al. IL-2
p53 CD4(+) (NF)-kappa 1,000 3.5 8:35 cannot a B The 汉 カタ é שלום مرحبا ไทย हिन्दी"""
UNSEEN = ["e\u0301", "👨\u200d👩", "🇫🇷", "👍🏽", "\u200b", "\u200f", "\ufeff", "\x00", "\ud800"]
tricky_text = st.lists(
    st.sampled_from(TRICKY.split() + UNSEEN)
    | st.sampled_from([" ", "  ", "\n", "\r\n", "\n\n", "\t", "\u00a0", "\u2028", "\x1c"]),
    max_size=40,
).map("".join)


def tokens(name, text):
    return [[text[a:b] for a, b in sentence] for sentence in tokenizer(name).split(text)]


def check(name, text):
    """Tokens in order, never empty, and nothing visible between them."""
    position, gaps = 0, []
    for sentence in tokenizer(name).split(text):
        assert sentence
        for start, end in sentence:
            assert position <= start < end <= len(text)
            gaps.append(text[position:start])
            position = end
    gaps.append(text[position:])
    invisible = (
        "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
    )
    left = "".join(gaps).translate(dict.fromkeys(map(ord, invisible)))
    assert not left or left.isspace()


@ALL
@given(any_text)
def test_nothing_is_cut_from_any_text(name, text):
    check(name, text)


@ALL
@given(tricky_text)
@settings(max_examples=200)
def test_nothing_is_cut_from_tricky_text(name, text):
    check(name, text)


@pytest.mark.parametrize("name", sorted({*library.names()} - {"characters", "whitespace"}))
def test_invisible_characters_separate_tokens_and_are_in_none(name):
    plain = "The mayor of Ghent met Angela Merkel. She left."
    hidden = "\ufeffThe mayor of Ghent\u200b met \u200eAngela Merkel\u200e.\u200b She left.\ufeff"
    assert tokens(name, hidden) == tokens(name, plain)
    assert tokens(name, "Ghent\u200bLeeds") == [["Ghent", "Leeds"]]
    assert tokens(name, "\ufeff\u200b") == []


@ALL
def test_empty_and_blank_texts_have_no_sentences(name):
    assert tokenizer(name).split("") == []
    assert tokenizer(name).split(" \r\n\t ") == []


@ALL
def test_names_say_themselves(name):
    assert tokenizer(name).name == name


def test_an_unknown_name_is_an_error_that_lists_the_known():
    with pytest.raises(
        UsageError, match="unicode, ptb, ud, european, genia, characters, whitespace"
    ):
        tokenizer("spacy")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IL-2 costs $3.50!", ["IL", "-", "2", "costs", "$", "3.50", "!"]),
        ("so ==...", ["so", "==", "..."]),
        ("cafe\u0301s 汉字 カタカナ", ["cafe\u0301s", "汉", "字", "カタカナ"]),
        ("👨\u200d👩\u200d👧🇫🇷👍🏽", ["👨\u200d👩\u200d👧", "🇫🇷", "👍🏽"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("\ufeffשלום\u200f, עולם", ["שלום", ",", "עולם"]),
        ('צה"ל וצ\'יפס: "שלום"', ['צה"ל', "וצ'יפס", ":", '"', "שלום", '"']),
        ("ab\"c d'e", ["ab", '"', "c", "d", "'", "e"]),
        ("a\x00b\ud800", ["a", "\x00", "b", "\ud800"]),
    ],
)
def test_unicode_words(text, expected):
    assert tokens("unicode", text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "They can't, won't and Ann's dogs' 'do'.",
            "They ca n't , wo n't and Ann 's dogs ' ' do ' .",
        ),
        ("Mr. Lee (of the U.S.) paid $1,000.50.", "Mr. Lee ( of the U.S. ) paid $ 1,000.50 ."),
        ("At 8:35 -- or so... well-known.", "At 8:35 -- or so ... well-known ."),
        ("He said “it’s 5%”.", "He said “ it ’s 5 % ” ."),
        ("a 20,000-fold rise etc.", "a 20,000-fold rise etc."),
        ('"Go." he said', '" Go . " he said'),
        ("بله، او رفت؟", "بله ، او رفت ؟"),
        ("वह घर गया।", "वह घर गया ।"),
        ("（汉字）、", "（ 汉字 ） 、"),
    ],
)
def test_ptb_words(text, expected):
    assert tokens("ptb", text) == [expected.split()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NF-kappa B and IL-2 (in vivo).", "NF-kappa B and IL-2 ( in vivo ) ."),
        ("CD4(+) T cells, 10(-7) M [3H]dex.", "CD4(+) T cells , 10(-7) M [3H]dex ."),
        ("1,25(OH)2D3: 80% (P<0.05).", "1,25(OH)2D3 : 80 % ( P < 0.05 ) ."),
        ("(NF)-kappa, (+) and the cell's 5' end", "( NF ) -kappa , (+) and the cell 's 5' end"),
        ("CD28-mediated, dose-dependent", "CD28 -mediated , dose -dependent"),
        ("anti-CD3 cannot bind (i.e., E. coli).", "anti- CD3 can not bind ( i.e. , E. coli ) ."),
        ("receptor(s) of IFN-alpha/beta", "receptor (s) of IFN-alpha / beta"),
        ("G-->A in C/EBP vs. AML1/ETO", "G --> A in C/EBP vs. AML1 / ETO"),
    ],
)
def test_genia_words(text, expected):
    assert tokens("genia", text) == [expected.split()]


def test_characters():
    assert tokens("characters", "ตำแหน่ง 3.5 cafe\u0301") == [
        ["ต", "ำ", "แ", "ห", "น่", "ง", "3", ".", "5", "c", "a", "f", "e\u0301"]
    ]


def test_whitespace_words():
    assert tokens("whitespace", "Don't cut. Mr. O-2!") == [["Don't", "cut."], ["Mr.", "O-2!"]]


@ALL
@pytest.mark.parametrize(
    "piece",
    [
        ".",
        "a",
        " ",
        "\n",
        "a.",
        "a. ",
        "(",
        "'",
        '" ',
        '."',
        "1,",
        "-",
        "\u200d",
        "\u0301",
        "n't",
        "A\n",
        "A b\n\n",
    ],
)
def test_long_monotonous_texts_take_linear_time(name, piece):
    short, long = piece * (2_000 // len(piece)), piece * (20_000 // len(piece))
    check(name, long)
    few = count_calls(lambda: tokenizer(name).split(short))
    assert count_calls(lambda: tokenizer(name).split(long)) < 15 * few + 1_000


@pytest.mark.parametrize("name", ["unicode", "genia"])
def test_a_megabyte_on_one_line(name):
    text = "The IL-2 gene (see Fig. 3) isn't read by Mr. Lee's group. " * 17_400
    assert len(tokenizer(name).split(text)) == 17_400


def test_treebanks_split_hyphens_and_slashes():
    text = "The U.S.-based CEO/founder re-read www.a-b.org in pre-war New York-London."
    (sentence,) = tokens("ud", text)
    assert " ".join(sentence) == (
        "The U.S. - based CEO / founder re-read www.a-b.org in pre-war New York - London ."
    )


def test_signs_are_looked_for_between_brackets_only(monkeypatch):
    """``(+++...+),,,...,``: each comma that comes off must not read the signs again."""
    read = 0

    class Sign:
        def fullmatch(self, chunk, first, last):
            nonlocal read
            read += last - first
            return sign.fullmatch(chunk, first, last)

    sign = genia_words._SIGN
    monkeypatch.setattr(genia_words, "_SIGN", Sign())
    text = "(" + "+" * 1000 + ")" + "," * 1000
    (sentence,) = tokenizer("genia").split(text)
    assert [text[a:b] for a, b in sentence] == [text[:1002], *"," * 1000]
    assert read == 1002


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Müller-Lüdenscheidt, Санкт-Петербург", ["Müller-Lüdenscheidt", ",", "Санкт-Петербург"]),
        ("L'homme d’État aujourd'hui", ["L'", "homme", "d’", "État", "aujourd'hui"]),
        ("Dell'Italia e l'Aquila", ["Dell'", "Italia", "e", "l'", "Aquila"]),
        ("O'Neill and D'Angelo don't", ["O'Neill", "and", "D'Angelo", "do", "n't"]),
        ("D'où venait-il?", ["D'", "où", "venait-il", "?"]),
    ],
)
def test_european_words_keep_hyphens_and_split_elisions(text, words):
    assert tokens("european", text) == [words]
