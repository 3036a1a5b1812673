"""Concatenated BPE, the baseline of joining finished monolingual tables (paper section 7, A.4.2).

Table 1 is kept whole. Of each later table every merge whose result is not yet a token is appended, in order,
with the characters that are no tokens yet before them. The lower ranks of an earlier table then merge a later
language's words in their own way, and tokens of the later table can no longer be reached. They are counted by
the same check that `modtok audit` makes.

It is written as a modular tokenizer, so that `extract` and `encode` can show what comes of it: the set of a
language are the tokens of its table. Unlike sequential BPE's, these sets are not closed under ancestors, so
their tokens need not be reachable. Where metrics speak of `concatenated-bpe+fr+fi`, the tables of just these
languages were concatenated, in this order; of one language it is the monolingual tokenizer itself.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from modtok.core.errors import ConfigError, require
from modtok.core.io import write_tsv
from modtok.tokenization.bpe_file import byte_alphabet, read_bpe
from modtok.tokenization.hf_format import pretokenization_of
from modtok.tokenization.modular import Modular
from modtok.tokenization.reachability import unreachable

UNREACHABLE = "unreachable.tsv"
COLUMNS = ("lang", "tokens", "unreachable")
TokenizerJson = Mapping[str, Any]


def concatenate(tables: Mapping[str, TokenizerJson]) -> Modular:
    """Concatenate monolingual BPE tokenizers (language -> content of its tokenizer.json), in their order.

    Errors: no table, tables of different alphabets or pre-tokenizations.

    concatenate({"fr": fr, "fi": fi}).size
    """
    require(len(tables) > 0, "no tables to concatenate", ConfigError)
    first = next(iter(tables.values()))
    for lang, table in tables.items():
        alike = _shape(table) == _shape(first)
        require(alike, f"'{lang}': another alphabet or pre-tokenization than the first table's", ConfigError)
    numbers: dict[str, int] = {}
    merges: list[Sequence[str]] = []
    for table in tables.values():
        _append(table["model"], numbers, merges)
    modules = {lang: _ids(table, numbers) for lang, table in tables.items()}
    return Modular({**first, "model": {**first["model"], "vocab": numbers, "merges": merges}}, modules)


def _shape(table: TokenizerJson) -> tuple[tuple[str, ...], str]:
    return byte_alphabet(table), pretokenization_of(table)


def _append(model: TokenizerJson, numbers: dict[str, int], merges: list[Sequence[str]]) -> None:
    """Append a table's new base tokens and its merges of new results."""
    results = {left + right for left, right in model["merges"]}
    for surface in sorted(model["vocab"], key=model["vocab"].__getitem__):
        if surface not in results:
            numbers.setdefault(surface, len(numbers))
    for left, right in model["merges"]:
        if left + right not in numbers:
            numbers[left + right] = len(numbers)
            merges.append([left, right])


def _ids(table: TokenizerJson, numbers: Mapping[str, int]) -> np.ndarray:
    ids = np.fromiter(map(numbers.__getitem__, table["model"]["vocab"]), np.int64)
    return np.sort(ids)


def unreachable_by_language(full: Modular) -> dict[str, int]:
    """How many tokens of each language's set the full table cannot reach. Takes a minute for 21 languages."""
    numbers = full.tokenizer_json["model"]["vocab"]
    lost = np.array([numbers[surface] for surface in unreachable(read_bpe(full.tokenizer_json))], np.int64)
    return {lang: int(np.isin(ids, lost).sum()) for lang, ids in full.modules.items()}


def write_concatenated(directory: Path, full: Modular) -> dict[str, int]:
    """Write unreachable.tsv (lang, tokens, unreachable) and the tokenizer; return the numbers unreachable."""
    lost = unreachable_by_language(full)
    rows = [
        dict(zip(COLUMNS, (lang, len(ids), lost[lang]), strict=True)) for lang, ids in full.modules.items()
    ]
    write_tsv(directory / UNREACHABLE, COLUMNS, rows)
    full.write(directory)
    return lost
