"""Sequential BPE: one multilingual table, from which the tokenizer of any languages can be taken (paper 4.2).

Languages are learned one after the other, each on top of the table of those before (bpe_training has
the algorithm, modular the proof). A language that comes later changes nothing of the earlier ones: no id, no
merge, no set.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from modtok.core.errors import ConfigError, about, require
from modtok.core.io import read_tsv, write_tsv
from modtok.tokenization.alphabet import BYTES, BaseAlphabet, Kind, Spelling
from modtok.tokenization.bpe import model_parts
from modtok.tokenization.bpe_file import read_bpe
from modtok.tokenization.bpe_training import Learned, Settings, learn, ran_out, task
from modtok.tokenization.full_table import FullTable
from modtok.tokenization.hf_format import bpe_json, pretokenization_of
from modtok.tokenization.modular import Modular
from modtok.tokenization.pretokenization import BYTE_TOKENS
from modtok.tokenization.pretokens import split_again
from modtok.tokenization.reachability import unreachable
from modtok.tokenization.seed_table import read_seed, seed_of, write_unreachable
from modtok.tokenization.word_count_files import WordCounts

GROWTH = "growth.tsv"
GROWTH_COLUMNS = (
    "lang",
    "tokens",
    "base",
    "merges",
    "adopted",
    "ancestors",
    "passed_over",
    "full_vocabulary",
)
Growth = dict[str, Any]
"One row of growth.tsv: what a language learned, and the size of the full vocabulary after it."


@dataclass
class SequentialBPE:
    """A table that languages are added to.

    SequentialBPE.empty("bytes", "whitespace").add("fr", counts, Settings(24_000))
    """

    table: FullTable
    frame: Mapping[str, Any]
    "the tokenizer.json around vocabulary and merges"
    modules: dict[str, np.ndarray] = field(default_factory=dict)
    "language -> sorted ids, in the order of learning"
    growth: list[Growth] = field(default_factory=list)
    "rows of GROWTH_COLUMNS, one for each language whose learning is known"
    seed: int = 0
    "ids of the foreign table it began with; 0: none"

    @classmethod
    def empty(cls, alphabet: Kind, pretokenization: str) -> "SequentialBPE":
        """No language yet."""
        return cls(FullTable.empty(alphabet), bpe_json(alphabet, pretokenization, [], []))

    @classmethod
    def seeded(cls, path: Path) -> "SequentialBPE":
        """No language yet, but all tokens of a byte-level BPE tokenizer.json. Errors: those of read_seed."""
        seed = read_seed(path)
        return cls(seed.table, seed.tokenizer_json, seed=seed.table.start.size)

    @classmethod
    def load(cls, directory: Path) -> "SequentialBPE":
        """A finished tokenizer, to add languages to. Errors: no modular tokenizer, or another kind of one."""
        modular = Modular.load(directory)
        require(
            modular.kind == "bpe", f"{directory}: a {modular.kind} tokenizer; only BPE ones can be added to"
        )
        growth = directory / GROWTH
        rows: list[Growth] = list(read_tsv(growth)) if growth.is_file() else []
        # what a seeded tokenizer has learned can be reached, so all of it can be the seed of what comes next
        seeded = modular.seed and seed_of(modular.tokenizer_json, str(directory)).table
        table = seeded or _table(modular, directory)
        return cls(table, modular.tokenizer_json, dict(modular.modules), rows, modular.seed)

    @property
    def pretokenization(self) -> str | None:
        """How counted words must be cut; None where a seed cuts them again."""
        return None if self.seed else pretokenization_of(self.frame)

    def add(self, lang: str, counts: WordCounts, settings: Settings) -> Growth:
        """Learn a language. Errors: one that is there already, no words, an alphabet beyond the budget."""
        require(lang not in self.modules, f"the tokenizer has '{lang}' already", ConfigError)
        if self.seed:
            counts = split_again(counts, self.frame)
        with about(f"language '{lang}'"):
            given = task(self.table, counts, settings)
        del counts  # see `task`
        learned = learn(given)
        if learned.left_over:
            warnings.warn(f"language '{lang}': {ran_out(learned, settings)}", stacklevel=2)
        self.table, self.modules[lang] = learned.table, learned.ids
        self.growth.append(_growth(lang, learned))
        return self.growth[-1]

    def modular(self) -> Modular:
        """The tokenizer with its languages' sets."""
        content = model_parts(self.table.surfaces, self.table.merges)
        return Modular({**self.frame, "model": {**self.frame["model"], **content}}, self.modules, self.seed)

    def write(self, directory: Path) -> Modular:
        """Write growth.tsv, with a seed its unreachable tokens, and the modular tokenizer."""
        write_tsv(directory / GROWTH, GROWTH_COLUMNS, self.growth)
        if self.seed:
            write_unreachable(directory, self.table)
        modular = self.modular()
        modular.write(directory)
        return modular


def _growth(lang: str, learned: Learned) -> Growth:
    spent = (learned.base, learned.merges, learned.adopted, learned.ancestors, learned.passed_over)
    return dict(zip(GROWTH_COLUMNS, (lang, learned.size, *spent, len(learned.table.surfaces)), strict=True))


def _table(modular: Modular, directory: Path) -> FullTable:
    """The table of a modular tokenizer. Error: one whose extension the lemma does not cover (see modular)."""
    file = read_bpe(modular.tokenizer_json)
    kind: Kind = BYTES if file.byte_names is not BYTE_TOKENS else "characters"
    base, merges = BaseAlphabet(kind), file.table
    parts = np.full((2, modular.size), -1, dtype=np.int32)
    parts[:, merges.result] = merges.left, merges.right
    rising = np.all(np.diff(merges.result) > 0) and merges.is_proper() and not file.broken
    ours = rising and tuple(modular.surfaces[: len(base.tokens)]) == base.tokens
    require(bool(ours), f"{directory}: its ids are not in the order of its merges; no language can be added")
    unmade = np.flatnonzero(parts[0, len(base.tokens) :] < 0) + len(base.tokens)
    characters = {modular.surfaces[number]: number for number in unmade.tolist()}
    fit = kind != BYTES and all(len(character) == 1 for character in characters)
    require(
        fit or not characters, f"{directory}: it has tokens that no merge makes; no language can be added"
    )
    lost = unreachable(file)
    require(not lost, f"{directory}: {len(lost)} of its tokens are unreachable; no language can be added")
    spelling = Spelling(kind, {**base.spelling.numbers, **characters})
    return FullTable(FullTable.empty(kind).start, spelling, modular.surfaces, *parts)
