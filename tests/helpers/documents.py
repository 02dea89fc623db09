"""Documents with entities wherever a test wants them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from innermost.document import Document, ScoredSpan, assemble

Place = tuple[int, int, str]


def document(
    text: str, places: Iterable[Place] = (), types: Sequence[str] = ("X", "<Y>"), score: float = 0.9
) -> Document:
    """A document whose tokens are its characters."""
    tokens = [(i, i + 1) for i in range(len(text))]
    spans = [ScoredSpan(start, end, label, 1, score) for start, end, label in places]
    return assemble(text, [tokens], [spans], types)


def places(length: int, labels: Sequence[str] = ("X", "<Y>")) -> st.SearchStrategy[list[Place]]:
    """Any entities, crossing ones too."""
    place = st.tuples(
        st.integers(0, length - 1), st.integers(1, length), st.sampled_from(list(labels))
    )
    return st.lists(place.filter(lambda p: p[0] < p[1]), unique=True, max_size=12)
