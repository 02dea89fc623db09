"""Sentences of 30 tokens: from a corpus, or generated from templates."""

from __future__ import annotations

import random
from pathlib import Path

LENGTH = 30

_TEMPLATES = (
    "In {cell} , the {factor} binding site of the human {protein} gene promoter was required for "
    "the induction of {protein} mRNA by {factor} and by {protein} receptor alpha chain signals .",
    "We found that {factor} and a mutant {protein} protein bind to the {protein} enhancer in "
    "{cell} , but not to the {factor} gene promoter , after treatment with the {protein} receptor "
    "antibody .",
    "Expression of the {protein} receptor beta chain in {cell} was reduced when the {factor} cDNA "
    "or the {protein} promoter construct was transfected , whereas {factor} mRNA levels did not "
    "change at all .",
)
_FILLERS = {
    "cell": ["Jurkat cells", "human monocytes", "T lymphocytes", "U937 cells", "HeLa cells"],
    "factor": ["NF-kappa B", "AP-1", "GATA-3", "NFAT", "Oct-2", "c-fos", "STAT5", "Sp1", "PU.1"],
    "protein": [f"IL-{n}" for n in range(1, 18)] + ["TNF-alpha", "CD28", "CD4", "GM-CSF", "IFN-g"],
}  # fmt: skip


def sentences(count: int, data: Path | None) -> list[str]:
    """Distinct texts of exactly 30 tokens, separated by spaces."""
    if data is not None:
        from innermost.corpus import read

        long = (s.tokens for s in read(data) if len(s.tokens) >= LENGTH)
        texts = dict.fromkeys(" ".join(tokens[:LENGTH]) for tokens in long)
    else:
        texts = dict.fromkeys(_made(count))
    if len(texts) < count:
        raise SystemExit(f"only {len(texts)} sentences of {LENGTH} tokens, {count} are needed")
    return list(texts)[:count]


def _made(count: int) -> list[str]:
    chance = random.Random(1)
    made: dict[str, None] = {}
    while len(made) < count:
        text = chance.choice(_TEMPLATES)
        for slot, fillers in _FILLERS.items():
            while f"{{{slot}}}" in text:
                text = text.replace(f"{{{slot}}}", chance.choice(fillers), 1)
        made[" ".join(text.split()[:LENGTH])] = None
    return list(made)
