"""Tokens per line of what is taken out of a modular tokenizer: many tokenizers, one job, one file.

Subtokenizers are built in memory and encode through Hugging Face's library, as their files would.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from modtok.core.errors import DataError
from modtok.core.io import write_parquet
from modtok.core.tokenizer_names import subtokenizer
from modtok.evaluation.token_counts import ParallelSets, TokenCounts, count
from modtok.tokenization.concatenation import concatenate
from modtok.tokenization.loading import HuggingFaceTokenizer, from_json
from modtok.tokenization.modular import Modular

_SCHEMA = pa.schema(
    [
        ("tokenizer", pa.string()),
        ("vocabulary_size", pa.int64()),
        ("dataset", pa.string()),
        ("lang", pa.string()),
        ("tokens", pa.list_(pa.int64())),
        ("foreign", pa.list_(pa.int64())),
    ]
)


def count_subtokenizers(
    name: str, modular: Modular, sets: ParallelSets, combinations: Iterable[Sequence[str]]
) -> Iterator[TokenCounts]:
    """The tokens of each combination's subtokenizer on the lines of its languages.

    count_subtokenizers("sequential-bpe", modular, sets, [["fr"], ["fr", "en"]])
    """
    for langs in combinations:
        own = subtokenizer(name, langs)
        yield count(own, from_json(modular.extract(langs).tokenizer_json, own).forgetful(), sets, langs)


def count_concatenations(
    name: str,
    tables: Mapping[str, Mapping[str, Any]],
    sets: ParallelSets,
    combinations: Iterable[Sequence[str]],
) -> Iterator[TokenCounts]:
    """The same of each combination's tables concatenated, in the order of the combination's languages."""
    for langs in combinations:
        own = subtokenizer(name, langs)
        full = concatenate({lang: tables[lang] for lang in langs})
        yield count(own, from_json(full.tokenizer_json, own).forgetful(), sets, langs)


def count_full(name: str, modular: Modular, sets: ParallelSets) -> TokenCounts:
    """The tokens of the full tokenizer on all its languages, and how many of them are foreign."""
    full = from_json(modular.tokenizer_json, name)
    counts = TokenCounts(name, full.vocabulary_size)
    for dataset, texts in sets.items():
        for lang in filter(texts.__contains__, modular.modules):
            tokens, foreign = _count_foreign(full, texts[lang], _members(modular, lang))
            counts.tokens[dataset, lang], counts.foreign[dataset, lang] = tokens, foreign
    return counts


def _members(modular: Modular, lang: str) -> np.ndarray:
    """By id of the full tokenizer: whether it is in the language's set."""
    members = np.zeros(modular.size, dtype=bool)
    members[modular.modules[lang]] = True
    return members


def _count_foreign(
    full: HuggingFaceTokenizer, lines: list[str], members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Tokens of each line, and those of them that are no members."""
    encoded = full.encode_batch(lines)
    foreign = [len(ids) - int(members[ids].sum()) for ids in encoded]
    return np.array([len(ids) for ids in encoded], dtype=np.int64), np.array(foreign, dtype=np.int64)


def write_subtokenizer_counts(path: Path, counts: Iterable[TokenCounts]) -> None:
    """Write many tokenizers' counts as parquet: a row per tokenizer, parallel set and language."""
    rows = [
        {
            "tokenizer": one.tokenizer,
            "vocabulary_size": one.vocabulary_size,
            "dataset": dataset,
            "lang": lang,
            "tokens": tokens,
            "foreign": one.foreign.get((dataset, lang)),
        }
        for one in counts
        for (dataset, lang), tokens in sorted(one.tokens.items(), key=lambda item: item[0])
    ]
    write_parquet(path, pa.Table.from_pylist(rows, _SCHEMA))


def read_subtokenizer_counts(path: Path) -> list[TokenCounts]:
    """Read what write_subtokenizer_counts wrote."""
    try:
        rows = pq.read_table(path, schema=_SCHEMA).to_pylist()
    except (pa.ArrowInvalid, KeyError) as error:
        raise DataError(f"{path}: not counts of subtokenizers ({error}); run count_subtokenizers") from error
    found: dict[str, TokenCounts] = {}
    for row in rows:
        one = found.setdefault(row["tokenizer"], TokenCounts(row["tokenizer"], row["vocabulary_size"]))
        one.tokens[row["dataset"], row["lang"]] = np.array(row["tokens"], dtype=np.int64)
        if row["foreign"] is not None:
            one.foreign[row["dataset"], row["lang"]] = np.array(row["foreign"], dtype=np.int64)
    return list(found.values())
