"""Words of a donor that is to know more than one language (ours; the third document: the target's alone)."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from modtok.tokenization.word_count_files import WordCounts, from_sums


def joined(corpora: Mapping[str, WordCounts]) -> WordCounts:
    """The words of several languages, counts added up."""
    sums: Counter[str] = Counter()
    for counts in corpora.values():
        sums.update(dict(zip(counts.words, counts.counts.tolist(), strict=True)))
    return from_sums(sums, ", ".join(counts.source for counts in corpora.values()))


def mixed(target: WordCounts, others: Mapping[str, WordCounts], share: float) -> WordCounts:
    """The target's words as they are, and others' so weighted that they make up `share` of all that occur.

    Each other language has the same part of it. `share`: from 0, the target's words alone, to below 1. Counts
    are rounded, so what is rare in a language that is weighed down is left out.

    mixed(uk, {"bg": bg, "ru": ru}, 0.25)
    """
    total = int(target.counts.sum())
    sums = Counter(dict(zip(target.words, target.counts.tolist(), strict=True)))
    for counts in others.values() if share else ():
        weight = share / (1 - share) / len(others) * total / int(counts.counts.sum())
        weighted = np.rint(counts.counts * weight).astype(np.int64)
        sums.update(dict(zip(counts.words, weighted.tolist(), strict=True)))
    return from_sums(sums, target.source)
