"""Which prompts go through a model together: those that begin alike, and those of about one length.

Prompts are sequences of ids. One that is longer than its room loses whole shots first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CACHED = 1 << 14
"positions whose keys and values stand at once"
SHARED = 32
"positions that prompts must begin with alike to be worth a reading of their own"
SHARING = 4
"prompts that must do so"
Ids = Sequence[int]


@dataclass(frozen=True)
class Fitted:
    """A prompt that leaves room for what is to be predicted."""

    ids: list[int]
    dropped: int
    "shots left out"
    cut: int
    "tokens cut off the front of what no dropping made fit"


@dataclass(frozen=True)
class Group:
    """Sequences that begin alike: their numbers, and how many ids they share."""

    members: list[int]
    shared: int


def fitted(shots: Sequence[Ids], last: Ids, room: int) -> Fitted:
    """A prompt of shots and the item itself in at most `room` ids.

    Whole shots are dropped from the front until it fits; where the item alone does not, its front is cut.

    fitted([[1, 2], [3, 4]], [5, 6], 5) -> Fitted([3, 4, 5, 6], dropped=1, cut=0)
    """
    kept = list(shots)
    while kept and sum(map(len, kept)) + len(last) > room:
        kept.pop(0)
    cut = max(0, len(last) - room)
    ids = [number for shot in kept for number in shot] + list(last)[cut:]
    return Fitted(ids, len(shots) - len(kept), cut)


def groups(sequences: Sequence[Ids]) -> list[Group]:
    """Sequences that begin with SHARED ids alike together, where they are SHARING at least; all others, too.

    groups([[7] * 50 + [n] for n in range(5)] + [[1]]) -> [Group([5], 0), Group([0, 1, 2, 3, 4], 50)]
    """
    order = sorted(range(len(sequences)), key=lambda number: list(sequences[number]))
    alone: list[int] = []
    sharing = []
    for run in _runs(sequences, order):
        if len(run) < SHARING:
            alone += run
        else:
            sharing.append(Group(run, _common(sequences[run[0]], sequences[run[-1]])))
    return [*([Group(alone, 0)] if alone else []), *sharing]


def _runs(sequences: Sequence[Ids], order: Sequence[int]) -> Iterator[list[int]]:
    """Neighbours in the order of their ids that have SHARED ids in common."""
    run: list[int] = []
    for number in order:
        if run and _common(sequences[run[-1]], sequences[number]) < SHARED:
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _common(one: Ids, other: Ids) -> int:
    """How many ids two sequences begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Numbers of rows of about one length together: CACHED positions at most, with `most` new ones each."""
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lambda one: -lengths[one]):
        if batch and (lengths[batch[0]] + most) * (len(batch) + 1) > CACHED:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch
