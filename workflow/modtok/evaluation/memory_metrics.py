"""What a run's tokenizers, and the sizes that the paper compares, cost each model, as metrics.

| metric | tokenizer | lang | what | unit |
|---|---|---|---|---|
| width, layers, heads, kv_heads, hidden, context | | all | the shape of the model | number |
| body_parameters | | all | all parameters but the vocabulary's | parameters |
| parameters | a family, or a size: `24000` | all | of a family with its largest member | parameters |
| kv_cache | a tokenizer of the run | code | of a line of the parallel set, on average, in bfloat16 | bytes |
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from modtok.core.metrics import ALL, Metric
from modtok.core.model_shapes import ModelShape
from modtok.evaluation.compression import Families
from modtok.evaluation.memory import BYTES, TIED, UNTIED, kv_cache_bytes

PAPER_SIZES = (256_000, 24_000)
"a conventional vocabulary, and a sub-vocabulary (paper section 5.2)"


@dataclass(frozen=True)
class MemoryMetric(Metric):
    """A metric of a model and a tokenizer."""

    model: str
    "name of models.tsv"
    embeddings: str
    "`untied`, `tied`, or empty where it makes no difference"


def memory_metrics(shapes: Mapping[str, ModelShape], families: Families) -> list[MemoryMetric]:
    """All memory metrics, ordered by model.

    `families` are those of evaluation.compression.by_family: family -> lang -> token counts.
    """
    return [
        metric
        for model, shape in shapes.items()
        for metric in (
            *_shape_metrics(model, shape),
            *_parameters(model, shape, _sizes(families)),
            *_caches(model, shape, families),
        )
    ]


def _sizes(families: Families) -> dict[str, int]:
    sizes = {str(size): size for size in PAPER_SIZES}
    return sizes | {
        name: max(one.vocabulary_size for one in members.values()) for name, members in families.items()
    }


def _shape_metrics(model: str, shape: ModelShape) -> Iterator[MemoryMetric]:
    for name, value in vars(shape).items():
        yield _of_model(model, name, value, "number")
    yield _of_model(model, "body_parameters", shape.body_parameters, "parameters")


def _parameters(model: str, shape: ModelShape, sizes: Mapping[str, int]) -> Iterator[MemoryMetric]:
    for name, size in sizes.items():
        for embeddings in (UNTIED, TIED):
            value = shape.parameters(size, tied=embeddings == TIED)
            yield _of_model(model, "parameters", value, "parameters", name, size, embeddings)


def _caches(model: str, shape: ModelShape, families: Families) -> Iterator[MemoryMetric]:
    for members in families.values():
        for lang, counts in members.items():
            for dataset in [dataset for dataset, of in counts.tokens if of == lang]:
                tokens = counts.tokens[dataset, lang]
                value = kv_cache_bytes(shape, float(tokens.mean()), BYTES["bfloat16"])
                named = (counts.tokenizer, counts.vocabulary_size, lang, dataset, "kv_cache", value)
                yield MemoryMetric(*named, None, None, "bytes", len(tokens), model, "")


def _of_model(
    model: str, metric: str, value: int, unit: str, tokenizer: str = "", size: int = 0, embeddings: str = ""
) -> MemoryMetric:
    """A metric that no text has to do with."""
    return MemoryMetric(tokenizer, size, ALL, "", metric, value, None, None, unit, 0, model, embeddings)
