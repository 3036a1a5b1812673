"""The donor's merges appended as they are, the naive transfer that the third document starts from (3.4).

A donor of characters merges letters; in the target the bytes of a letter, or its first byte and the space
before it, may be merged by an earlier rank. Then the appended merge never finds its parts: the token is a row
that no text can reach. This is counted, and shown on one token.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from modtok.surgery.byte_level import ByteLevelBPE
from modtok.tokenization.ranked_encoder import RankedEncoder

Pair = tuple[bytes, bytes]


def appended(bpe: ByteLevelBPE, slots: Iterable[int], donor: Iterable[Pair]) -> ByteLevelBPE:
    """The tokenizer with the donor's merges behind its own, each new result in a freed row, ascending.

    `donor`: the parts of each merge, by rank; a letter that is no token is merged of its bytes from the left
    before it is used. A merge whose result is a token already is left out. Ends when a row is missing.

    appended(deletion.bpe, deletion.deleted, donor)
    """
    ids, free = dict(bpe.ids), iter(sorted(slots))
    tokens: dict[int, bytes] = {}
    merges: list[tuple[int, int, int]] = []
    for pair in donor:
        for left, right in (*_letters(pair[0], ids), *_letters(pair[1], ids), pair):
            if left + right in ids:
                continue
            slot = next(free, None)
            if slot is None:
                return bpe.with_tokens(tokens, merges)
            ids[left + right], tokens[slot] = slot, left + right
            merges.append((ids[left], ids[right], slot))
    return bpe.with_tokens(tokens, merges)


def _letters(part: bytes, ids: Mapping[bytes, int]) -> list[Pair]:
    """Merges from the left that make a part of its bytes, where it is no token: a letter not seen before."""
    known = part in ids
    return [] if known else [(part[:end], part[end : end + 1]) for end in range(1, len(part))]


@dataclass(frozen=True)
class RankConflict:
    """A token that its own merge cannot make, since another merge comes first."""

    token: bytes
    parts: Pair
    "of the token's own merge"
    rank: int
    "of that merge"
    taken: Pair
    "the first merge that joins what the token's own derivation keeps apart"
    taken_rank: int
    pieces: tuple[bytes, ...]
    "what ranked merging makes of the token's bytes"


def rank_conflict(bpe: ByteLevelBPE, token: bytes) -> RankConflict | None:
    """Why ranked merging does not make a token; None where it does, or where no merge makes it.

    rank_conflict(naive, " прав".encode()).taken -> (b" ", b"\\xd0")
    """
    ranks = {pair: rank for rank, pair in enumerate(_pairs(bpe))}
    own = _own_merges(bpe, token)
    *steps, last = RankedEncoder(bpe.table).steps(bpe.units(token))
    if token not in own or last == [bpe.ids[token]]:
        return None
    for before, after in zip(steps, [*steps[1:], last], strict=True):
        at = next(place for place, number in enumerate(after) if number != before[place])
        pair = (bpe.tokens[before[at]], bpe.tokens[before[at + 1]])
        if pair not in own.values():
            pieces = tuple(bpe.tokens[number] for number in last)
            return RankConflict(token, own[token], ranks[own[token]], pair, ranks[pair], pieces)
    return None


def _pairs(bpe: ByteLevelBPE) -> Iterable[Pair]:
    columns = (bpe.table.left.tolist(), bpe.table.right.tolist())
    return ((bpe.tokens[left], bpe.tokens[right]) for left, right in zip(*columns, strict=True))


def _own_merges(bpe: ByteLevelBPE, token: bytes) -> dict[bytes, Pair]:
    """The merges, each token's first one, that the token would be made by: token -> parts."""
    first: dict[bytes, Pair] = {}
    for left, right in _pairs(bpe):
        first.setdefault(left + right, (left, right))
    found: dict[bytes, Pair] = {}
    todo = [token]
    while todo:
        one = todo.pop()
        if one in first:
            found[one] = first[one]
            todo.extend(first[one])
    return found
