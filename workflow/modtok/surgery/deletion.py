"""Deleting exactly so many rows without breaking a token that stays (third document, 3.2).

A merge stays iff its left part, its right part and its result stay. A token that stays may still have lost
its derivation: then the deleted candidates that it is made of are restored and the next candidates go in
their place. Where it is made of rows that had to go, it goes as well. This repeats until nothing is broken
and the number of rows is exact.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from modtok.core.errors import ConfigError, require
from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.derivations import Derivations, broken
from modtok.surgery.selection import Selection


@dataclass(frozen=True)
class Deletion:
    """What went, and what repairing took."""

    bpe: ByteLevelBPE
    "the tokenizer without the deleted rows"
    deleted: list[int]
    "rows that had to go, those of the closure after them, then candidates in their order"
    restored: list[int]
    "candidates that were deleted at first, and stay since a token that stays is made of them"
    closure: list[int]
    "tokens that went since they are made of rows that had to go"
    breaks: list[int]
    "tokens found broken in each round of repair"


@dataclass
class _Choice:
    """The rows that are to go, while repair changes them."""

    must: dict[int, None]
    "rows that have to go, in order"
    optional: Sequence[int]
    restored: dict[int, None] = field(default_factory=dict)

    def rows(self, slots: int) -> list[int]:
        """Rows that have to go, then candidates, together at most `slots` where the first are not more."""
        free = (number for number in self.optional if number not in self.restored and number not in self.must)
        return [*self.must, *(number for _, number in zip(range(slots - len(self.must)), free, strict=False))]

    def repair(self, derived: Derivations, lost: Iterable[int], deleted: set[int]) -> None:
        """Restore what broken tokens are made of; where that cannot be, let them go."""
        for number in lost:
            missing = derived.ancestors(number) & deleted
            if missing & self.must.keys():
                self.must[number] = None
            else:
                self.restored.update(dict.fromkeys(sorted(missing)))


def delete(bpe: ByteLevelBPE, derived: Derivations, chosen: Selection, slots: int | None = None) -> Deletion:
    """Delete `slots` rows of a selection, all that can go for None, and repair.

    Rows of the reset go first; where there are more of them than slots, they are candidates like all others.
    Error: fewer rows than slots can go, or what hangs on the reset takes more.

    delete(bpe, derivations(bpe), select(bpe, scripts, policy), 3000).deleted
    """
    limit = len(bpe.surfaces) if slots is None else slots
    fits = len(chosen.reset) <= limit
    choice = _Choice(
        dict.fromkeys(chosen.reset if fits else ()), [*(() if fits else chosen.reset), *chosen.optional]
    )
    n_must, breaks = len(choice.must), []
    while True:
        deleted = choice.rows(limit)
        left = bpe.without(deleted)
        lost = broken(bpe, left.table, derived.descendants(set(deleted)))
        if not lost:
            break
        breaks.append(len(lost))
        choice.repair(derived, lost, set(deleted))
    _check(len(deleted), slots, len(choice.must))
    return Deletion(left, deleted, list(choice.restored), list(choice.must)[n_must:], breaks)


def _check(rows: int, slots: int | None, must: int) -> None:
    """Error where the number of rows is not the number of slots."""
    if slots is None:
        return
    enough = f"--slots {slots}: only {rows} rows can go; ask for fewer, for `max`, or name more scripts"
    require(rows >= slots, enough, ConfigError)
    hanging = (
        f"--slots {slots}: the target's own rows and what is made of them are {must}; give at least that"
    )
    require(rows <= slots, f"{hanging}, or keep them with --no-reset", ConfigError)
