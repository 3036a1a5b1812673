"""What surgery is compared with: as many rows, the same words, the same audit (third document, abstract).

naive       script-aware deletion, then the donor's merges appended as they are
global      rows freed by descending id whatever their script; the rest as in surgery
frequency   rows freed by rising frequency in the corpora; the rest as in surgery
continued   leaves pruned by rising frequency in the corpora, then BPE continued on the target's words
retrained   a new tokenizer of the same size, of the corpora's words
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from modtok.surgery.baselines_append import Pair, appended
from modtok.surgery.baselines_continued import continued
from modtok.surgery.baselines_order import by_frequency, by_id
from modtok.surgery.baselines_pruning import leaves
from modtok.surgery.baselines_retraining import retrained
from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.deletion import delete
from modtok.surgery.mixing import joined
from modtok.surgery.operation import operate
from modtok.surgery.request import Request, Surgery
from modtok.surgery.segmentation import token_frequencies
from modtok.surgery.selection import Policy, Selection
from modtok.tokenization.pretokens import split_again
from modtok.tokenization.word_count_files import WordCounts, read_counts


@dataclass(frozen=True)
class Case:
    """What surgery and its baselines are given. Case(bpe, policy, 3000, uk, {"en": en})"""

    bpe: ByteLevelBPE
    policy: Policy
    rows: int
    "how many rows surgery has freed, and so every baseline"
    words: Path
    "word counts of the target language"
    corpora: Mapping[str, Path]
    "language -> word counts: what is frequent, and what retraining learns on"

    @cached_property
    def surgery(self) -> Surgery:
        return Surgery(self.bpe, Request(self.policy, self.rows, counts=[self.words]))

    @cached_property
    def target(self) -> WordCounts:
        """The target's words as the tokenizer cuts them."""
        counts = self.surgery.target_counts
        assert counts is not None, "the request has counts"
        return counts

    @cached_property
    def cut_corpora(self) -> dict[str, WordCounts]:
        """The corpora's words as the tokenizer cuts them."""
        return {lang: split_again(read_counts([path]), self.bpe.frame) for lang, path in self.corpora.items()}

    @cached_property
    def frequency(self) -> np.ndarray:
        """By id, how often a token stands in the corpora."""
        return token_frequencies(self.bpe, self.cut_corpora)

    def donor_merges(self) -> list[Pair]:
        """The merges of the donor whose results can be inserted, by rank, as bytes."""
        trained = self.surgery.trained_donor
        parts = zip(trained.table.left.tolist(), trained.table.right.tolist(), strict=True)
        pairs = ((trained.tokens[left], trained.tokens[right]) for left, right in parts)
        wanted = set(self.surgery.donor.tokens)
        return [(left.encode(), right.encode()) for left, right in pairs if left + right in wanted]


def naive(case: Case) -> ByteLevelBPE:
    """The donor's merges behind the tokenizer's own; rows that they do not fill are given back."""
    pairs, rows = case.donor_merges(), case.rows
    while True:
        deletion = delete(case.bpe, case.surgery.derived, case.surgery.chosen, rows)
        after = appended(deletion.bpe, deletion.deleted, pairs)
        unused = len(case.bpe.surfaces) - len(after.surfaces)
        if unused == 0:
            return after
        rows -= unused


def _in_order(case: Case, chosen: Selection) -> ByteLevelBPE:
    """Surgery, with rows freed in another order."""
    return operate(case.bpe, case.surgery.derived, chosen, case.surgery.donor, case.rows).after


def _by_id(case: Case) -> ByteLevelBPE:
    return _in_order(case, by_id(case.bpe, case.surgery.chosen.reset))


def _by_frequency(case: Case) -> ByteLevelBPE:
    return _in_order(case, by_frequency(case.bpe, case.surgery.chosen.reset, case.frequency))


def _continued(case: Case) -> ByteLevelBPE:
    return continued(case.bpe, leaves(case.bpe, case.frequency, case.rows), case.target)


def _retrained(case: Case) -> ByteLevelBPE:
    return retrained(case.bpe, joined(case.cut_corpora))


METHODS: dict[str, Callable[[Case], ByteLevelBPE]] = {
    "naive": naive,
    "global": _by_id,
    "frequency": _by_frequency,
    "continued": _continued,
    "retrained": _retrained,
}
