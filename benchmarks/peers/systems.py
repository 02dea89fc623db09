"""The systems to compare: this project, and tools trained on the same data."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.environments import ROOT

from innermost.errors import UsageError

_WORKERS = Path(__file__).parent / "workers"


@dataclass(frozen=True)
class Package:
    """A tool from the package index, in a separate environment, run by one of our workers."""

    name: str
    title: str
    requirements: tuple[str, ...]
    distribution: str
    """The package whose version is reported."""
    with_torch: bool = False
    with_transformer: bool = False

    @property
    def worker(self) -> Path:
        return _WORKERS / f"{self.name}_worker.py"


@dataclass(frozen=True)
class Original:
    """The authors' implementation: the user's checkout and a command there that answers requests.

    The requests are those of ``workers/protocol.py``. Nothing of the checkout is read or loaded.
    """

    checkout: Path
    command: str

    name = "original"
    title = "the authors' implementation"

    @property
    def arguments(self) -> list[str]:
        return shlex.split(self.command)


OURS = Package("innermost", "innermost", (str(ROOT),), "innermost")
PEERS = {
    peer.name: peer
    for peer in (
        Package("spancat", "spaCy spancat", ("spacy",), "spacy"),
        Package(
            "edsnlp",
            "EDS-NLP eds.ner_crf",
            ("edsnlp[ml]",),
            "edsnlp",
            with_torch=True,
            with_transformer=True,
        ),
    )
}


def chosen_peers(names: str) -> list[Package]:
    """The peers of a comma-separated list, in order."""
    listed = [name.strip() for name in names.split(",") if name.strip()]
    for name in listed:
        if name not in PEERS:
            raise UsageError(f"unknown peer {name!r}", hint=f"one of: {', '.join(PEERS)}")
    return [PEERS[name] for name in dict.fromkeys(listed)]


def original(checkout: Path | None, command: str | None) -> Original | None:
    if checkout is None and command is None:
        return None
    if checkout is None or command is None:
        raise UsageError(
            "--original and --original-command go together",
            hint="the folder of a checkout, and a command to run there that answers one request"
            " of benchmarks/peers/workers/protocol.py",
        )
    if not checkout.is_dir():
        raise UsageError(f"--original {checkout} is not a folder")
    return Original(checkout.resolve(), command)
