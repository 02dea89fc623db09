"""The training objective as the paper writes it: one type, one span, one token, one tag at a time.

Slow and plain; the twin of ``innermost.crf.nll`` and the baseline of ``benchmarks/loss.py``.
"""

from __future__ import annotations

import torch

from innermost.nest import Target

B, I, E, S, O = range(5)  # noqa: E741
NEXT = {B: (I, E), I: (I, E), E: (B, S, O), S: (B, S, O), O: (B, S, O)}
FIRST, LAST = (B, S, O), (E, S, O)
MINUS_INFINITY = torch.tensor(float("-inf"))


def _lse(values):
    return torch.logsumexp(torch.stack(values), 0)


def log_partition(emissions):
    """Algorithm 2."""
    alpha = {c: emissions[0, c] for c in FIRST}
    for row in emissions[1:]:
        after = {}
        for c in range(5):
            terms = [alpha[p] + row[c] for p in alpha if c in NEXT[p]]
            if terms:
                after[c] = _lse(terms)
        alpha = after
    return _lse([alpha[c] for c in LAST if c in alpha])


def log_partition_without_best(emissions):
    """Algorithm 3: ``beta`` sums the paths that are on the best path's tag but left it earlier."""
    n = len(emissions)
    best = [B] + [I] * (n - 2) + [E]
    alpha = {c: emissions[0, c] for c in FIRST}
    beta = None
    for i, row in enumerate(emissions[1:], start=1):
        after = {}
        beta_terms = [
            alpha[p] + row[best[i]] for p in alpha if best[i] in NEXT[p] and p != best[i - 1]
        ]
        for c in range(5):
            terms = [alpha[p] + row[c] for p in alpha if c in NEXT[p]]
            if terms:
                after[c] = _lse(terms)
        if beta is not None:
            beta_terms.append(beta + row[best[i]])
        beta = _lse(beta_terms) if beta_terms else None
        alpha = after
    ends = [alpha[c] for c in LAST if c in alpha and c != best[-1]]
    return _lse(ends if beta is None else [*ends, beta])


def nll(emissions, lengths, targets: list[Target], inner=True):
    total = emissions.new_zeros(())
    for sentence, (length, target) in enumerate(zip(lengths.tolist(), targets, strict=True)):
        for kind, tags in enumerate(target.outer):
            if kind in target.unannotated:
                continue
            rows = emissions[sentence, kind, :length]
            gold = sum(rows[t, tag] for t, tag in enumerate(tags))
            total = total + log_partition(rows) - gold
        for term in target.inner if inner else ():
            rows = emissions[sentence, term.type, term.start : term.end]
            gold = sum(rows[t, tag] for t, tag in enumerate(term.tags))
            total = total + log_partition_without_best(rows) - gold
    return total / len(targets)
