"""Tokens per line of smaller vocabularies: what figures of time against vocabulary size need besides.

A BPE tokenizer of ours with fewer merges is the one that would have been trained with that budget, so one
table gives all sizes below its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from modtok.core.errors import ConfigError, require
from modtok.core.tokenizer_names import subtokenizer
from modtok.evaluation.token_counts import ParallelSets, TokenCounts, count
from modtok.tokenization.loading import from_json, read_tokenizer_json
from modtok.tokenization.modular import Modular
from modtok.tokenization.pretokenization import SPECIAL_TOKENS


def count_cut(
    tables: Mapping[str, Path], sizes: Sequence[int], sets: ParallelSets, langs: Mapping[str, Sequence[str]]
) -> Iterator[TokenCounts]:
    """Counts of tables cut down to each size below their own, named `{name}-{size}`.

    `langs`: the languages that a table is counted on. A size that a base alphabet fills is left out.

    count_cut({"mono-bpe-fi": file}, [8000], sets, {"mono-bpe-fi": ["fi"]})  # mono-bpe-fi-8000
    """
    for name, file in tables.items():
        table = read_tokenizer_json(file)
        for size in sizes:
            smaller = cut(table, size, name)
            if smaller["model"]["merges"] and len(smaller["model"]["vocab"]) < len(table["model"]["vocab"]):
                own = f"{name}-{size}"
                yield count(own, from_json(smaller, own).forgetful(), sets, langs[name])


def cut(tokenizer_json: Mapping[str, Any], budget: int, name: str) -> dict[str, Any]:
    """A BPE tokenizer of ours with the first `budget` of its tokens, the special ones not counted.

    Ids are specials, base alphabet, results of merges in order; the base alphabet stays whole. Error: a table
    in which not every merge makes a token of its own.
    """
    model = tokenizer_json["model"]
    tokens, merges = sorted(model["vocab"], key=model["vocab"].__getitem__), model["merges"]
    base = len(tokens) - len(merges)
    in_order = tokens[base:] == ["".join(pair) for pair in merges]
    require(in_order, f"{name}: not a BPE tokenizer of modtok, its merges are not its tokens", ConfigError)
    kept = max(base, budget + len(SPECIAL_TOKENS))
    vocabulary = {token: number for number, token in enumerate(tokens[:kept])}
    return {**tokenizer_json, "model": {**model, "vocab": vocabulary, "merges": merges[: kept - base]}}


def count_unions(
    name: str, modular: Modular, sets: ParallelSets, langs: Sequence[str]
) -> Iterator[TokenCounts]:
    """Counts of each language under subtokenizers of 2, 4, 8 … languages: its own and those after it.

    Of en, fi, te the union of two is en+fi for en, fi+te for fi, te+en for te.
    """
    order = list(modular.modules)
    number = 2
    while number < len(order):
        for lang in langs:
            first = order.index(lang)
            union = [order[(first + place) % len(order)] for place in range(number)]
            own = subtokenizer(name, union)
            yield count(own, from_json(modular.extract(union).tokenizer_json, own).forgetful(), sets, [lang])
        number *= 2
