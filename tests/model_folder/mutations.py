"""Bytes with something wrong in them: cut, flipped, spliced, repeated, overwritten."""

from __future__ import annotations

from hypothesis import strategies as st

INTERESTING = (
    b"",
    b"\x00",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\xff" * 9 + b"\x01",
    b"\x80" * 12,
    b"\x08",
)


@st.composite
def mutated(draw: st.DrawFn, sources: list[bytes]) -> bytes:
    """One of the sources after one to four changes."""
    data = bytearray(draw(st.sampled_from(sources)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(data)))
        length = draw(st.sampled_from((1, 1, 2, 4, 8, 64, 1024)))
        change = draw(
            st.sampled_from(("flip", "set", "insert", "delete", "repeat", "splice", "cut"))
        )
        piece = data[place : place + length]
        if change == "flip" and piece:
            data[place] ^= 1 << draw(st.integers(0, 7))
        elif change == "set":
            data[place : place + length] = draw(st.binary(min_size=len(piece), max_size=len(piece)))
        elif change == "insert":
            data[place:place] = draw(st.sampled_from(INTERESTING) | st.binary(max_size=8))
        elif change == "delete":
            del data[place : place + length]
        elif change == "repeat":
            data[place:place] = piece
        elif change == "splice":
            other = draw(st.sampled_from(sources))
            begin = draw(st.integers(0, len(other)))
            data[place : place + length] = other[begin : begin + length]
        elif change == "cut":
            del data[place:]
    return bytes(data)
