"""Modular tokenizers: one full tokenizer T, and for each language the set of its token ids.

A subtokenizer is a set of ids. For BPE its merges are those of T whose three parts are in the set, in the
order of T; for Unigram it is the pieces with their scores. So extraction is choosing a set, and the
subtokenizer of several languages is the union of their sets.

Why this is sound for sequential BPE (paper section 4.2; sequential_bpe trains it). Call T good when it is
proper (the parts of a merge come before it), each token has one merge, and each token is reachable: ranked
merging of its base units ends in that one token.

Lemma 1. If x, y stand side by side in a word that a good T has segmented, no token of T spells xy.
    No merge of that run crosses the borders of x and y, and those inside come in the order of their ranks: so
    the run on the string xy alone makes the same merges and ends in x, y. A token that spells xy would be
    reachable, and the run would end in it.
Lemma 2. T stays good when such a merge (x, y) -> z is appended.
    z is a new token, and part of no other merge. The new merge has the last rank, so T runs as before and
    then replaces what x, y are left. Old tokens, runs that end in one token, end as before; z ends in x, y
    by Lemma 1, then in z. A new base character stands in no token and changes no run.
Theorem. In a set closed under ancestors (the tokens in a token's own derivation) every token is reachable
    with the set's own merges.
    The run of T on a token's units ends in this token, so each merge in it makes an ancestor and is in the
    set. At each step T takes the lowest rank of all its merges that apply; that merge is in the set, so it is
    the lowest of the set's merges, too. Unions of closed sets are closed.

Over a foreign table (seed_table) that is neither proper nor has one merge for each token, the same holds of
what can be reached. By the first two sentences of Lemma 1, where a token is made in any run, the run on its
own units makes it, by the same merges: so what stands in words is reachable, and has one derivation, whatever
merges the table lists; ancestors are the tokens of that one. Lemma 1 then says that no reachable token spells
xy; a token that cannot be reached may, so merges that spell one are not made, and the z of Lemma 2 is new. Of
the theorem's proof nothing changes.

On disk: tokenizer.json of T, and modules.json `{"kind": "bpe" | "unigram", "order": [languages as trained],
"languages": {language: [sorted ids, special tokens and byte tokens included]}}`; `"seed"` says how many ids
are those of a foreign table. An extracted folder has dense ids, the position in the sorted set, and
full_ids.npy (int64), the id in T of each dense id.
"""

import gc
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from modtok.core.errors import ConfigError, DataError, require
from modtok.core.io import atomic, write_text
from modtok.tokenization.hf_format import pretokenization_of, write_tokenizer
from modtok.tokenization.pretokenization import SPECIAL_TOKENS

KINDS = {"BPE": "bpe", "Unigram": "unigram"}
MODULES = "modules.json"


@dataclass(frozen=True)
class Subtokenizer:
    """A tokenizer taken out of a full one."""

    tokenizer_json: dict[str, Any]
    "what hf_format.write_tokenizer writes; ids are positions in full_ids"
    full_ids: np.ndarray
    "(tokens,) int64, sorted: id in the full tokenizer of each dense id"


