"""The states of character language models at words, run by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from innermost.arrays import Floats, Ints, normalize
from innermost.model_folder.manifest import read_file
from innermost.model_folder.plain_files import MEGABYTE, damaged
from innermost.parts.contract import Array, Opening
from innermost.parts.flair.files import CHARACTERS, numbered_folders
from innermost.parts.flair.settings import Settings
from innermost.parts.flair.string_embeddings import Direction, string_embeddings

State = tuple[Floats, Floats]
_LARGEST_LIST = 16 * MEGABYTE
OUTPUTS = ("states", "next_h", "next_c")
DIRECTIONS: tuple[Direction, ...] = ("forward", "backward")


def open_features(folder: Path, settings: Settings, opening: Opening) -> FlairFeatures:
    return FlairFeatures(folder, opening)


class FlairFeatures:
    """The concatenated vectors of all models, each normalized to mean 0 and variance 1."""

    context = 0

    def __init__(self, folder: Path, opening: Opening) -> None:
        self._readers = [OnnxReader(path, opening) for path in numbered_folders(folder)]
        self._widths = [reader.hidden for reader in self._readers]
        self.dimension = sum(self._widths)

    def prepare(self, documents: Sequence[Sequence[Sequence[str]]]) -> list[Sequence[str]]:
        """All sentences; each is read when its vectors are needed."""
        return [tokens for sentences in documents for tokens in sentences]

    def part(self, item: Sequence[str], start: int, end: int) -> Sequence[str]:
        return item[start:end]

    def __call__(self, sentences: Sequence[Sequence[str]]) -> Floats:
        """``[token, sentence, feature]``, zero after the end of a sentence."""
        longest = max(map(len, sentences))
        features = np.zeros((longest, len(sentences), self.dimension), dtype=np.float32)
        edges = np.cumsum(self._widths)[:-1]
        for column, vectors in enumerate(string_embeddings(self._readers, sentences)):
            parts = [normalize(part) for part in np.split(vectors, edges, axis=-1)]
            features[: len(vectors), column] = np.concatenate(parts, axis=-1)
        return features


class OnnxReader:
    """A character language model; the name of its file determines its direction."""

    def __init__(self, folder: Path, opening: Opening) -> None:
        graphs = [d for d in DIRECTIONS if (folder / f"{d}.onnx").exists()]
        if not graphs:
            names = " or ".join(f"{direction}.onnx" for direction in DIRECTIONS)
            raise damaged(folder / names, FileNotFoundError())
        self.direction: Direction = graphs[0]
        path = folder / f"{self.direction}.onnx"
        self._session = opening.session(path)
        self._session.check_names({"numbers", "h", "c"}, set(OUTPUTS), "a character language model")
        self._layers, self.hidden = self._session.size("h", 0), self._session.size("h", 2)
        one = np.zeros((1, 1), dtype=np.int64)
        self._check(self._session.first_run(OUTPUTS, self._feed(one, None)), one)
        try:
            data = read_file(folder / CHARACTERS, _LARGEST_LIST)
            listed = msgspec.json.decode(data, type=list[str])
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise damaged(folder / CHARACTERS, error) from None
        self._numbers = {character: number for number, character in enumerate(listed)}

    def spell(self, text: str) -> Ints:
        numbers = self._numbers
        return np.array([numbers.get(character, 0) for character in text], dtype=np.int64)

    def read(
        self, numbers: Ints, state: State | None, rows: Ints, places: Ints
    ) -> tuple[Floats, State]:
        outputs = self._session.run(OUTPUTS, self._feed(numbers, state))
        self._check(outputs, numbers)
        states, next_h, next_c = outputs
        chosen: Floats = states[places, rows]
        return chosen, (next_h, next_c)

    def _feed(self, numbers: Ints, state: State | None) -> dict[str, Array]:
        if state is None:
            zeros = np.zeros((self._layers, len(numbers), self.hidden), dtype=np.float32)
            state = (zeros, zeros)
        h, c = (part[:, : len(numbers)] for part in state)
        return {"numbers": np.ascontiguousarray(numbers.T), "h": h, "c": c}

    def _check(self, found: list[Array], numbers: Ints) -> None:
        rows, length = numbers.shape
        carried = (self._layers, rows, self.hidden)
        if [a.shape for a in found] != [(length, rows, self.hidden), carried, carried]:
            raise damaged(self._session.path, "its states do not have the declared shapes")
