"""``manifest.json`` and ``rejects.jsonl``: what a run wrote, and what it could not.

They contain no dates or times: equal runs write equal files.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from innermost.bulk.state import State
from innermost.files.atomic import atomic_file

MANIFEST, REJECTS = "manifest.json", "rejects.jsonl"
FORMAT = 1


class Counts(msgspec.Struct):
    """``rows`` is ``written`` and ``rejected`` together."""

    shards: int = 0
    rows: int = 0
    written: int = 0
    rejected: int = 0
    entities: int = 0


def write_manifest(state: State, scratch: Path, *, complete: bool) -> Counts:
    """Write both files from the state of a run, and return the counts of its finished shards."""
    run, records = state.run(), list(state.records().values())
    counts = Counts(shards=len(records))
    for record in records:
        counts.rows += record.rows
        counts.written += record.written
        counts.rejected += record.rejected
        counts.entities += record.entities
    with atomic_file(state.output / REJECTS, folder=scratch) as file:
        for path, reject in state.rejects():
            line = {"file": path, **msgspec.to_builtins(reject)}
            file.write(msgspec.json.encode(line) + b"\n")
    manifest = {
        "format": FORMAT,
        "complete": complete,
        "model": {"name": run.model, "sha256": run.model_sha256},
        "settings": msgspec.to_builtins(run.settings),
        "versions": run.versions,
        "counts": msgspec.to_builtins(counts),
        "shards": msgspec.to_builtins(records),
    }
    with atomic_file(state.output / MANIFEST, folder=scratch) as file:
        file.write(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    return counts
