"""Continued BPE (Purason et al. 2025): learn on where a finished table stopped, on the target's words.

The words are cut by the table; then the most frequent adjacent pair becomes a token, again and again, its
merge behind all others. No donor is needed, and what is learned is reachable.
"""

from itertools import chain

import numpy as np

from modtok.core.errors import require
from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.segmentation import Segmenter, segmented
from modtok.tokenization.alphabet import BREAK
from modtok.tokenization.bpe_state import Tokens, Words, candidates, room_for_tokens
from modtok.tokenization.bpe_training import Settings, check_counts, in_runs, run_loop
from modtok.tokenization.word_count_files import WordCounts


def continued(tokenizer: ByteLevelBPE, deleted: list[int], counts: WordCounts) -> ByteLevelBPE:
    """The tokenizer without `deleted`, whose ids go, ascending, to as many tokens learned on counted words.

    `counts` are pre-tokens of the tokenizer's own pre-tokenization. Ties as in all our training: the smaller
    pair of ids. Where the words run out, the rows deleted last are given back. Error: no pair of tokens.

    continued(tokenizer, leaves(tokenizer, frequency, 3_000), counts)
    """
    check_counts(counts)
    pruned = tokenizer.without(deleted)
    first, slots = max(tokenizer.surfaces) + 1, sorted(deleted)
    tokens = room_for_tokens(first + len(slots))
    words = _words(pruned, counts, tokens)
    none = candidates(len(slots), np.zeros(first, dtype=np.int64), tokens.member, min_frequency=1)
    made = run_loop(words, tokens, first, none, Settings(len(slots)), _unreachable(pruned)) - first
    require(made > 0, f"{counts.source}: its words are single tokens already; take more text")
    if made < len(slots):
        return continued(tokenizer, deleted[:made], counts)
    return _with_learned(pruned, tokens, dict(zip(range(first, first + made), slots, strict=True)))


def _unreachable(tokenizer: ByteLevelBPE) -> np.ndarray:
    """What merging makes of the tokens that it does not reach: rows of ids, which no new token may spell."""
    segmenter = Segmenter(tokenizer)
    pieces = {token: segmenter.ids(token) for token in tokenizer.tokens.values()}
    rows = {token: ids for token, ids in pieces.items() if len(ids) > 1}
    longest = max(map(len, rows), default=1)
    padded = [ids + [BREAK] * (longest - len(ids)) for ids in rows.values()]
    return np.array(padded, dtype=np.int32).reshape(-1, longest)


def _words(tokenizer: ByteLevelBPE, counts: WordCounts, tokens: Tokens) -> Words:
    """The words as the table cuts them, in the layout of the loop; fills in the lengths of the tokens."""
    for number, token in tokenizer.tokens.items():
        tokens.length[number] = len(token)
    rows = ([BREAK, *ids] for ids in segmented(tokenizer, counts))
    cut = np.array([*chain.from_iterable(rows), BREAK], dtype=np.int32)
    lengths = np.where(cut == BREAK, 1, tokens.length[cut])
    ends = np.cumsum(lengths)
    symbol = np.full(int(ends[-1]), BREAK, dtype=np.int32)
    symbol[ends - lengths] = cut
    symbol[ends - 1] = cut
    breaks = ends[cut == BREAK]
    return in_runs(symbol, np.diff(breaks) - 1, counts)


def _with_learned(pruned: ByteLevelBPE, tokens: Tokens, new_id: dict[int, int]) -> ByteLevelBPE:
    """The tokenizer with what was learned, under the ids of the freed slots."""
    spelled, merges = dict[int, bytes](), list[tuple[int, int, int]]()
    for number, slot in new_id.items():
        left, right = (
            new_id.get(int(part), int(part)) for part in (tokens.left[number], tokens.right[number])
        )
        spelled[slot] = b"".join(spelled.get(part) or pruned.tokens[part] for part in (left, right))
        merges.append((left, right, slot))
    return pruned.with_tokens(spelled, merges)
