"""Names of a run's models: `{tokenizer}+{regime}`, for repetitions with other seeds `+seed2`, `+seed3` …

Regimes: baseline, mono-only, samp-full, samp-sub{n}, late{p}-full, late{p}-sub{n} (modelling/regimes.py).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from modtok.core.errors import ConfigError, require

BASELINE, MONO_ONLY = "baseline", "mono-only"
_SAMPLING = re.compile(r"(?:samp|late(?P<percent>[0-9]{1,3}))-(?P<sampled>full|sub(?P<others>[1-9][0-9]*))")


@dataclass(frozen=True)
class Regime:
    """What a regime's name says: Regime("late60-sub2").start -> 0.6; .sampled -> "sub2". Error: no regime."""

    name: str

    def __post_init__(self) -> None:
        known = "baseline, mono-only, samp-full, samp-sub2, late60-full, late60-sub2 and the like"
        valid = self.name in (BASELINE, MONO_ONLY) or (self._match is not None and self.start <= 1)
        require(valid, f"no regime '{self.name}'; there are {known}", ConfigError)

    @cached_property
    def _match(self) -> re.Match[str] | None:
        return _SAMPLING.fullmatch(self.name)

    @property
    def start(self) -> float:
        """Share of the steps before which every step is in the language's own subtokenizer."""
        return int(self._match["percent"] or 0) / 100 if self._match else 0.0

    @property
    def sampled(self) -> str | None:
        """What chance takes beside the language's own subtokenizer: full, sub2 …; None for nothing."""
        return self._match["sampled"] if self._match else None

    @property
    def others(self) -> int | None:
        """Other languages in a union that is sampled; None for the whole tokenizer."""
        return int(self._match["others"]) if self._match and self._match["others"] else None


@dataclass(frozen=True)
class ModelName:
    """A name and its parts: ModelName("sequential-bpe", "samp-sub2", 2) is sequential-bpe+samp-sub2+seed2."""

    tokenizer: str
    regime: str
    repeat: int = 1
    "number of the repetition, from 1"

    def __str__(self) -> str:
        return f"{self.tokenizer}+{self.regime}" + (f"+seed{self.repeat}" if self.repeat > 1 else "")

    @classmethod
    def parse(cls, name: str) -> "ModelName":
        """The parts of a name. Error: a text that is none."""
        tokenizer, plus, rest = name.partition("+")
        regime, _, seed = rest.partition("+")
        number = seed.removeprefix("seed")
        model = cls(tokenizer, regime, int(number) if number.isdecimal() else 1)
        valid = bool(tokenizer and plus and regime) and str(model) == name
        require(valid, f"'{name}' is not TOKENIZER+REGIME or TOKENIZER+REGIME+seedN", ConfigError)
        return model


def model_names(
    tokenizers: Iterable[str], regimes: Iterable[str], baseline_size: int, seeds: int
) -> list[str]:
    """The models of a run: each regime of each modular tokenizer, baseline of the joint one.

    model_names(["merged-unigram"], ["baseline", "mono-only"], 384000, 1)
    -> ["joint-unigram-384000+baseline", "merged-unigram+mono-only"]
    """
    wanted = list(regimes)
    return [
        str(ModelName(_tokenizer(name, regime, baseline_size), regime, repeat))
        for name in tokenizers
        for regime in wanted
        for repeat in range(1, seeds + 1)
    ]


def _tokenizer(name: str, regime: str, baseline_size: int) -> str:
    return f"joint-{name.rpartition('-')[2]}-{baseline_size}" if regime == BASELINE else name
