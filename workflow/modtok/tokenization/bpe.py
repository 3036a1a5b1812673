"""Byte-pair encoding from word counts, for one language or for several joined (paper section 3.1).

Merge for merge what Hugging Face's BpeTrainer makes of the same words, alphabet and budget, with two
exceptions on purpose: no merge spells the name of a special or byte token, and with `characters` a
character outside the alphabet breaks the word, where Hugging Face joins its neighbours.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from modtok.tokenization.alphabet import BaseAlphabet, Kind
from modtok.tokenization.bpe_training import Progress, Settings, learn, ran_out, task
from modtok.tokenization.full_table import FullTable
from modtok.tokenization.hf_format import bpe_json
from modtok.tokenization.merge_table import MergeTable
from modtok.tokenization.word_count_files import WordCounts


@dataclass(frozen=True)
class TrainedBPE:
    """A merge table over a base alphabet, and the surface of each id."""

    alphabet: BaseAlphabet
    tokens: list[str]
    "surfaces by id: specials, base, merge results"
    table: MergeTable

    def tokenizer_json(self, pretokenization: str) -> dict[str, Any]:
        """What hf_format.write_tokenizer writes; `pretokenization` as in the counting of the words."""
        frame = bpe_json(self.alphabet.kind, pretokenization, [], [])
        return {**frame, "model": {**frame["model"], **model_parts(self.tokens, self.table)}}


def model_parts(tokens: Sequence[str], table: MergeTable) -> dict[str, Any]:
    """Vocabulary and merges as the model of a tokenizer.json has them; `tokens`: surfaces by id."""
    pairs = zip(table.left.tolist(), table.right.tolist(), strict=True)
    return {
        "vocab": {token: number for number, token in enumerate(tokens)},
        "merges": [[tokens[left], tokens[right]] for left, right in pairs],
    }


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
    start = FullTable.empty(alphabet)
    settings = Settings(budget, min_frequency, character_coverage)
    given = task(start, counts, settings)
    del counts  # where the caller keeps no other reference, the words make room for the pairs
    learned = learn(given, progress)
    if learned.left_over:
        warnings.warn(ran_out(learned, settings), stacklevel=2)
    table = learned.table
    characters = "".join(table.surfaces[len(start.surfaces) :][: len(table.spelling.numbers)])
    base = BaseAlphabet(alphabet, characters if alphabet == "characters" else "")
    return TrainedBPE(base, table.surfaces, table.merges)
