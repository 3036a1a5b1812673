"""Deletion that does not look at writing systems: the latest tokens, or the least frequent ones, go.

Only the order of the candidates differs from script-aware deletion: the target script's rows still go first,
and repair, audit and insertion are the same (third document, abstract).
"""

import numpy as np

from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.selection import Selection


def by_id(bpe: ByteLevelBPE, reset: list[int]) -> Selection:
    """The reset, then all tokens that may go, by descending id. by_id(bpe, select(...).reset)"""
    return _ordered(bpe, reset, np.zeros(max(bpe.surfaces) + 1))


def by_frequency(bpe: ByteLevelBPE, reset: list[int], frequency: np.ndarray) -> Selection:
    """The reset, then all tokens that may go, the least frequent first, of equal ones the latest.

    `frequency`: by id, how often a token stands in the corpora that matter.
    """
    return _ordered(bpe, reset, frequency)


def _ordered(bpe: ByteLevelBPE, reset: list[int], frequency: np.ndarray) -> Selection:
    free = bpe.surfaces.keys() - bpe.protected - set(reset)
    return Selection(reset, sorted(free, key=lambda number: (frequency[number], -number)))
