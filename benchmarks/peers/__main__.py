"""Speed, accuracy and size compared with spaCy's spancat and EDS-NLP, trained on the same data.

    python -m benchmarks.peers DATA_DIR --work DIR [--transformer FOLDER] [--markdown FILE]

DATA_DIR has train.jsonl, dev.jsonl and test.jsonl in the native format. Each tool is installed into
a separate environment in --work and trained once; both are kept, so the next run only measures.
With --prepare nothing is measured. docs/benchmarks.md describes what is measured and how.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.peers.comparison import Settings, compare, prepare
from benchmarks.peers.report import markdown
from benchmarks.peers.systems import PEERS, chosen_peers, original
from benchmarks.peers.training import Plan

from innermost.errors import InnermostError


def main() -> None:
    options = _parser().parse_args()
    try:
        settings = Settings(
            data=options.data,
            work=options.work,
            model=options.model,
            peers=chosen_peers(options.peers),
            original=original(options.original, options.original_command),
            sentences=options.sentences,
            rounds=options.rounds,
            threads=options.threads,
            plan=Plan(
                options.train_minutes, options.longest_span, options.transformer, options.threads
            ),
        )
        if options.prepare:
            prepare(settings)
            return
        report = compare(settings)
    except InnermostError as error:
        sys.exit(f"error: {error}")
    page = markdown(report)
    print(json.dumps(report.to_dict(), indent=2) if options.json else page)
    if options.markdown:
        options.markdown.write_text(page, encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("benchmarks.peers", description=__doc__, formatter_class=shape)
    add = parser.add_argument
    add("data", type=Path, metavar="DATA_DIR")
    add("--work", type=Path, required=True, help="folder for environments and trained peers")
    add("--model", default="genia", help="ours: an installed model's name, or a folder")
    add("--peers", default=",".join(PEERS), help="tools to compare with (default: %(default)s)")
    add("--transformer", type=Path, help="folder of the Hugging Face model for EDS-NLP")
    add("--original", type=Path, help="a checkout of the authors' implementation")
    add("--original-command", help="run there; answers a request of workers/protocol.py")
    add("--sentences", type=_positive, default=1000, help="test sentences to time (%(default)s)")
    add("--rounds", type=_positive, default=5, help="interleaved rounds (%(default)s)")
    add("--threads", type=_positive, default=2, help="CPU threads of each (%(default)s)")
    add("--train-minutes", type=float, default=12, help="for each peer (%(default)s)")
    add("--longest-span", type=_positive, default=8, help="tokens, for spancat (%(default)s)")
    add("--prepare", action="store_true", help="install and train only")
    add("--json", action="store_true", help="print JSON, with the speed of every round")
    add("--markdown", type=Path, metavar="FILE", help="write the table to a file as well")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("it must be 1 or more")
    return number


if __name__ == "__main__":
    main()
