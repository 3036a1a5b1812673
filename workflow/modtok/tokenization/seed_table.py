"""A foreign table to learn languages on top of: any byte-level BPE tokenizer.json (Llama 3, Qwen 3 …).

Its tokens keep their ids, its merges their ranks, and it goes on cutting text before merging as it did. Such
a table may list several merges of one token, or parts that are made later; what a token is made of is then
what ranked merging makes it of (see modular). Tokens that cannot be reached stay in the table, but no
language takes them, and no new merge spells them.

Three things are not kept: normalization, since text is given back as it was; a post-processor, since special
tokens come only where the caller asks for them; and `ignore_merges`, since merging alone decides what can be
reached.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from modtok.core.errors import DataError, require
from modtok.core.io import write_tsv
from modtok.tokenization.alphabet import BREAK, BYTE_SYMBOLS, BYTES, Spelling, surface_of
from modtok.tokenization.bpe_file import MALFORMED, REMEDY, BPEFile, read_byte_level_bpe
from modtok.tokenization.bpe_state import room_for_tokens
from modtok.tokenization.full_table import FullTable, Start
from modtok.tokenization.loading import read_tokenizer_json, tokenizer_file
from modtok.tokenization.reachability import segment_tokens

UNREACHABLE = "seed_unreachable.tsv"
TokenizerJson = Mapping[str, Any]
# What a BPE model may ask for that merging bytes has no use for, and what the file has around its model.
_PLAIN_MODEL = {"dropout": None, "unk_token": None, "fuse_unk": False, "ignore_merges": False}
_PLAIN_FRAME = {"normalizer": None, "post_processor": None, "truncation": None, "padding": None}


@dataclass(frozen=True)
class Seed:
    """A foreign table, and the tokenizer.json around it."""

    table: FullTable
    tokenizer_json: TokenizerJson
    "the file with added tokens in the vocabulary, and without what is not kept"


def read_seed(path: Path) -> Seed:
    """Read a tokenizer.json(.gz) or its folder. Errors: no byte-level BPE, broken merges, gaps between ids.

    read_seed(Path("llama3.tokenizer.json.gz")).table.start.size -> 128256
    """
    file = tokenizer_file(path)
    return seed_of(read_tokenizer_json(file), str(file))


def seed_of(tokenizer_json: TokenizerJson, name: str) -> Seed:
    """The seed in the content of a tokenizer.json; errors, those of read_seed, call its file `name`."""
    try:
        file = read_byte_level_bpe(tokenizer_json, name)
        added = {
            str(token["content"]): int(token["id"]) for token in tokenizer_json.get("added_tokens") or ()
        }
    except MALFORMED as error:
        raise DataError(f"{name}: malformed ({type(error).__name__} {error}); {REMEDY}") from error
    numbers = _numbers(file, added, name)
    results = set(file.table.result.tolist())
    both = [surface for surface, number in added.items() if number in results]
    require(not both, f"{name}: the added token {both[:1]} is made by merges, too; {REMEDY}")
    model = {**tokenizer_json["model"], **_PLAIN_MODEL, "vocab": numbers}
    return Seed(_table(file, numbers, added), {**tokenizer_json, **_PLAIN_FRAME, "model": model})


def _numbers(file: BPEFile, added: Mapping[str, int], name: str) -> dict[str, int]:
    """Ids by surface, added tokens included, in the order of ids."""
    numbers = {**added, **file.vocabulary}
    strange = [surface for surface, number in added.items() if numbers[surface] != number]
    require(not strange, f"{name}: the added token {strange[:1]} has another id in the vocabulary; {REMEDY}")
    ordered = sorted(numbers.items(), key=lambda item: item[1])
    dense = [number for _, number in ordered] == list(range(len(ordered)))
    require(dense, f"{name}: its ids are not 0 to {len(ordered) - 1}, each once; {REMEDY}")
    return dict(ordered)


def _table(file: BPEFile, numbers: Mapping[str, int], added: Mapping[str, int]) -> FullTable:
    """The table as languages are learned on top of it."""
    surfaces = list(numbers)
    base = Spelling(BYTES, {symbol: numbers[symbol] for symbol in BYTE_SYMBOLS})
    state = room_for_tokens(len(surfaces))
    own = [number for surface, number in numbers.items() if surface not in added]
    state.length[own] = [len(surfaces[number]) for number in own]
    first = segment_tokens([_units(base, surfaces[number]) for number in own], state, file.table)
    lost = [surfaces[number] for number in np.array(own)[first != own].tolist()]
    every = np.unique([*added.values(), *base.numbers.values()])
    taken = (*(surface_of(text.encode()) for text in added), *lost)
    start = Start(every, len(added), file.table, len(surfaces), taken)
    return FullTable(start, base, surfaces, state.left, state.right)


def _units(base: Spelling, surface: str) -> list[int]:
    """The base ids that spell a surface; none where it holds what is no symbol."""
    ids = base.ids(surface)
    return [] if BREAK in ids else ids


def unreachable_of(table: FullTable) -> list[int]:
    """Ids of the seed's tokens that merging does not make."""
    unmade = np.flatnonzero(table.left[: table.start.size] < 0)
    return np.setdiff1d(unmade, table.start.every).tolist()


def write_unreachable(directory: Path, table: FullTable) -> None:
    """Write seed_unreachable.tsv: id and token, as the seed's file writes it."""
    rows = ({"id": number, "token": table.surfaces[number]} for number in unreachable_of(table))
    write_tsv(directory / UNREACHABLE, ("id", "token"), rows)
