"""Rows of the long metrics table that are about trained models."""

from dataclasses import dataclass

from modtok.core.metrics import Metric
from modtok.core.model_names import ModelName
from modtok.core.tokenizer_names import subtokenizer
from modtok.evaluation.bootstrap import Series, interval
from modtok.evaluation.inference_tokenizers import Langs


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


def model_metric(name: ModelName, tokens: int, dataset: str, unit: str, of: Measured) -> ModelMetric:
    """A row of the table; `tokens`: of the model's training."""
    low, high = interval(of.series)
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
        training_tokens=tokens,
        inference=of.inference,
    )
