"""The whole operation: rows go, the base of the target script is rebuilt, a donor's tokens come in.

The size of the vocabulary and the ids of all tokens that stay are those of the original. Rows that no
token of the donor needs are given back to the rows that were deleted last.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from modtok.core.errors import require
from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.deletion import Deletion, delete
from modtok.surgery.derivations import Derivations
from modtok.surgery.donor import Donor
from modtok.surgery.insertion import Inserted, Insertion, PairChoice, first_pair
from modtok.surgery.selection import Selection


@dataclass(frozen=True)
class Operation:
    """What was done to a tokenizer."""

    before: ByteLevelBPE
    after: ByteLevelBPE
    derived: Derivations
    "of the tokenizer before"
    reset: frozenset[int]
    "rows of the target script that went first"
    deletion: Deletion
    inserted: Inserted
    base: frozenset[int]
    "ids of the tokens that came with rebuilding the base"
    given_back: int
    "rows that were to be freed, and that no token of the donor needed"

    @property
    def same_ids(self) -> int:
        """Rows that hold the same token as before."""
        return len(self.retained)

    @property
    def retained(self) -> list[int]:
        """Their ids; a freed row may by chance get its old token back."""
        after = self.after.surfaces
        return [number for number, surface in self.before.surfaces.items() if after.get(number) == surface]


def operate(
    bpe: ByteLevelBPE,
    derived: Derivations,
    chosen: Selection,
    donor: Donor,
    slots: int | None,
    choose: PairChoice = first_pair,
) -> Operation:
    """Give `slots` rows of a selection (all that can go for None) to a donor's tokens.

    Errors: those of `delete`; a donor all of whose tokens are there already.

    operate(bpe, derived, select(bpe, scripts, policy), donor, 3000).after
    """
    asked = delete(bpe, derived, chosen, slots)
    deletion, candidates = asked, chosen
    tail: list[bytes] = []
    while True:
        insertion, base = _fill(deletion, donor, tail, choose)
        used = len(deletion.deleted) - insertion.left
        if insertion.left == 0:
            break
        require(used > 0, "the donor: all its tokens are in the vocabulary already; nothing to insert")
        least = len(chosen.reset) + len(asked.closure)
        if used < least and not tail:
            # the target's own old tokens, the first learned first, are better than half a reset
            tail = [bpe.tokens[number] for number in reversed(chosen.reset)]
            used = least
        elif used < least:
            # no row has to go any more, so repair restores more
            candidates = Selection([], [*chosen.reset, *chosen.optional])
            used = min(used, len(delete(bpe, derived, candidates).deleted))
        deletion = delete(bpe, derived, candidates, used)
    given_back = len(asked.deleted) - len(deletion.deleted)
    return Operation(
        bpe,
        insertion.finished(),
        derived,
        frozenset(chosen.reset),
        deletion,
        insertion.done,
        base,
        given_back,
    )


def _fill(
    deletion: Deletion, donor: Donor, tail: Sequence[bytes], choose: PairChoice
) -> tuple[Insertion, frozenset[int]]:
    """Insert the base, the donor's tokens and then the tail; also the ids that came with the base."""
    insertion = Insertion(deletion.bpe, deletion.deleted, choose)
    insertion.insert(text.encode() for text in donor.characters)
    base = frozenset(insertion.done.tokens)
    insertion.insert(text.encode() for text in donor.tokens)
    insertion.insert(tail)
    return insertion, base
