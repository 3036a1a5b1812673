"""Ranked merging by its definition, on the bytes of pieces and not on ids: slow, and none of our code."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

_PRINTED = [byte for byte in range(256) if 0x21 <= byte < 0x7F or 0xA1 <= byte < 0xAD or byte >= 0xAE]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTED]
GPT2 = "".join(chr(byte) if byte in _PRINTED else chr(0x100 + _OTHERS.index(byte)) for byte in range(256))
"GPT-2's symbol of each byte."


def symbols(token: bytes) -> str:
    """Bytes as tokenizer.json writes them."""
    return "".join(GPT2[byte] for byte in token)


def slow_pieces(merges: Sequence[Sequence[str]], surface: str) -> list[str]:
    """Merge the adjacent pair of lowest rank, of equal ones the leftmost, until none has a merge."""
    ranks = {tuple(pair): rank for rank, pair in enumerate(merges)}
    pieces = list(surface)
    while True:
        found = [(ranks[pair], at) for at, pair in enumerate(pairwise(pieces)) if pair in ranks]
        if not found:
            return pieces
        at = min(found)[1]
        pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]


def slow_unreachable(tokenizer_json: Mapping[str, Any]) -> set[int]:
    """Ids of tokens that merging their own bytes does not give back; added tokens are not asked."""
    model = tokenizer_json["model"]
    added = {token["content"] for token in tokenizer_json["added_tokens"]}
    asked = {surface: number for surface, number in model["vocab"].items() if surface not in added}
    return {number for surface, number in asked.items() if slow_pieces(pairs(model), surface) != [surface]}


def pairs(model: Mapping[str, Any]) -> list[list[str]]:
    """The merges of a model as pairs, whatever way it writes them."""
    return [merge.split(" ") if isinstance(merge, str) else list(merge) for merge in model["merges"]]
