"""Word vectors from files: every format, and a message for every kind of damage."""

from __future__ import annotations

import bz2
import gzip
import io
import random

import numpy as np
import pytest

from innermost.errors import DataError
from innermost.parts.wordchar.vectors import Vectors, read_vectors, write_vectors

WORDS = ["the", "of", "New York", "ü"]
TABLE = np.arange(12, dtype=np.float32).reshape(4, 3) / 4


def text(header=False):
    rows = "".join(
        f"{word} {' '.join(map(str, row))}\n" for word, row in zip(WORDS, TABLE, strict=True)
    )
    return (f"4 3\n{rows}" if header else rows).encode()


def binary(count=4, dimension=3):
    rows = b"".join(
        word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(WORDS, TABLE, strict=True)
    )
    return f"{count} {dimension}\n".encode() + rows.replace(b"New York", b"New_York")


def npz(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **({"words": np.array("\n".join(WORDS)), "vectors": TABLE} | arrays))
    return file.getvalue()


FILES = {
    "a.txt": text(),
    "a.vec": text(header=True),
    "a.txt.gz": gzip.compress(text()),
    "a.txt.bz2": bz2.compress(text()),
    "a.bin": binary(),
    "a.bin.gz": gzip.compress(binary()),
    "a.npz": npz(),
    "b.npz": npz(words=np.array(WORDS)),
}


@pytest.mark.parametrize("name", FILES)
def test_every_format(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(FILES[name])
    vectors = read_vectors(path)
    assert [word.replace("_", " ") for word in vectors.words] == WORDS
    assert vectors.table.dtype == np.float32
    np.testing.assert_array_equal(vectors.table, TABLE)
    assert read_vectors(path, keep=lambda word: word == "of").table.tolist() == [[0.75, 1.0, 1.25]]


def test_what_is_written_is_read(tmp_path):
    write_vectors(Vectors(WORDS, TABLE), tmp_path / "x.npz")
    assert read_vectors(tmp_path / "x.npz").words == WORDS
    assert [path.name for path in tmp_path.iterdir()] == ["x.npz"]


def lying(count):
    """An array whose header says that it is larger than it is."""
    data = npz()
    header = f"'shape': (4, {3}), ".encode()
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": "<f4", "fortran_order": False, "shape": (count, 3)}
    )
    assert header not in data  # compressed: it has to be rewritten
    from zipfile import ZipFile

    out = io.BytesIO()
    with ZipFile(io.BytesIO(data)) as old, ZipFile(out, "w") as new:
        new.writestr("words.npy", old.read("words.npy"))
        new.writestr("vectors.npy", file.getvalue() + TABLE.tobytes())
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.npz", FILES["a.npz"][:200], "not word vectors, or damaged"),
        ("a.npz", b"PK", "not word vectors, or damaged"),
        ("a.npz", lying(10**12), "declares 12,000,000,000,000 bytes"),
        ("a.npz", npz(vectors=TABLE[:2]), "4 words but vectors of shape"),
        ("a.txt.gz", FILES["a.txt.gz"][:-9], "cut short"),
        ("a.txt.gz", FILES["a.txt.gz"][:20] + b"\xff" * 20, "damaged|cut short"),
        ("a.bin", binary(count=10**15), "ends within word 5"),
        ("a.bin", binary(dimension=10**15), "1000000000000000 numbers per word"),
        ("a.bin", b"9" * 5000 + b" 3\n", "its header is missing"),
        ("a.bin", binary()[:30], "ends within word"),
        ("a.txt", b"PK\3\4", "a zip archive"),
        ("a.txt", b"a 1 2\nb 1 nan\n", "vector of 'b' is not finite"),
        ("a.txt", b"a 1 2\nb 1\n", "expected 2 numbers|expected a word"),
        ("a.txt", b"", "no word vectors"),
    ],
    ids=[
        "npz-cut",
        "npz-tiny",
        "npz-huge",
        "npz-shapes",
        "gz-cut",
        "gz-damaged",
        "bin-words",
        "bin-numbers",
        "bin-header",
        "bin-cut",
        "txt-zip",
        "txt-nan",
        "txt-ragged",
        "txt-empty",
    ],
)
def test_damage_is_named(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        read_vectors(path)
    assert caught.value.path == str(path)


def test_no_damage_is_a_trace(tmp_path):
    generator = random.Random(0)
    refused = 0
    for name, content in FILES.items():
        path = tmp_path / name
        for _ in range(60):
            data = bytearray(content)
            for _ in range(generator.randint(1, 4)):
                position = generator.randrange(len(data))
                data[position : position + generator.choice([0, 1, 8])] = generator.randbytes(
                    generator.choice([0, 1, 4])
                )
            path.write_bytes(bytes(data[: generator.choice([len(data), len(data) // 2])]))
            try:
                assert np.isfinite(read_vectors(path).table).all()
            except DataError as error:
                refused += error.path is not None
    assert refused > 200
