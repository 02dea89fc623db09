"""Spans, the trees they form within each type, and the levels of those trees.

Pure Python: no arrays, no files. A span is half-open: ``start`` inclusive, ``end`` exclusive.
"""

from innermost.nest.crossings import Crossing, count_crossings, separate
from innermost.nest.levels import levels
from innermost.nest.span import Span, crossing, merge_duplicates
from innermost.nest.target import InnerTerm, Target, target
from innermost.nest.tree import Node, Tree, tree

__all__ = [
    "Crossing",
    "InnerTerm",
    "Node",
    "Span",
    "Target",
    "Tree",
    "count_crossings",
    "crossing",
    "levels",
    "merge_duplicates",
    "separate",
    "target",
    "tree",
]
