"""Retraining at the same size: a new byte-level BPE in place of the old one (third document, section 2).

The bytes and all protected tokens keep their ids; the merges learned fill the other ids of the old vocabulary
in their order. Hardly any row stays what it was.
"""

import warnings

from modtok.core.errors import require
from modtok.surgery.byte_level import ByteLevelBPE
from modtok.tokenization.alphabet import surface_of
from modtok.tokenization.bpe import TrainedBPE, train_bpe
from modtok.tokenization.merge_table import MergeTable
from modtok.tokenization.pretokenization import BYTE_TOKENS
from modtok.tokenization.word_count_files import WordCounts


def retrained(tokenizer: ByteLevelBPE, counts: WordCounts) -> ByteLevelBPE:
    """A tokenizer of the same ids, frame and pre-tokenization, trained on counted pre-tokens of its own.

    Error: words that run out before the vocabulary is full.

    retrained(tokenizer, joined_counts)
    """
    free = sorted(tokenizer.surfaces.keys() - tokenizer.protected)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the words run out is an error here
        trained = train_bpe(counts, budget=len(BYTE_TOKENS) + len(free), alphabet="bytes")
    learned = len(trained.table)
    require(
        learned == len(free),
        f"{counts.source}: retraining finds {learned} merges for {len(free)} rows; take more text",
    )
    return _renumbered(tokenizer, trained, free)


def _renumbered(tokenizer: ByteLevelBPE, trained: TrainedBPE, free: list[int]) -> ByteLevelBPE:
    """The trained merges under the ids of the old vocabulary."""
    new_id = dict(zip(trained.table.result.tolist(), free, strict=True))
    number_of = {surface: number for number, surface in enumerate(trained.tokens)}
    new_id |= {number_of[surface_of(tokenizer.tokens[byte])]: byte for byte in tokenizer.base}
    kept = {number: tokenizer.surfaces[number] for number in tokenizer.protected}
    learned = {new_id[number]: trained.tokens[number] for number in trained.table.result.tolist()}
    columns = (trained.table.left, trained.table.right, trained.table.result)
    rows = zip(*(map(new_id.__getitem__, ids.tolist()) for ids in columns), strict=True)
    return tokenizer.edited({**kept, **learned}, MergeTable.of(rows))
