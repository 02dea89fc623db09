"""Character language models (Akbik et al. 2018), and the folder they are stored in.

A folder contains one or two models, one per direction:

        chars.json          the characters, a JSON list; the index of a character is its number.
                            The first, ``<unk>``, represents all unlisted characters
    model.safetensors   ``<direction>.encoder.weight  [character, embedding]``
                        ``<direction>.rnn.*           the weights of a torch LSTM``
                        ``<direction>.decoder.weight  [character, hidden]`` and ``.bias``
                        with ``fwd`` or ``bwd`` as the direction
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from innermost.arrays import Floats, Ints
from innermost.errors import ModelError
from innermost.files.atomic import write_atomically
from innermost.parts.flair.files import CHARACTERS, WEIGHTS
from innermost.parts.flair.string_embeddings import LINE_START, Direction

State = tuple[Tensor, Tensor]

UNKNOWN = "<unk>"
_PREFIXES: dict[Direction, str] = {"forward": "fwd.", "backward": "bwd."}


class CharacterLM(nn.Module):
    """Embedding, LSTM, decoder. A backward model reads each line from its end."""

    def __init__(
        self,
        characters: list[str],
        direction: Direction,
        *,
        embedding: int = 100,
        hidden: int = 1024,
        layers: int = 1,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.characters = characters
        self.direction: Direction = direction
        self.hidden = hidden
        self.encoder = nn.Embedding(len(characters), embedding)
        self.rnn = nn.LSTM(
            embedding, hidden, layers, batch_first=True, dropout=dropout if layers > 1 else 0.0
        )
        self.decoder = nn.Linear(hidden, len(characters))
        self.dropout = nn.Dropout(dropout)
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        self._numbers = {character: number for number, character in enumerate(characters)}

    def spell(self, text: str) -> Ints:
        """The numbers of the characters of ``text``, in order."""
        numbers = self._numbers
        return np.array([numbers.get(character, 0) for character in text], dtype=np.int64)

    def no_state(self, batch: int) -> State:
        """The state before the first character."""
        zeros = self.encoder.weight.new_zeros(self.rnn.num_layers, batch, self.hidden)
        return zeros, zeros

    def states(self, numbers: Tensor, state: State) -> tuple[Tensor, State]:
        """``[batch, character] -> [batch, character, hidden]`` and the state to continue with."""
        outputs, state = self.rnn(self.dropout(self.encoder(numbers)), state)
        return self.dropout(outputs), state

    @torch.no_grad()
    def read(
        self, numbers: Ints, state: State | None, rows: Ints, places: Ints
    ) -> tuple[Floats, State]:
        """See :class:`innermost.parts.flair.string_embeddings.Reader`."""
        device = self.encoder.weight.device
        before = self.no_state(len(numbers)) if state is None else state
        h, c = (part[:, : len(numbers)].contiguous() for part in before)
        outputs, state = self.states(torch.from_numpy(numbers).to(device), (h, c))
        at_places: Floats = outputs[rows, places].float().cpu().numpy()
        return at_places, state

    def forward(self, numbers: Tensor, state: State) -> tuple[Tensor, State]:
        """Scores of the next character, ``[batch, character, number of characters]``."""
        outputs, state = self.states(numbers, state)
        scores: Tensor = self.decoder(outputs)
        return scores, state


def with_characters(model: CharacterLM, wanted: Iterable[str]) -> CharacterLM:
    """The model with rows added for the characters that it does not have.

    They start as copies of the row of the unknown character, which represented them so far.
    """
    known = set(model.characters)
    added = [character for character in dict.fromkeys(wanted) if character not in known]
    if not added:
        return model
    weights = model.state_dict()
    for name in ("encoder.weight", "decoder.weight", "decoder.bias"):
        row = weights[name][0]
        weights[name] = torch.cat((weights[name], row.expand(len(added), *row.shape)))
    return _assemble([*model.characters, *added], model.direction, weights, model.dropout.p)


def load_character_lms(folder: str | Path) -> list[CharacterLM]:
    """The models of a folder, the forward one first, ready for use."""
    folder = Path(folder)
    try:
        characters = msgspec.json.decode((folder / CHARACTERS).read_bytes(), type=list[str])
        with safe_open(folder / WEIGHTS, framework="pt") as file:
            tensors = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError, msgspec.MsgspecError) as error:
        raise ModelError(
            f"{folder} is not a folder of character language models: {error}",
            hint=f"it needs {CHARACTERS} and {WEIGHTS}, as `innermost pretrain characters` writes",
        ) from None
    if characters[:1] != [UNKNOWN] or not {LINE_START, " "}.issubset(characters):
        raise ModelError(
            f"{folder / CHARACTERS} must begin with {UNKNOWN!r} and have {LINE_START!r} and ' '"
        )
    models = []
    for direction, prefix in _PREFIXES.items():
        weights = {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
        if weights:
            try:
                models.append(_assemble(characters, direction, weights).eval())
            except (RuntimeError, KeyError) as error:
                raise ModelError(f"{folder / WEIGHTS} is inconsistent: {error}") from None
    if not models:
        raise ModelError(f"{folder / WEIGHTS} contains no tensors `fwd.*` or `bwd.*`")
    return models


def save_character_lms(folder: str | Path, models: Iterable[CharacterLM]) -> None:
    """Write models with the same characters, at most one per direction."""
    folder, models = Path(folder), list(models)
    if any(model.characters != models[0].characters for model in models):
        raise ModelError(
            "two models with different characters cannot share a folder",
            hint="write them to two folders",
        )
    tensors = {
        _PREFIXES[model.direction] + name: tensor.detach().float().cpu().contiguous()
        for model in models
        for name, tensor in model.state_dict().items()
    }
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / CHARACTERS, msgspec.json.encode(models[0].characters))
    write_atomically(folder / WEIGHTS, save(tensors))


def _assemble(
    characters: list[str], direction: Direction, weights: dict[str, Tensor], dropout: float = 0.1
) -> CharacterLM:
    model = CharacterLM(
        characters,
        direction,
        embedding=weights["encoder.weight"].shape[1],
        hidden=weights["rnn.weight_hh_l0"].shape[1],
        layers=sum(name.startswith("rnn.weight_hh_l") for name in weights),
        dropout=dropout,
    )
    model.load_state_dict(weights)
    return model
