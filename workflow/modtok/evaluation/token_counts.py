"""Tokens per line: one tokenizer on parallel sets, the file from which every compression figure is computed.

The parquet file has the columns dataset, lang, line (int32, from 0), tokens (int64); name and vocabulary
size of the tokenizer stand in its metadata.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from modtok.core import columns
from modtok.core.errors import ConfigError, DataError, require
from modtok.core.io import write_parquet
from modtok.core.parallel import read_parallel
from modtok.core.provenance import digest

ParallelSets = dict[str, dict[str, list[str]]]
"dataset -> lang -> lines"

_FIELDS = [("dataset", pa.string()), ("lang", pa.string()), ("line", pa.int32()), ("tokens", pa.int64())]


class Counter(Protocol):
    """What is asked of a tokenizer here."""

    @property
    def vocabulary_size(self) -> int:
        """Number of tokens, special ones included."""

    def count_batch(self, texts: list[str]) -> NDArray[np.int64]:
        """Tokens of each text, without special tokens."""


@dataclass(frozen=True)
class TokenCounts:
    """Tokens of one tokenizer by line."""

    tokenizer: str
    vocabulary_size: int
    tokens: dict[tuple[str, str], NDArray[np.int64]] = field(default_factory=dict)
    "(dataset, lang) -> tokens of each line"
    foreign: dict[tuple[str, str], NDArray[np.int64]] = field(default_factory=dict)
    "of a modular tokenizer: those of the tokens that are not in the language's own set"


def read_sets(paths: Mapping[str, Path], flores: Mapping[str, str]) -> ParallelSets:
    """The lines of each language in each set that has it; `flores` maps a language to its file's name.

    Errors: a language that no set has, a file without text.

    read_sets({"flores200": Path("flores200")}, {"el": "ell_Grek"})["flores200"]["el"][0]
    """
    sets = {name: _read_set(path, flores) for name, path in paths.items()}
    for lang in flores:
        found = any(lang in texts for texts in sets.values())
        require(found, _absent(lang, flores[lang], paths), ConfigError)
    return sets


def _read_set(path: Path, flores: Mapping[str, str]) -> dict[str, list[str]]:
    lines = read_parallel(path, filter(None, flores.values()))
    texts = {lang: lines[code] for lang, code in flores.items() if code in lines}
    for lang, found in texts.items():
        has_text = any(text and not text.isspace() for text in found)
        require(has_text, f"{path}: the file of '{lang}' ({flores[lang]}) holds no text")
    return texts


def _absent(lang: str, code: str, paths: Mapping[str, Path]) -> str:
    sets = ", ".join(f"{name} ({path})" for name, path in paths.items()) or "evaluation.parallel is empty"
    file = f"{code or '<code>'}.devtest, .test or .dev"
    remedy = f"add a file {file} to one of them" if paths else f"name a folder with a file {file}"
    return (
        f"language '{lang}' ({code or 'no FLORES code in languages.tsv'}) is in no parallel set: {sets}; "
        f"{remedy}, or leave the language out"
    )


def content_digests(sets: ParallelSets) -> dict[str, str]:
    """A digest of the texts of each set, for provenance: a set may be a folder or an archive."""
    return {
        name: digest(*(part for lang, lines in texts.items() for part in (lang, *lines)))
        for name, texts in sets.items()
    }


def count(name: str, tokenizer: Counter, sets: ParallelSets, langs: Sequence[str]) -> TokenCounts:
    """Count the tokens of each line of `langs`, in the order of sets and languages."""
    tokens = {
        (dataset, lang): np.asarray(tokenizer.count_batch(texts[lang]), dtype=np.int64)
        for dataset, texts in sets.items()
        for lang in langs
        if lang in texts
    }
    return TokenCounts(name, tokenizer.vocabulary_size, tokens)


def write_token_counts(path: Path, counts: TokenCounts) -> None:
    """Write a tokenizer's counts as parquet."""
    metadata = {"tokenizer": counts.tokenizer, "vocabulary_size": str(counts.vocabulary_size)}
    schema = pa.schema(_FIELDS, metadata)
    rows = [_table(dataset, lang, tokens, schema) for (dataset, lang), tokens in counts.tokens.items()]
    write_parquet(path, pa.concat_tables(rows) if rows else schema.empty_table())


def _table(dataset: str, lang: str, tokens: NDArray[np.int64], schema: pa.Schema) -> pa.Table:
    lines = len(tokens)
    named = {"dataset": [dataset] * lines, "lang": [lang] * lines}
    return columns.table({**named, "line": range(lines), "tokens": tokens}, schema)


def read_token_counts(path: Path) -> TokenCounts:
    """Read what write_token_counts wrote."""
    try:
        table = pq.read_table(path)
        metadata = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
        name, size = metadata["tokenizer"], int(metadata["vocabulary_size"])
        keys = list(zip(table["dataset"].to_pylist(), table["lang"].to_pylist(), strict=True))
        values = columns.numbers(table["tokens"].combine_chunks())
    except (pa.ArrowInvalid, KeyError) as error:
        raise DataError(
            f"{path}: not a file of token counts ({error}); make it again with count_tokens"
        ) from error
    starts = [row for row, key in enumerate(keys) if row == 0 or key != keys[row - 1]]
    return TokenCounts(
        name,
        size,
        {
            keys[start]: values[start:stop]
            for start, stop in zip(starts, [*starts[1:], len(keys)], strict=True)
        },
    )
