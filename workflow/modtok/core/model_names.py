"""Names of a run's models: `{tokenizer}+{regime}`, for repetitions with other seeds `+seed2`, `+seed3` …"""

from collections.abc import Iterable
from dataclasses import dataclass

from modtok.core.errors import ConfigError, require

BASELINE = "baseline"


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
