"""What the schema of the method shows: a run's languages, and whose each cell of the table is.

A cell stands for many tokens. Every language has equally many, the budget: the bytes, what it adopts from the
languages before it, and what it appends.
"""

from collections.abc import Collection
from dataclasses import dataclass

from modtok.reporting.run import Run

NAMED = 4
"Languages that are shown by name; those after them are one row."
BYTES = 2
"Cells that every language starts with."
BUDGET = 10
"Cells of a language's set."
OTHERS = ""
"The code of the languages that are not named."
# For each language in order the cells that it adopts.
_ADOPTED = ((), (3, 6), (3, 8, 12), (6, 12, 18), (3, 12, 18))
_LONGEST = 16
"Letters of a name that fit everywhere."


@dataclass(frozen=True)
class Part:
    """A language of the schema, or all that are not named."""

    code: str
    name: str
    own: range
    "the cells that it appends to the table"
    cells: frozenset[int]
    "all cells of its set"


@dataclass(frozen=True)
class Schema:
    """The parts in the order of training; `others` languages are in the last one."""

    parts: tuple[Part, ...]
    others: int

    @property
    def size(self) -> int:
        """Cells of the whole table."""
        return self.parts[-1].own.stop

    @property
    def named(self) -> tuple[Part, ...]:
        """The parts that are one language."""
        return tuple(part for part in self.parts if part.code != OTHERS)

    @property
    def focus(self) -> Part:
        """The language that the examples are of: the second, which has adopted, where there is one."""
        return self.named[:2][-1]

    @property
    def partner(self) -> Part | None:
        """The language that joins it: the last named one, of two the first; a run of one has none."""
        others = [part for part in self.named if part != self.focus]
        return others[-1] if others else None

    @property
    def example(self) -> tuple[Part, ...]:
        """The languages of the subtokenizer that is taken out: two, or one where two are all there is."""
        pair = (self.focus, self.partner) if self.partner and len(self.named) > 2 else (self.focus,)
        return tuple(sorted(pair, key=self.parts.index))

    def owner(self, cell: int) -> Part | None:
        """The one part whose set has a cell, None where several have it."""
        holders = [part for part in self.parts if cell in part.cells]
        return holders[0] if len(holders) == 1 else None


def make_schema(run: Run) -> Schema:
    """The schema of a run: up to four languages by name, in the run's order, and one part for all others."""
    named = list(run.languages.items())[:NAMED]
    others = len(run.languages) - len(named)
    labels = [(code, short_name(name)) for code, name in named]
    labels += [(OTHERS, f"… {others} more")] if others else []
    parts: list[Part] = []
    start = BYTES
    for (code, name), adopted in zip(labels, _ADOPTED, strict=False):
        own = range(start, start + BUDGET - BYTES - len(adopted))
        parts.append(Part(code, name, own, frozenset({*range(BYTES), *adopted, *own})))
        start = own.stop
    return Schema(tuple(parts), others)


def union(parts: Collection[Part]) -> list[int]:
    """The cells of several sets, in the table's order."""
    return sorted(frozenset().union(*(part.cells for part in parts)))


def short_name(name: str) -> str:
    """A name without what is in brackets, cut where it is long.

    short_name("Chinese (Traditional)") -> "Chinese"; short_name("Norwegian Nynorsk") -> "Norwegian Nynor…"
    """
    plain = name.partition(" (")[0]
    return plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1].rstrip() + "…"
