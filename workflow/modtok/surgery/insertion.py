"""Guided insertion: tokens put behind a merge table so that ranked merging reaches each of them.

A surface is encoded with the merges there are; while more than one piece is left, two neighbours are joined
by a merge at the end of the table, and the surface is encoded again (third document, 3.4 and 3.5).

Why nothing breaks. A merge at the end is taken only where no other can be, so every token that was reachable
is derived as before. Ranked merging never joins across the border of two pieces that are left in the end,
so the bytes of the two neighbours alone also end in just these two pieces, and the new merge makes them one
token: it is reachable. If a token with the joined bytes existed already, it was unreachable until now; it
is what the merge makes then, and takes no row.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from modtok.surgery.byte_level import ByteLevelBPE
from modtok.tokenization.ranked_encoder import RankedEncoder

PairChoice = Callable[[Sequence[bytes]], int]
"Which of some pieces is to be joined with the next: its index."


def first_pair(pieces: Sequence[bytes]) -> int:
    """The first two (the default)."""
    return 0


@dataclass
class Inserted:
    """What insertion has added."""

    merges: list[tuple[int, int, int]] = field(default_factory=list)
    "(left, right, result) behind all other merges, in their order"
    tokens: dict[int, bytes] = field(default_factory=dict)
    "bytes of the tokens that took a freed row, by id, in the order of their insertion"
    revived: list[int] = field(default_factory=list)
    "tokens that were unreachable, and are what a merge makes now"
    surfaces: list[bytes] = field(default_factory=list)
    "the surfaces asked for that are tokens now and were not before"
    skipped: list[bytes] = field(default_factory=list)
    "surfaces that needed more rows than were left"


class Insertion:
    """Fills freed rows of a tokenizer, ascending.

    insertion = Insertion(deletion.bpe, deletion.deleted)
    insertion.insert(["привіт".encode()])
    insertion.finished()
    """

    def __init__(self, bpe: ByteLevelBPE, slots: Iterable[int], choose: PairChoice = first_pair) -> None:
        self._bpe = bpe
        self._free = sorted(slots, reverse=True)  # the next one is the last
        self._choose = choose
        self._encoder = RankedEncoder(bpe.table)
        self._ids = dict(bpe.ids)
        self._tokens = dict(bpe.tokens)
        self.done = Inserted()

    @property
    def left(self) -> int:
        """Rows that are still free."""
        return len(self._free)

    def insert(self, surfaces: Iterable[bytes]) -> None:
        """Insert surfaces in order until no row is free; one that needs more rows than are left is not."""
        for surface in surfaces:
            if not self._free:
                break
            self._insert(surface)

    def _insert(self, surface: bytes) -> None:
        units = self._bpe.units(surface)
        steps: list[tuple[int, int, int]] = []
        rows: dict[int, bytes] = {}
        while len(pieces := self._encoder.encode(units)) > 1:
            at = self._choose([self._spelled(piece, rows) for piece in pieces])
            joined = self._spelled(pieces[at], rows) + self._spelled(pieces[at + 1], rows)
            known = self._ids.get(joined)
            if known is None and len(rows) == len(self._free):
                self._give_up(surface, steps)
                return
            result = self._free[-1 - len(rows)] if known is None else known
            rows |= {result: joined} if known is None else {}
            steps.append((pieces[at], pieces[at + 1], result))
            self._encoder.append(*steps[-1])
        if steps:
            self._keep(surface, steps, rows)

    def _spelled(self, number: int, rows: Mapping[int, bytes]) -> bytes:
        return rows[number] if number in rows else self._tokens[number]

    def _keep(self, surface: bytes, steps: Sequence[tuple[int, int, int]], rows: Mapping[int, bytes]) -> None:
        del self._free[len(self._free) - len(rows) :]
        self._ids.update({token: number for number, token in rows.items()})
        self._tokens.update(rows)
        self.done.merges.extend(steps)
        self.done.tokens.update(rows)
        self.done.revived.extend(result for _, _, result in steps if result not in rows)
        self.done.surfaces.append(surface)

    def _give_up(self, surface: bytes, steps: Sequence[tuple[int, int, int]]) -> None:
        for _ in steps:
            self._encoder.pop()
        self.done.skipped.append(surface)

    def finished(self) -> ByteLevelBPE:
        """The tokenizer with all that was inserted."""
        return self._bpe.with_tokens(self.done.tokens, self.done.merges)
