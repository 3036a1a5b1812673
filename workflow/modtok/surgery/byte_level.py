"""A byte-level BPE tokenizer as surgery holds it: tokens and merges by id, all else left as the file has it.

Such files come as GPT-OSS, Qwen 3 and Llama 3 ship them: merges as "a b" or as pairs, several merges with
one result, in any order of ids, added tokens inside the vocabulary or behind it. Only vocabulary and merges
are ever rewritten.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from modtok.tokenization.alphabet import spelled_bytes, surface_of
from modtok.tokenization.bpe_file import read_byte_level_bpe
from modtok.tokenization.loading import read_tokenizer_json, tokenizer_file
from modtok.tokenization.merge_table import MergeTable


@dataclass(frozen=True)
class ByteLevelBPE:
    """A byte-level BPE tokenizer. Example: read_byte_level(Path("qwen3.json")).tokens[0] -> b"!"."""

    surfaces: Mapping[int, str]
    "id -> surface in GPT-2's symbols, by ascending id: the model's own tokens, no added ones behind them"
    table: MergeTable
    "the merges by rank; several may have one result, and a part may be made later"
    frame: Mapping[str, Any]
    "the tokenizer.json as it was read; all but its vocabulary and merges is written back untouched"

    @cached_property
    def tokens(self) -> dict[int, bytes]:
        """Id -> the token's bytes, for all tokens that GPT-2's symbols spell."""
        spelled = ((number, spelled_bytes(surface)) for number, surface in self.surfaces.items())
        return {number: token for number, token in spelled if token is not None}

    @cached_property
    def ids(self) -> dict[bytes, int]:
        """The id of each token's bytes."""
        return {token: number for number, token in self.tokens.items()}

    @cached_property
    def base(self) -> tuple[int, ...]:
        """The ids of the 256 bytes."""
        return tuple(self.ids[bytes([byte])] for byte in range(256))

    @cached_property
    def protected(self) -> frozenset[int]:
        """Ids that are never given away: bytes, added and unknown tokens, what is not spelled in bytes."""
        added = self.frame.get("added_tokens") or ()
        named = {token["content"] for token in added} | {self.frame["model"].get("unk_token")}
        outside = {number for number, surface in self.surfaces.items() if surface in named}
        numbers = outside.union(self.base, (token["id"] for token in added))
        return frozenset(self.surfaces.keys() & numbers | self.surfaces.keys() - self.tokens.keys())

    def units(self, token: bytes) -> list[int]:
        """The base ids that spell bytes."""
        return [self.base[byte] for byte in token]

    def edited(self, surfaces: Mapping[int, str], table: MergeTable) -> "ByteLevelBPE":
        """The tokenizer with another vocabulary and other merges."""
        return replace(self, surfaces=dict(sorted(surfaces.items())), table=table)

    def without(self, ids: Iterable[int]) -> "ByteLevelBPE":
        """Without some tokens; a merge stays iff left, right and result stay (three-component check)."""
        gone = set(ids)
        kept = {number: surface for number, surface in self.surfaces.items() if number not in gone}
        return self.edited(kept, self.table.restricted(kept))

    def with_tokens(
        self, tokens: Mapping[int, bytes], merges: Iterable[tuple[int, int, int]]
    ) -> "ByteLevelBPE":
        """With more tokens (id -> bytes), and merges (left, right, result) behind all others."""
        written = {number: surface_of(token) for number, token in tokens.items()}
        more = MergeTable.of(merges)
        pairs = zip(
            (self.table.left, self.table.right, self.table.result),
            (more.left, more.right, more.result),
            strict=True,
        )
        table = MergeTable(*(np.concatenate(parts) for parts in pairs))
        return self.edited({**self.surfaces, **written}, table)

    def tokenizer_json(self) -> dict[str, Any]:
        """The content of tokenizer.json: vocabulary by id, merges in the form that the file had."""
        model = self.frame["model"]
        surface = self.surfaces.__getitem__
        parts = zip(
            map(surface, self.table.left.tolist()), map(surface, self.table.right.tolist()), strict=True
        )
        as_text = all(isinstance(merge, str) for merge in model["merges"][:1])
        merges = [" ".join(pair) for pair in parts] if as_text else [list(pair) for pair in parts]
        vocabulary = {written: number for number, written in self.surfaces.items()}
        return {**self.frame, "model": {**model, "vocab": vocabulary, "merges": merges}}


def read_byte_level(path: Path) -> ByteLevelBPE:
    """Read a tokenizer.json(.gz), or the one in a folder.

    Errors, one line each: no JSON object, and those of read_byte_level_bpe.
    """
    file = tokenizer_file(path)
    return byte_level(read_tokenizer_json(file), str(file))


def byte_level(tokenizer_json: Mapping[str, Any], name: str) -> ByteLevelBPE:
    """Hold the content of a tokenizer.json; `name` stands for its file in errors (read_byte_level's)."""
    file = read_byte_level_bpe(tokenizer_json, name)
    surfaces = {number: surface for surface, number in file.vocabulary.items()}
    return ByteLevelBPE(dict(sorted(surfaces.items())), file.table, tokenizer_json)
