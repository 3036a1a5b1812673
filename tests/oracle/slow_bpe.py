"""Byte-pair encoding by its definition, too slow for text: count all pairs anew for each merge."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

Merge = tuple[int, int, int]


def slow_merges(
    words: Sequence[Sequence[int]], counts: Sequence[int], merges: int, first_id: int
) -> list[Merge]:
    """Up to `merges` merges (left, right, result) of words spelled in ids, of pairs counted 2 or more."""
    segmented, made = [list(word) for word in words], []
    for new in range(first_id, first_id + merges):
        pairs: Counter[tuple[int, int]] = Counter()
        for word, count in zip(segmented, counts, strict=True):
            for pair in pairwise(word):
                pairs[pair] += count
        best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
        if best is None or pairs[best] < 2:
            break
        made.append((*best, new))
        segmented = [replaced(word, best, new) for word in segmented]
    return made


def replaced(word: Sequence[int], pair: tuple[int, int], new: int) -> list[int]:
    """The word with `pair` replaced left to right: replaced([1, 1, 1], (1, 1), 2) -> [2, 1]."""
    result: list[int] = []
    for token in word:
        if result and (result[-1], token) == pair:
            result[-1] = new
        else:
            result.append(token)
    return result
