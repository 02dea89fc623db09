"""Detect plain text without annotation, where a corpus was expected."""

from __future__ import annotations

from collections import Counter
from statistics import median

from innermost.corpus.shared.tag_schemes import split_tag
from innermost.files.source import Source

_LINES = 200
_ENDS = tuple(".!?…\"'”’»)。！？」")
_FEWEST_WORDS = 4
_FEW = 0.1
_FEWEST_TAGGED = 3


def is_plain_text(source: Source) -> bool:
    """Whether the first lines look like sentences, and have no tags at their ends.

    Most of them end in punctuation that is not a word of its own, or they have words in numbers
    that vary, which columns do not.
    """
    lines = source.head().decode(errors="replace").splitlines()[:_LINES]
    rows = [line.split() for line in lines if line.strip()]
    tagged = sum(split_tag(words[-1]) is not None for words in rows)
    tabbed = sum("\t" in line.strip() for line in lines)
    if not rows or max(tagged, tabbed) > _FEW * len(rows):
        return False
    ended = sum(len(words[-1]) > 1 and words[-1].endswith(_ENDS) for words in rows)
    widths = [len(words) for words in rows]
    _, commonest = Counter(widths).most_common(1)[0]
    is_varied = median(widths) >= _FEWEST_WORDS and commonest <= len(rows) / 2
    return ended > len(rows) / 2 or is_varied


def is_tagged_throughout(source: Source) -> bool:
    """Whether every line but comments ends in a tag after something else, unlike plain text.

    The tag O must be among them: all lines of a list may end in e.g. ``B-12``.
    """
    *lines, _ = source.head_text().split("\n")
    rows = [line.split() for line in lines if line.strip() and not line.startswith("# ")]
    return (
        len(rows) >= _FEWEST_TAGGED
        and all(len(words) > 1 and split_tag(words[-1]) is not None for words in rows)
        and any(words[-1] == "O" for words in rows)
    )
