"""Corpora for the tests of formats: nested, crossing and duplicate spans over odd tokens."""

from __future__ import annotations

from hypothesis import strategies as st

from innermost.corpus import Sentence
from innermost.nest import Span

LABELS = [
    "PER",
    "cell_line",
    "creative-work",
    "Größe",
    "B-PER",
    "人名",
    "Disease or Syndrome",
    "a(b)%20",
]

labels = st.sampled_from(LABELS)

words = st.text(
    st.characters(min_codepoint=0x21, max_codepoint=0x2FF, categories=["L", "N"]),
    min_size=1,
    max_size=6,
)
"""Tokens that every format can store."""

odd_tokens = st.one_of(
    words,
    st.sampled_from(
        [
            "#",
            "# x",
            "-DOCSTART-",
            "[",
            "]]",
            "\\",
            "\\[",
            "<s>",
            "&amp;",
            "|",
            "*",
            "_",
            "a\tb",
            "a\nb",
            "a b",
            " ",
            "\u00a0",
            "\u2028",
            "\ufeff",
            "\x00",
            "\x0b",
            "\r",
            "e\u0301",
            "é",
            "👩‍👩‍👧",
            "ﬁ",
            '"',
            "T1",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4),
)


@st.composite
def sentences(draw, tokens=words, labels=labels, max_entities=6) -> Sentence:
    given = draw(st.lists(tokens, min_size=1, max_size=8))
    spans = []
    for _ in range(draw(st.integers(0, max_entities))):
        start = draw(st.integers(0, len(given) - 1))
        end = draw(st.integers(start + 1, len(given)))
        spans.append(Span(start, end, draw(labels)))
    if spans and draw(st.booleans()):
        spans.append(draw(st.sampled_from(spans)))
    return Sentence(given, spans)


def corpora(**options):
    return st.lists(sentences(**options), min_size=1, max_size=4)


def with_documents(**options):
    """Corpora of documents: each name occurs in one run of sentences."""
    runs = st.lists(corpora(**options), min_size=1, max_size=3)
    return runs.map(
        lambda runs: [
            Sentence(s.tokens, s.entities, doc=f"d{number}")
            for number, run in enumerate(runs)
            for s in run
        ]
    )


@st.composite
def full_corpora(draw):
    """Documents with everything that a sentence can have, and spaces between words."""
    corpus = []
    for number, run in enumerate(draw(st.lists(corpora(), min_size=1, max_size=3))):
        for sentence in run:
            size = len(sentence.tokens) - 1
            spaces = draw(st.lists(st.sampled_from([" ", "  "]), min_size=size, max_size=size))
            spans = sorted(set(sentence.entities))
            scored = draw(st.sets(st.sampled_from(spans))) if spans else ()
            corpus.append(
                Sentence(
                    sentence.tokens,
                    sentence.entities,
                    gaps=["", *spaces, "\n"],
                    id=f"id {number}",
                    doc=f"d{number}",
                    extra={"topic": number, "more": {"a": [1, "x"]}},
                    scores={span: draw(st.floats(0, 1)) for span in scored},
                )
            )
    return corpus


def content(sentences):
    """What every format must preserve: the tokens and the entities, in any order."""
    return [(s.tokens, sorted(s.entities)) for s in sentences]
