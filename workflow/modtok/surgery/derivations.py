"""What each token is made of: the last merge of ranked merging of its own bytes, with no pre-tokenizer.

In ranked merging no merge ever crosses the border between two pieces that stand in the end, or before the
last merge. So either part of a token's last merge is derived as it would be alone, and the last merges of
all tokens hold all their derivations. A merge that a derivation does not use can be taken away without
changing it: another token is broken by a deletion only if one of its ancestors is deleted.
"""

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass

from modtok.surgery.byte_level import ByteLevelBPE
from modtok.tokenization.bpe_state import room_for_tokens
from modtok.tokenization.merge_table import MergeTable
from modtok.tokenization.ranked_encoder import RankedEncoder
from modtok.tokenization.reachability import segment_tokens


@dataclass(frozen=True)
class Derivations:
    """The derivations of all reachable tokens."""

    parts: Mapping[int, tuple[int, int]]
    "left and right part of each reachable token that is no byte, by rising length, so parts come first"
    unreachable: Set[int]
    "tokens that ranked merging does not give back; protected ones are not asked"
    protected: Set[int]
    "they may be made of others, and others of them; deletion takes none and need not keep them reachable"

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
        """The tokens outside `deleted` that have an ancestor in it, by rising length; no protected ones."""
        touched = set(deleted)
        for number, (left, right) in self.parts.items():
            if left in touched or right in touched:
                touched.add(number)
        left_out = self.protected | set(deleted)
        return [number for number in self.parts if number in touched and number not in left_out]


def derivations(bpe: ByteLevelBPE) -> Derivations:
    """Derive every token. derivations(bpe).parts[bpe.ids[b"th"]] -> (83, 71)."""
    numbers = sorted(bpe.tokens, key=lambda number: (len(bpe.tokens[number]), number))
    state = room_for_tokens(max(bpe.surfaces) + 1)
    state.length[numbers] = [len(bpe.tokens[number]) for number in numbers]
    table = bpe.table.restricted(bpe.tokens)  # other merges never find their parts in bytes
    segment_tokens([bpe.units(bpe.tokens[number]) for number in numbers], state, table)
    last_merges = zip(state.left[numbers].tolist(), state.right[numbers].tolist(), strict=True)
    parts = {number: pair for number, pair in zip(numbers, last_merges, strict=True) if pair[0] >= 0}
    asked = bpe.tokens.keys() - bpe.protected
    return Derivations(parts, asked - parts.keys(), bpe.protected)


def broken(bpe: ByteLevelBPE, table: MergeTable, ids: Iterable[int]) -> list[int]:
    """Those of the tokens that ranked merging by another table does not give back."""
    encoder = RankedEncoder(table)
    return [number for number in ids if encoder.encode(bpe.units(bpe.tokens[number])) != [number]]
