"""What a vocabulary costs a model, by exact arithmetic: parameters, memory, KV-cache and forward cost (paper
section 5.2; the exercise on output layers of the second document).

A vocabulary of |V| tokens has |V| x d output parameters, and as many for embeddings that are not tied to
them. A token costs a forward pass and an entry of the KV-cache, so both grow with the tokens of a document.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modtok.core.model_shapes import ModelShape

UNTIED, TIED = "untied", "tied"
BYTES = {"float32": 4, "bfloat16": 2}
"bytes of a number by its type"


@dataclass(frozen=True)
class Vocabulary:
    """A vocabulary to plan for, and the length of a document in its tokens."""

    name: str
    size: int
    "tokens, special ones included"
    tokens: int
    "tokens of the document"


@dataclass(frozen=True)
class Cost:
    """What one vocabulary costs one model; what is saved, and the cost, compare with the first vocabulary."""

    model: str
    vocabulary: str
    size: int
    embeddings: str
    "`untied` or `tied`"
    output_parameters: int
    "size x d"
    output_saved: int
    output_saved_percent: float
    parameters: int
    "all of the model"
    parameters_saved: int
    parameters_saved_percent: float
    weights_bytes: int
    tokens: int
    "of the document"
    kv_cache_bytes: int
    "of the document"
    kv_cache_saved_percent: float
    relative_cost: float
    "forward operations over the document's tokens"


def kv_cache_bytes(shape: ModelShape, tokens: float, number_bytes: int) -> float:
    """Keys and values of all layers for so many tokens.

    kv_cache_bytes(ModelShape(3072, 22, 24, 24, 8192, 4096), 1, 2) -> 270336
    """
    return 2 * shape.layers * shape.kv_heads * shape.head_width * tokens * number_bytes


def forward_operations(shape: ModelShape, size: int, tokens: int) -> int:
    """Multiplications and additions of a forward pass over a document of so many tokens.

    Two for each parameter of a matrix, the output matrix included, and token; attention has two products of d
    for each pair of a token and one not after it. Norms, rotations and softmax are left out, as is usual.
    """
    matrices = 2 * tokens * (shape.matrix_parameters + size * shape.width)
    pairs = tokens * (tokens + 1) // 2
    return matrices + 4 * shape.layers * shape.width * pairs


def costs(
    shapes: Mapping[str, ModelShape], vocabularies: Sequence[Vocabulary], number_bytes: int
) -> list[Cost]:
    """The costs of each vocabulary for each model, embeddings untied and tied.

    costs({"7B": shape}, [Vocabulary("qwen2", 151_643, 4096), Vocabulary("cut", 32_000, 4096)], 2)
    """
    return [
        _cost(name, shape, vocabulary, vocabularies[0], tied, number_bytes)
        for name, shape in shapes.items()
        for vocabulary in vocabularies
        for tied in (False, True)
    ]


def _cost(
    name: str, shape: ModelShape, vocabulary: Vocabulary, first: Vocabulary, tied: bool, number_bytes: int
) -> Cost:
    output, output_before = vocabulary.size * shape.width, first.size * shape.width
    parameters, before = (shape.parameters(one.size, tied=tied) for one in (vocabulary, first))
    cache, cache_before = (kv_cache_bytes(shape, one.tokens, number_bytes) for one in (vocabulary, first))
    operations, operations_before = (
        forward_operations(shape, one.size, one.tokens) for one in (vocabulary, first)
    )
    return Cost(
        model=name,
        vocabulary=vocabulary.name,
        size=vocabulary.size,
        embeddings=TIED if tied else UNTIED,
        output_parameters=output,
        output_saved=output_before - output,
        output_saved_percent=_saved_percent(output, output_before),
        parameters=parameters,
        parameters_saved=before - parameters,
        parameters_saved_percent=_saved_percent(parameters, before),
        weights_bytes=parameters * number_bytes,
        tokens=vocabulary.tokens,
        kv_cache_bytes=int(cache),
        kv_cache_saved_percent=_saved_percent(cache, cache_before),
        relative_cost=operations / operations_before,
    )


def _saved_percent(after: float, before: float) -> float:
    return 100 * (before - after) / before
