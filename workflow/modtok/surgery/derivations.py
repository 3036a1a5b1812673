"""What each token is made of: the last merge of ranked merging of its own bytes, with no pre-tokenizer.

In ranked merging no merge ever crosses the border between two pieces that stand in the end, or before the
last merge. So either part of a token's last merge is derived as it would be alone, and the last merges of
all tokens hold all their derivations. A merge that a derivation does not use can be taken away without
changing it: another token is broken by a deletion only if one of its ancestors is deleted.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from modtok.surgery.byte_level import ByteLevelBPE
from modtok.tokenization.merge_table import MergeTable
from modtok.tokenization.ranked_encoder import RankedEncoder


@dataclass(frozen=True)
class Derivations:
    """The derivations of all reachable tokens."""

    parts: Mapping[int, tuple[int, int]]
    "left and right part of each reachable token that is no byte, by rising length, so parts come first"
    unreachable: frozenset[int]
    "tokens that ranked merging does not give back; added tokens among the model's own are not asked"

    def ancestors(self, number: int) -> set[int]:
        """The tokens in a token's derivation, without itself."""
        found: set[int] = set()
        todo = list(self.parts.get(number, ()))
        while todo:
            token = todo.pop()
            if token not in found:
                found.add(token)
                todo.extend(self.parts.get(token, ()))
        return found

    def descendants(self, deleted: Collection[int]) -> list[int]:
        """The tokens outside `deleted` that have an ancestor in it, by rising length."""
        touched = set(deleted)
        for number, (left, right) in self.parts.items():
            if left in touched or right in touched:
                touched.add(number)
        return [number for number in self.parts if number in touched and number not in deleted]


def derivations(bpe: ByteLevelBPE) -> Derivations:
    """Derive every token. derivations(bpe).parts[bpe.ids[b"th"]] -> (83, 71)."""
    encoder = RankedEncoder(bpe.table)
    asked = bpe.tokens.keys() - bpe.protected
    parts: dict[int, tuple[int, int]] = {}
    unreachable = set()
    for number, token in sorted(bpe.tokens.items(), key=lambda item: (len(item[1]), item[0])):
        if number in asked:
            pair = _last_merge(encoder, bpe.units(token), number)
            if pair is None:
                unreachable.add(number)
            else:
                parts[number] = pair
    return Derivations(parts, frozenset(unreachable))


def _last_merge(encoder: RankedEncoder, units: list[int], number: int) -> tuple[int, int] | None:
    """The pair that was merged last, where merging ends in the token itself."""
    before: list[int] = []
    ids: list[int] = []
    for ids in encoder.steps(units):
        before = ids if len(ids) == 2 else before
    return (before[0], before[1]) if ids == [number] and len(before) == 2 else None


def broken(bpe: ByteLevelBPE, table: MergeTable, ids: Iterable[int]) -> list[int]:
    """Those of the tokens that ranked merging by another table does not give back."""
    encoder = RankedEncoder(table)
    return [number for number in ids if encoder.encode(bpe.units(bpe.tokens[number])) != [number]]
