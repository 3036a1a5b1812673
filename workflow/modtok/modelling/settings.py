"""The settings of a training: section `pretraining` of the config, where each is explained."""

import math
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any

from modtok.core.errors import ConfigError, require
from modtok.core.model_shapes import ModelShape, find_shape

LAZY, DENSE = "lazy", "dense"


@dataclass(frozen=True)
class Settings:
    """How a model is trained; fields are named as in config.yaml."""

    model: str
    "a row of models.tsv, or a shape written out: d=128,layers=4,heads=4,context=256"
    tied: bool
    tokens: int
    "tokens of all steps together; the last step is a whole one"
    batch: int
    "sequences of a step"
    accumulation: int
    "parts that the sequences of a step go through the model in"
    learning_rate: float
    "the highest"
    warmup: float
    "share of the steps in which the learning rate rises from 0"
    final: float
    "share of the highest learning rate that a cosine falls to"
    beta1: float
    beta2: float
    epsilon: float
    weight_decay: float
    clip: float
    "norm that longer gradients are cut down to"
    rows: str
    "lazy or dense AdamW for rows of the vocabulary that are not active"
    max_logits: int
    "logits that stand at once"
    compile: bool
    "whether torch compiles the model"
    offload: int | None = None
    "steps that updates of rows come late, which lie in the CPU's memory; None: they lie with the model"
    sampling: Mapping[str, float] | None = None
    "`temperature` of Unigram's and `dropout` of BPE's cuts of text by chance; None: they are canonical"

    def to_json(self) -> dict[str, Any]:
        """What `settings_of` takes, without what is None."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def shape(self) -> ModelShape:
        """The shape of the model. Error: no such model."""
        return find_shape(self.model)[1]

    @property
    def tokens_per_step(self) -> int:
        return self.batch * self.shape.context

    @property
    def steps(self) -> int:
        """Number of steps. Settings with 1000 tokens, 2 sequences of 100 -> 5"""
        return math.ceil(self.tokens / self.tokens_per_step)

    def learning_rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 0: linear warm-up, then half a cosine."""
        warm = round(self.warmup * self.steps)
        if step < warm:
            return self.learning_rate * (step + 1) / warm
        done = (step - warm) / max(1, self.steps - warm)
        return self.learning_rate * (self.final + (1 - self.final) * (1 + math.cos(math.pi * done)) / 2)


def settings_of(given: Mapping[str, Any]) -> Settings:
    """Settings from a mapping; what may be None may be left out.

    Errors: a key too many or too few, values that fit no model.
    """
    needed = {field.name for field in fields(Settings) if field.default is MISSING}
    said = {name for name, value in given.items() if value is not None}
    wrong = sorted((needed - said) | (said - {field.name for field in fields(Settings)}))
    require(not wrong, f"pretraining: {', '.join(wrong)} is missing or unknown; see config.yaml", ConfigError)
    settings = Settings(**given)
    shape = settings.shape
    parts = f"pretraining: a batch of {settings.batch} is not divided by accumulation {settings.accumulation}"
    require(settings.batch % settings.accumulation == 0, f"{parts}; change one", ConfigError)
    odd = f"pretraining: heads of {settings.model} are {shape.head_width} wide; rotary angles need pairs"
    require(shape.head_width % 2 == 0, odd, ConfigError)
    require(
        settings.rows in (LAZY, DENSE),
        f"pretraining: rows is {settings.rows}, not lazy or dense",
        ConfigError,
    )
    return settings
