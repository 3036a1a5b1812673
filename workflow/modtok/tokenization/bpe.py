"""Byte-pair encoding from word counts, for one language or for several joined (paper section 3.1).

Merge for merge what Hugging Face's BpeTrainer makes of the same words, alphabet and budget, with two
exceptions on purpose: no merge spells the name of a special or byte token, and with `characters` a
character outside the alphabet breaks the word, where Hugging Face joins its neighbours.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from string import hexdigits
from typing import Any

import numpy as np

from modtok.core.errors import ConfigError, require
from modtok.tokenization.alphabet import BREAK, BYTES, BaseAlphabet, Kind, covering_characters
from modtok.tokenization.bpe_state import Words, room_for_pairs, room_for_tokens, room_to_gather
from modtok.tokenization.hf_format import bpe_json
from modtok.tokenization.merge_table import MergeTable
from modtok.tokenization.native_loop import load_loop
from modtok.tokenization.pretokenization import SPECIAL_TOKENS, forbidden
from modtok.tokenization.word_count_files import WordCounts

# Merges between two reports of progress.
REPORT_EVERY = 1000
Progress = Callable[[int, int], None]
"Called with the tokens there are and the budget."


@dataclass(frozen=True)
class TrainedBPE:
    """A merge table over a base alphabet, and the surface of each id."""

    alphabet: BaseAlphabet
    tokens: list[str]
    "surfaces by id: specials, base, merge results"
    table: MergeTable

    def tokenizer_json(self, pretokenization: str) -> dict[str, Any]:
        """What hf_format.write_tokenizer writes; `pretokenization` as in the counting of the words."""
        pairs = zip(self.table.left.tolist(), self.table.right.tolist(), strict=True)
        merges = [(self.tokens[left], self.tokens[right]) for left, right in pairs]
        return bpe_json(self.alphabet.kind, pretokenization, self.tokens, merges)


def train_bpe(
    counts: WordCounts,
    *,
    budget: int,
    alphabet: Kind = "bytes",
    min_frequency: int = 2,
    character_coverage: float = 0.9995,
    progress: Progress | None = None,
) -> TrainedBPE:
    """Train on counted words until base alphabet and merges are `budget` tokens (specials not counted).

    The most frequent adjacent pair is merged, overlapping ones all counted, ties to the smaller (left id,
    right id); never one counted less than `min_frequency`. A corpus that runs out before the budget gives
    a warning with the size reached. Errors: no words, an alphabet larger than the budget.

    train_bpe(WordCounts(["aab"], np.array([5])), budget=257).tokens[-1] -> "aa"
    """
    _check(counts)
    base = base_alphabet(counts, alphabet, character_coverage)
    require(base.size <= budget, _too_small(base, budget), ConfigError)
    words = _words(base, counts)
    del counts  # where the caller keeps no other reference, the words make room for the pairs
    left, right = _merges(base, words, budget, min_frequency, progress)
    tokens = list(base.tokens)
    for parts in zip(left.tolist(), right.tolist(), strict=True):
        tokens.append(tokens[parts[0]] + tokens[parts[1]])
    result = np.arange(len(base.tokens), len(tokens), dtype=np.int32)
    if len(tokens) - len(SPECIAL_TOKENS) < budget:
        warnings.warn(_ran_out(len(tokens) - len(SPECIAL_TOKENS), budget, min_frequency), stacklevel=2)
    return TrainedBPE(base, tokens, MergeTable(left, right, result))


def _too_small(base: BaseAlphabet, budget: int) -> str:
    remedy = "" if base.kind == BYTES else ", or lower the character coverage, or take the alphabet 'bytes'"
    return f"budget {budget}: the base alphabet alone has {base.size} tokens; raise the budget{remedy}"


def _ran_out(size: int, budget: int, min_frequency: int) -> str:
    return (
        f"the corpus ran out at {size} of {budget} tokens: no pair is left that occurs {min_frequency} "
        "times; more text, or a lower min_frequency, gives more"
    )


def _check(counts: WordCounts) -> None:
    """Refuse what there is nothing to learn from, and what 64-bit counts and 32-bit places cannot hold."""
    require(bool(np.any(counts.counts > 0)), "no words to train on: the counts are empty")
    lengths = np.fromiter(map(len, counts.words), dtype=np.int64, count=len(counts.words))
    # UTF-8 spells a character in at most 4 bytes
    total = 4 * float(np.sum(lengths * counts.counts.astype(float)))
    require(total < 2**63, f"the counts are too large: some {total:.3g} bytes of text; scale them down")
    longest = 3 * (4 * int(lengths.sum()) + len(lengths))
    require(longest < 2**31, f"{len(lengths)} distinct words are too many; leave out the rarest")


def base_alphabet(counts: WordCounts, kind: Kind, coverage: float) -> BaseAlphabet:
    """The 256 bytes, or the characters that cover `coverage` of the text with 256 byte tokens."""
    if kind == BYTES:
        return BaseAlphabet(kind)
    require(0 < coverage <= 1, f"character coverage {coverage}: must be above 0 and at most 1", ConfigError)
    return BaseAlphabet(kind, covering_characters(counts.words, counts.counts.astype(np.int64), coverage))


def _merges(
    base: BaseAlphabet, words: Words, budget: int, min_frequency: int, progress: Progress | None
) -> tuple[np.ndarray, np.ndarray]:
    """Left and right ids of the merges, by rank."""
    first, loop = len(base.tokens), load_loop()
    # each merge shortens the words by one position at least
    last = min(len(SPECIAL_TOKENS) + budget, first + words.symbol.size)
    tokens = room_for_tokens(last)
    pairs, table = room_for_pairs(words.symbol.size, first)
    gathered = room_to_gather(words.symbol.size, last)
    settings = (max(min_frequency, 1), banned_spellings(base))
    table = loop.index_pairs(words, tokens, pairs, table)
    made, wanted = first, last - first
    while wanted > 0:
        step = min(REPORT_EVERY, wanted)
        done, table = loop.train(step, words, tokens, pairs, table, gathered, *settings)
        made, wanted = made + done, wanted - done if done == step else 0
        if progress is not None:
            progress(made - len(SPECIAL_TOKENS), budget)
    return tokens.left[first:made], tokens.right[first:made]


def _words(base: BaseAlphabet, counts: WordCounts) -> Words:
    """The words spelled in base ids."""
    symbol, lengths = base.spell(counts.words)
    weights = counts.counts.astype(np.int64)
    ends = np.cumsum(lengths + 1, dtype=np.int32)  # of each word, with the BREAK before it
    last = np.append(np.flatnonzero(np.diff(weights)), len(weights) - 1)  # word of each run
    return Words(symbol, ends[last], weights[last])


def banned_spellings(base: BaseAlphabet) -> np.ndarray:
    """Base ids of the forbidden names this alphabet can spell: (names, longest) int32, padded with BREAK."""
    digits = hexdigits + "+"
    names = [*SPECIAL_TOKENS, *(f"<0x{high}{low}>" for high in digits for low in digits)]
    spelled = [base.ids(name) for name in names if forbidden(name)]
    longest = max(map(len, spelled))
    rows = [ids + [BREAK] * (longest - len(ids)) for ids in spelled if BREAK not in ids]
    return np.array(rows, dtype=np.int32).reshape(-1, longest)
