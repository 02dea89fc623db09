"""What a user may not expect about the input of a run, said before it starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from innermost.bulk.shards import KINDS, TEXT, Shard, hidden
from innermost.errors import DataError
from innermost.files.source import Source
from innermost.plurals import count
from innermost.text.wrapping import is_hard_wrapped

_NAMED = 3


def oversights(inputs: Sequence[str], output: Path, shards: Sequence[Shard]) -> Iterator[str]:
    """Files of folders that are not read, and texts of which a line is only a part."""
    for name in inputs:
        if Path(name).is_dir():
            others = list(_others(Path(name), output, shards))
            if others:
                yield (
                    f"{name}: {count(len(others), 'file')} not read, because their names do not "
                    f"end in {', '.join(KINDS)}: {_listed(others)}"
                )
    wrapped = [shard.path for shard in shards if shard.kind == TEXT and _is_wrapped(shard)]
    if wrapped:
        yield (
            f"hard-wrapped text, in which every line is a row: {_listed(wrapped)}; to read each "
            "such file as one text, omit --jobs and --resume"
        )


def _others(folder: Path, output: Path, shards: Sequence[Shard]) -> Iterator[str]:
    read = {shard.path for shard in shards}
    for file in sorted(folder.rglob("*")):
        if (
            file.is_file()
            and str(file) not in read
            and not hidden(file, folder)
            and output.resolve() not in file.resolve().parents
        ):
            yield file.relative_to(folder).as_posix()


def _is_wrapped(shard: Shard) -> bool:
    try:
        head = Source(shard.path).head()
    except DataError:  # damaged, which the run reports
        return False
    return is_hard_wrapped(head.decode(errors="replace").splitlines())


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"
