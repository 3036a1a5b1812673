"""results/metrics/latency.tsv as tables and figures ask for it: measured times first, else predicted ones."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from modtok.core.errors import DataError, require
from modtok.core.tokenizer_names import extracted_family, full_name, subtokenizer
from modtok.reporting.run import Run

MEASURED, PREDICTED = "forward_ratio", "forward_ratio_predicted"
SEQUENTIAL = "sequential-bpe"
MONO = "mono-bpe"
_JOINT = re.compile(r"joint-bpe-[0-9]+(-[0-9]+)?")
_MONO = re.compile(r"mono-bpe-[a-z]+(?P<size>-[0-9]+)?")
Named = tuple[str, str]
"tokenizer, language"


@dataclass(frozen=True)
class Ratio:
    """A forward time over that of the language's monolingual tokenizer."""

    value: float
    measured: bool
    "False where it is a prediction alone"


@dataclass(frozen=True)
class Point:
    """Ratios of several languages together."""

    size: float
    "mean tokens of the vocabulary"
    value: float
    "mean of the ratios"
    measured: bool
    "whether all of them are"


class Latency:
    """Ratios by model, tokenizer and language."""

    def __init__(self, item: str, metrics: pd.DataFrame, run: Run) -> None:
        shown = metrics[metrics["dataset"] == run.dataset]
        keys = zip(shown["metric"], shown["model"], shown["tokenizer"], shown["lang"], strict=True)
        self.item, self.run = item, run
        self._values = dict(zip(keys, shown["value"], strict=True))
        self._sizes = dict(zip(shown["tokenizer"], shown["vocabulary_size"], strict=True))
        self.models = list(dict.fromkeys(shown["model"]))
        self.langs = [lang for lang in run.languages if lang in set(shown["lang"])]
        require(
            bool(self.models),
            f"{item}: latency.tsv has nothing on {run.dataset}; run measure_latency",
            DataError,
        )

    def ratio(self, model: str, tokenizer: str, lang: str) -> Ratio:
        """Error: a tokenizer that was neither measured nor predicted."""
        measured = self._values.get((MEASURED, model, tokenizer, lang))
        value = self.predicted(model, tokenizer, lang) if measured is None else measured
        return Ratio(float(value), measured is not None)

    def predicted(self, model: str, tokenizer: str, lang: str) -> float:
        key = (PREDICTED, model, tokenizer, lang)
        if key not in self._values:
            raise DataError(f"{self.item}: latency.tsv has no {' '.join(key)}; run measure_latency again")
        return float(self._values[key])

    def size(self, tokenizer: str) -> int:
        """Tokens of a tokenizer's vocabulary."""
        return int(self._sizes[tokenizer])

    def member(self, family: str, lang: str) -> str:
        """The tokenizer of a family that serves a language. ("mono-bpe", "fr") -> "mono-bpe-fr" """
        name = full_name(family)
        if family == extracted_family(name):
            return subtokenizer(name, [lang])
        return f"{family}-{lang}" if family == MONO else family

    def families(self) -> list[str]:
        """Those of the run whose times are known, monolingual ones left out: their ratio is 1."""
        return [family for family in self.run.families if family != MONO and self._known(family)]

    def _known(self, family: str) -> bool:
        return all(self.member(family, lang) in self._sizes for lang in self.langs)

    def point(self, model: str, members: Iterable[Named]) -> Point:
        """Several tokenizers or languages as one point."""
        every = list(members)
        ratios = [self.ratio(model, tokenizer, lang) for tokenizer, lang in every]
        size = sum(self.size(tokenizer) for tokenizer, _ in every) / len(every)
        value = sum(ratio.value for ratio in ratios) / len(ratios)
        return Point(size, value, all(ratio.measured for ratio in ratios))

    def of_family(self, family: str) -> list[Named]:
        """A family's tokenizers, each with its language."""
        return [(self.member(family, lang), lang) for lang in self.langs]

    def joint(self) -> list[list[Named]]:
        """Joint BPE at each size, on all languages."""
        names = [name for name in self._sizes if _JOINT.fullmatch(name)]
        return [[(name, lang) for lang in self.langs] for name in sorted(names, key=self.size)]

    def monolingual(self) -> list[list[Named]]:
        """Monolingual BPE at each size that all languages have, each on its own language."""
        matches = [match for match in map(_MONO.fullmatch, self._sizes) if match]
        suffixes = dict.fromkeys(match["size"] or "" for match in matches)
        groups = [[(f"{MONO}-{lang}{suffix}", lang) for lang in self.langs] for suffix in suffixes]
        whole = [group for group in groups if all(name in self._sizes for name, _ in group)]
        return sorted(whole, key=lambda group: self.size(group[0][0]))

    def unions(self) -> dict[int, list[Named]]:
        """Subtokenizers of sequential BPE by number of languages; the whole of it has all."""
        found: dict[int, list[Named]] = {}
        for _, model, tokenizer, lang in self._values:
            name, *langs = tokenizer.split("+")
            if name == SEQUENTIAL and model == self.models[0]:
                number = len(langs) or len(self.run.languages)
                found.setdefault(number, []).append((tokenizer, lang))
        return {number: list(dict.fromkeys(found[number])) for number in sorted(found)}


def spread(values: Sequence[float]) -> str:
    """spread([0.99, 1.04, 1.0]) -> "0.99 to 1.04"; one value alone stands as it is."""
    low, high = (f"{value:.2f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
