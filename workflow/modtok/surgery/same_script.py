"""Rows for a language that shares its writing system with those that are to be kept (ours, not in the paper).

Scripts cannot tell then which rows may go, so use does: candidates come by how often merging the keep
corpora's words makes them, as a token or on the way to a longer one. A part is made at least as often as what
it is part of, so candidates are closed under parents: a token comes after all that are made of it.
"""

from collections.abc import Mapping

import numpy as np

from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.derivations import Derivations
from modtok.surgery.scripts import Scripts
from modtok.surgery.selection import Policy, Selection


def times_made(derived: Derivations, frequency: np.ndarray) -> np.ndarray:
    """How often each token is made in merging, by id. `frequency`: how often it is left in the end."""
    made = frequency.astype(np.float64)
    for number, (left, right) in reversed([*derived.parts.items()]):  # longer ones first
        made[left] += made[number]
        made[right] += made[number]
    return made


def least_made(
    bpe: ByteLevelBPE,
    derived: Derivations,
    scripts: Mapping[int, Scripts],
    frequency: np.ndarray,
    policy: Policy,
) -> Selection:
    """Candidates of the scripts to delete, those that are made least often first; no reset.

    `frequency`: by id, as token_frequencies of the keep corpora gives it. Of equal ones the longer token goes
    first, then the larger id.

    least_made(bpe, derived, scripts, frequency, Policy(("Latin",), delete=("Latin",))).optional[0]
    """
    made = times_made(derived, frequency)
    delete, keep = set(policy.delete), set(policy.keep)
    free = [
        number
        for number, found in scripts.items()
        if number not in bpe.protected and found & delete and not found & keep
    ]
    return Selection([], sorted(free, key=lambda number: (made[number], -len(bpe.tokens[number]), -number)))
