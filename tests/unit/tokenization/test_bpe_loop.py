"""The loop of BPE training: after each merge, words and pair counts are what counting anew gives."""

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.tokenization.alphabet import BREAK
from modtok.tokenization.bpe_state import (
    Pairs,
    Tokens,
    Words,
    candidates,
    room_for_pairs,
    room_for_tokens,
    room_to_gather,
)
from modtok.tokenization.native_loop import load_loop

FIRST = 6  # ids 0 to 5 are base tokens
NO_NAMES = np.empty((0, 6), dtype=np.int32)


def spelled(words: list[list[int]], counts: list[int]) -> Words:
    symbol = [BREAK] + [unit for word in words for unit in (*word, BREAK)]
    end = np.cumsum([len(word) + 1 for word in words], dtype=np.int32)
    return Words(np.array(symbol, dtype=np.int32), end, np.array(counts, dtype=np.int64))


def segmented(words: Words, tokens: Tokens) -> list[list[int]]:
    """The tokens of each word, read as the loop reads them."""
    found: list[list[int]] = []
    place = 0
    while place < words.symbol.size - 1:
        token = int(words.symbol[place])
        if token < 0:
            found.append([])
            place += 1
        else:
            found[-1].append(token)
            place += int(tokens.length[token])
    return found


def counted_anew(words: list[list[int]], counts: list[int]) -> Counter[tuple[int, int]]:
    pairs: Counter[tuple[int, int]] = Counter()
    for word, count in zip(words, counts, strict=True):
        for pair in pairwise(word):
            pairs[pair] += count
    return pairs


def kept(pairs: Pairs) -> Counter[tuple[int, int]]:
    n_pairs = int(pairs.used[1])
    keys = [((key >> 32) - 1, key & 0xFFFFFFFF) for key in pairs.key[:n_pairs].tolist()]
    return +Counter(dict(zip(keys, pairs.frequency[:n_pairs].tolist(), strict=True)))


words_of_ids = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=15), min_size=1, max_size=8)


@given(words_of_ids, st.integers(1, 25), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_after_each_merge_the_counts_are_those_of_the_words(words, merges, rng):
    counts = [rng.randint(1, 5) for _ in words]
    state, tokens, loop = spelled(words, counts), room_for_tokens(FIRST + merges), load_loop()
    pairs, table = room_for_pairs(state.symbol.size, FIRST)
    gathered = room_to_gather(state.symbol.size, FIRST + merges)
    table = loop.index_pairs(state, tokens, pairs, table)
    none = candidates(merges, np.zeros(FIRST, dtype=np.int64), tokens.member, 1)
    assert kept(pairs) == counted_anew(words, counts)
    for _ in range(merges):
        _, table = loop.train(1, state, tokens, pairs, table, gathered, none, 1, NO_NAMES)
        assert kept(pairs) == counted_anew(segmented(state, tokens), counts)
        assert not gathered.before[:, :3].any()
        assert not gathered.after[:, :3].any()