@dataclass(frozen=True)
class Modular:
    """A full tokenizer and its languages. Example: Modular.load(Path("sequential-bpe")).ids(["fr", "en"])."""

    tokenizer_json: Mapping[str, Any]
    "the full tokenizer, as tokenizer.json holds it"
    modules: Mapping[str, np.ndarray]
    "language -> sorted int64 ids, special and base tokens included; languages in the order of training"
    seed: int = 0
    "ids below it are those of the foreign table that the tokenizer began with (seed_table); 0: none"

    @classmethod
    def load(cls, directory: Path) -> "Modular":
        """Read a folder that `write` wrote. Error: a folder that is no modular tokenizer, with the reason."""
        tokenizer_json, modules = (_read(directory / name) for name in ("tokenizer.json", MODULES))
        try:
            kind = KINDS[tokenizer_json["model"]["type"]]
            require(
                modules["kind"] == kind,
                f"{directory}: {MODULES} is of the kind {modules['kind']}, not {kind}",
            )
            sets = {lang: np.array(modules["languages"][lang], np.int64) for lang in modules["order"]}
            modular = cls(tokenizer_json, sets, int(modules.get("seed", 0)))
            modular._check(directory)
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            message = f"{directory}: not a modular tokenizer ({type(error).__name__}: {error})"
            raise DataError(f"{message}; make one with modtok train sequential-bpe") from error
        return modular

    def _check(self, directory: Path) -> None:
        require(len(self.modules) > 0, f"{directory}: {MODULES} names no language")
        if self.kind == "bpe":
            numbers = sorted(self.tokenizer_json["model"]["vocab"].values())
            require(numbers == list(range(len(numbers))), f"{directory}: the ids of tokenizer.json have gaps")
        require(0 <= self.seed <= self.size, f"{directory}: {MODULES}, 'seed': not in 0 to {self.size}")
        for lang, ids in self.modules.items():
            where = f"{directory}: {MODULES}, '{lang}'"
            require(ids.ndim == 1 and ids.size > 0, f"{where}: not a list of ids")
            require(bool(np.all(np.diff(ids) > 0)), f"{where}: ids are not sorted, or one comes twice")
            require(ids[0] >= 0 and ids[-1] < self.size, f"{where}: an id is not in 0 to {self.size - 1}")
            missing = sorted(set(self._specials).difference(ids.tolist()))
            listed = ", ".join(map(str, missing[:5]))
            require(not missing, f"{where}: the special tokens with the ids {listed} are missing")

    @property
    def _specials(self) -> list[int]:
        """Ids of the special tokens, which every language has: ours, or all that a seed has added."""
        if not self.seed:
            return list(range(len(SPECIAL_TOKENS)))
        return [token["id"] for token in self.tokenizer_json["added_tokens"]]

    @property
    def kind(self) -> str:
        """`bpe` or `unigram`."""
        return KINDS[self.tokenizer_json["model"]["type"]]

    @property
    def pretokenization(self) -> str:
        """`whitespace` or `gpt2`."""
        return pretokenization_of(self.tokenizer_json)

    @property
    def size(self) -> int:
        """Number of tokens of the full tokenizer, special ones included."""
        return len(self.surfaces)

    @cached_property
    def surfaces(self) -> list[str]:
        """Surfaces by id."""
        vocabulary = self.tokenizer_json["model"]["vocab"]
        if self.kind == "unigram":
            return [piece for piece, _ in vocabulary]
        return sorted(vocabulary, key=vocabulary.__getitem__)

    def ids(self, langs: Sequence[str]) -> np.ndarray:
        """The ids of the subtokenizer of some languages: sorted int64. Error: languages that it has not."""
        unknown = [lang for lang in langs if lang not in self.modules]
        has = f"the tokenizer has {', '.join(self.modules)}"
        listed = ", ".join(lang or "''" for lang in unknown)
        require(not unknown, f"no such language: {listed}; {has}", ConfigError)
        require(len(langs) > 0, f"no language to extract; {has}", ConfigError)
        among = np.zeros(self.size, dtype=bool)  # np.union1d and its kind import numpy's masked arrays
        among[np.concatenate([self.modules[lang] for lang in langs])] = True
        return np.flatnonzero(among)

    def extract(self, langs: Sequence[str]) -> Subtokenizer:
        """The subtokenizer of some languages. Errors: those of `ids`."""
        ids = self.ids(langs)
        model = self.tokenizer_json["model"]
        if self.kind == "unigram":
            pieces = [model["vocab"][number] for number in ids.tolist()]
            return Subtokenizer({**self.tokenizer_json, "model": {**model, "vocab": pieces}}, ids)
        surfaces = [self.surfaces[number] for number in ids.tolist()]
        vocabulary = {surface: number for number, surface in enumerate(surfaces)}
        part = {"vocab": vocabulary, "merges": _induced(model["merges"], vocabulary)}
        added = [
            {**token, "id": vocabulary[token["content"]]} for token in self.tokenizer_json["added_tokens"]
        ]
        content = {**self.tokenizer_json, "added_tokens": added, "model": {**model, **part}}
        return Subtokenizer(content, ids)

    def write_subtokenizer(self, directory: Path, langs: Sequence[str]) -> Subtokenizer:
        """Extract and write full_ids.npy, for Unigram tokenizer.model, and, last, tokenizer.json."""
        extracted = self.extract(langs)
        with atomic(directory / "full_ids.npy") as partial, partial.open("wb") as file:
            np.save(file, extracted.full_ids)
        if self.kind == "unigram":
            # SentencePiece is of no use to BPE
            from modtok.tokenization.unigram_format import unigram_of, write_unigram

            write_unigram(directory, unigram_of(extracted.tokenizer_json), self.pretokenization)
        else:
            write_tokenizer(directory, extracted.tokenizer_json)
        return extracted

    def write(self, directory: Path) -> None:
        """Write modules.json, and last tokenizer.json: it makes the folder whole."""
        lines = [f"{json.dumps(lang)}: {json.dumps(ids.tolist())}" for lang, ids in self.modules.items()]
        head = f'{{\n"kind": {json.dumps(self.kind)},\n"order": {json.dumps(list(self.modules))},\n'
        head += f'"seed": {self.seed},\n' if self.seed else ""
        write_text(directory / MODULES, head + '"languages": {\n' + ",\n".join(lines) + "\n}\n}\n")
        write_tokenizer(directory, self.tokenizer_json)


def _induced(merges: Sequence[Sequence[str]], vocabulary: Mapping[str, int]) -> list[Sequence[str]]:
    """The merges whose three parts are in the vocabulary."""
    return [
        pair
        for pair in merges
        if pair[0] in vocabulary and pair[1] in vocabulary and pair[0] + pair[1] in vocabulary
    ]


def _read(file: Path) -> Any:
    """A JSON file of a modular tokenizer."""
    remedy = "a modular tokenizer is a folder with tokenizer.json and modules.json"
    require(file.is_file(), f"{file.parent}: not a modular tokenizer, it has no {file.name}; {remedy}")
    collects = gc.isenabled()
    gc.disable()  # a third of the time would go into looking for cycles among the tokens
    try:
        return json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file}: not JSON ({error}); {remedy}") from error
    finally:
        if collects:
            gc.enable()
