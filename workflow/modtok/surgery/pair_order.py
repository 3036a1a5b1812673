"""Which two pieces of a surface guided insertion joins first: a setting that the third document leaves open.

By default the first two. Here the two whose joined text is most frequent in the target's words, so that the
rows on the way to a longer token are more useful by themselves.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from modtok.surgery.insertion import PairChoice
from modtok.tokenization.word_count_files import WordCounts

LONGEST = 12
"Characters of the longest text that is looked up; longer ones count as never seen."


def most_frequent_pair(counts: WordCounts) -> PairChoice:
    """Choose the two pieces whose text stands most often in the words; of equal ones the first.

    most_frequent_pair(counts)([b"a", b"b", b"c"])
    """
    seen: Counter[bytes] = Counter()
    for word, count in zip(counts.words, counts.counts.tolist(), strict=True):
        for start in range(len(word)):
            for end in range(start + 2, min(start + LONGEST, len(word)) + 1):
                seen[word[start:end].encode()] += count

    def choose(pieces: Sequence[bytes]) -> int:
        frequency = [seen[left + right] for left, right in pairwise(pieces)]
        return frequency.index(max(frequency))

    return choose
