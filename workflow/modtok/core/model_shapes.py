"""Shapes of decoder-only transformers of the Llama type, and their exact number of parameters.

A block has four attention matrices, three of SwiGLU and two RMSNorm weights; a last RMSNorm stands before
the output matrix. No biases. With as many key-value heads as heads and a hidden width of 8/3 d, a block has
12 d² parameters, norms aside (paper section 6.1; config/README.md).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from modtok.core.errors import ConfigError, require
from modtok.core.io import read_tsv

HEAD = 128
"width of a head where nothing else is said"
MULTIPLE = 64
"the hidden width is rounded to it, for the sake of matrix units"
CONTEXT = 4096
"tokens (paper section 6.1)"
_LARGEST = 10**7


@dataclass(frozen=True)
class ModelShape:
    """A model without its vocabulary: ModelShape(3072, 22, 24, 24, 8192, 4096) is the paper's 2.5B."""

    width: int
    "d: size of the hidden state, of an embedding row and of an output row"
    layers: int
    heads: int
    kv_heads: int
    "heads of keys and values; fewer than `heads` is grouped attention"
    hidden: int
    "inner width of SwiGLU"
    context: int
    "longest sequence in tokens"

    @property
    def head_width(self) -> int:
        return self.width // self.heads

    @property
    def matrix_parameters(self) -> int:
        """Parameters of the blocks' matrices, which every token is multiplied with."""
        attention = 2 * self.width * self.head_width * (self.heads + self.kv_heads)
        return self.layers * (attention + 3 * self.width * self.hidden)

    @property
    def body_parameters(self) -> int:
        """All parameters but the vocabulary's: matrices and norms."""
        return self.matrix_parameters + (2 * self.layers + 1) * self.width

    def vocabulary_parameters(self, size: int, *, tied: bool) -> int:
        """Parameters of the embedding and the output matrix, one and the same where they are tied."""
        return size * self.width * (1 if tied else 2)

    def parameters(self, size: int, *, tied: bool) -> int:
        """All parameters with a vocabulary of `size` tokens.

        ModelShape(3072, 22, 24, 24, 8192, 4096).parameters(256_000, tied=False) -> 4064418816
        """
        return self.body_parameters + self.vocabulary_parameters(size, tied=tied)


def check_shape(shape: ModelShape, name: str) -> None:
    """Error: a number that no model can have, or heads that do not divide what they share."""
    for field, value in vars(shape).items():
        require(1 <= value <= _LARGEST, f"{name}: {field} is {value}; give 1 to {_LARGEST:,}", ConfigError)
    for field, whole, by in (("width", shape.width, shape.heads), ("heads", shape.heads, shape.kv_heads)):
        part = "heads" if field == "width" else "kv_heads"
        require(whole % by == 0, f"{name}: {field} {whole} is no multiple of {part} {by}", ConfigError)


def parse_shape(text: str, name: str) -> ModelShape:
    """A shape from `d=3072,layers=22`; what is not named is the paper's, as in config/models.tsv.

    Keys: the columns of models.tsv, `d` for `width`. Errors: an unknown key, no number, no width or layers.

    parse_shape("d=1024,layers=12,kv_heads=2", "--model").hidden -> 2752
    """
    return shape_of(dict(_pairs(text)), name)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for part in text.split(","):
        key, _, value = part.partition("=")
        yield {"d": "width"}.get(key, key), value


def shape_of(given: Mapping[str, str], name: str) -> ModelShape:
    """A shape from numbers as text, by column of models.tsv; `name` stands for it in errors."""
    columns = [field.name for field in fields(ModelShape)]
    strange = [key for key in given if key not in columns]
    known = f"it knows {', '.join(columns)}"
    require(not strange, f"{name}: no '{', '.join(strange)}' in the shape of a model; {known}", ConfigError)
    words = [key for key, value in given.items() if not (value.isascii() and value.isdecimal())]
    require(
        not words, f"{name}: {', '.join(words)} needs a whole number, as in d=3072,layers=22", ConfigError
    )
    numbers = {key: int(value) for key, value in given.items()}
    require(
        {"width", "layers"} <= set(numbers), f"{name}: give d and layers, as in d=3072,layers=22", ConfigError
    )
    shape = ModelShape(**(_defaults(numbers["width"], numbers) | numbers))
    check_shape(shape, name)
    return shape


def _defaults(width: int, given: Mapping[str, int]) -> dict[str, int]:
    heads = given.get("heads", max(1, width // HEAD))
    hidden = max(1, round(8 * width / 3 / MULTIPLE)) * MULTIPLE
    return {"heads": heads, "kv_heads": heads, "hidden": hidden, "context": CONTEXT}


def packaged_shapes() -> dict[str, ModelShape]:
    """The models that modtok knows without a run: config/models.tsv, which is part of the package."""
    rows = read_tsv(Path(__file__).with_name("models.tsv"))
    return {row["name"]: shape_of({k: v for k, v in row.items() if k != "name"}, row["name"]) for row in rows}


def find_shape(text: str) -> tuple[str, ModelShape]:
    """Name and shape of a model of models.tsv, or of one written out. find_shape("2.5B")[1].width -> 3072"""
    if "=" in text:
        return text, parse_shape(text, f"model {text}")
    shapes = packaged_shapes()
    known = f"name one of {', '.join(shapes)}, or write it out: d=3072,layers=22"
    require(text in shapes, f"no model '{text}' in models.tsv; {known}", ConfigError)
    return text, shapes[text]
