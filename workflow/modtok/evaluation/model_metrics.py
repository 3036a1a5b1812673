"""Rows of the long metrics table that are about trained models."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modtok.core.metrics import Metric
from modtok.core.model_names import ModelName
from modtok.core.tokenizer_names import subtokenizer
from modtok.evaluation.bootstrap import Series, interval
from modtok.evaluation.inference_names import Langs
from modtok.modelling.architecture import Architecture, architecture_of, read_config


@dataclass(frozen=True)
class Trained:
    """A model as far as its metrics speak of it; its weights are not read."""

    name: ModelName
    architecture: Architecture
    settings: Mapping[str, Any]
    "of its training"

    @classmethod
    def read(cls, folder: Path) -> "Trained":
        """Of the model's folder, named {tokenizer}+{regime}. Errors: another name, a config of another model.

        Trained.read(Path("results/models/sequential-bpe+samp-sub2")).name.regime -> "samp-sub2"
        """
        config = read_config(folder)
        architecture = architecture_of(config, str(folder))
        return cls(ModelName.parse(folder.name), architecture, config["modtok"]["settings"])


@dataclass(frozen=True)
class ModelMetric(Metric):
    """A metric of a trained model; `tokenizer` is what it chooses its tokens from."""

    model: str
    "`{tokenizer}+{regime}`, and `+seed{n}` of repetitions"
    regime: str
    repeat: int
    training_tokens: int
    inference: str


@dataclass(frozen=True)
class Measured:
    """A value of a model by one inference tokenizer, and its resamples."""

    inference: str
    chosen: Langs
    size: int
    "tokens to choose among"
    lang: str
    metric: str
    series: Series
    n: int


def model_metric(trained: Trained, dataset: str, unit: str, of: Measured) -> ModelMetric:
    """A row of the table."""
    low, high = interval(of.series)
    name = trained.name
    return ModelMetric(
        tokenizer=name.tokenizer if of.chosen is None else subtokenizer(name.tokenizer, of.chosen),
        vocabulary_size=of.size,
        lang=of.lang,
        dataset=dataset,
        metric=of.metric,
        value=float(of.series[0]),
        low=low,
        high=high,
        unit=unit,
        n=of.n,
        model=str(name),
        regime=name.regime,
        repeat=name.repeat,
        training_tokens=int(trained.settings["tokens"]),
        inference=of.inference,
    )
