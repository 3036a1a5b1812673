"""A tokenizer and a model in one GGUF file, which llama.cpp and what is built on it run.

The model is of Llama's type. llama.cpp turns pairs of neighbours by rotary angles where transformers turns
the halves of a head, so rows of the query and key matrices change places; all other numbers are copied.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from modtok.core.errors import ConfigError, DataError, require
from modtok.core.io import atomic
from modtok.core.safetensors_file import BF16, Matrix
from modtok.modelling.architecture import Architecture, architecture_of
from modtok.modelling.export import Checkpoint

if TYPE_CHECKING:
    from gguf import GGUFWriter

ARCHITECTURE = "llama"
TYPES = {"F32": "ALL_F32", "F16": "MOSTLY_F16", BF16: "MOSTLY_BF16"}
"what GGUF calls a file of such numbers"


def write_gguf(out: Path, name: str, fields: Mapping[str, Any], model: Checkpoint | None = None) -> None:
    """Write a tokenizer's fields (gguf_vocabulary.gguf_fields) and a model's weights, if there is one.

    Errors: the package gguf is not installed, a model that modtok has not trained or taken out, one with
    another number of rows than the tokenizer has tokens.

    write_gguf(Path("fr-en.gguf"), "fr-en", gguf_fields(tokenizer_json, "fr-en"), Checkpoint.open(folder))
    """
    gguf = _gguf()
    with atomic(out) as partial:
        writer = gguf.GGUFWriter(partial, ARCHITECTURE)
        writer.add_name(name)
        _add_fields(writer, fields)
        if model is not None:
            _add_model(writer, model, len(fields["tokenizer.ggml.tokens"]))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


def _gguf() -> Any:
    try:
        import gguf
    except ImportError as error:
        raise ConfigError("GGUF files need the package gguf: pip install 'modtok[gguf]'") from error
    return gguf


def _add_fields(writer: "GGUFWriter", fields: Mapping[str, Any]) -> None:
    add: dict[type, Callable[[str, Any], None]] = {
        str: writer.add_string,
        bool: writer.add_bool,
        int: writer.add_uint32,
        list: writer.add_array,
    }
    for key, value in fields.items():
        add[type(value)](key, value)


def _add_model(writer: "GGUFWriter", model: Checkpoint, tokens: int) -> None:
    architecture = architecture_of(model.config, str(model.folder))
    other = (
        f"{model.folder}: {model.rows:,} rows for {tokens:,} tokens; name a folder of modtok extract --model"
    )
    require(model.rows == tokens, other)
    _add_shape(writer, architecture)
    _add_tensors(writer, model, architecture)


def _add_shape(writer: "GGUFWriter", architecture: Architecture) -> None:
    shape = architecture.shape
    writer.add_vocab_size(architecture.vocabulary_size)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_rope_dimension_count(shape.head_width)
    writer.add_rope_freq_base(architecture.rope_theta)
    writer.add_layer_norm_rms_eps(architecture.norm_eps)


def _add_tensors(writer: "GGUFWriter", model: Checkpoint, architecture: Architecture) -> None:
    gguf, shape = _gguf(), architecture.shape
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, shape.layers)
    kinds = {matrix.dtype for _, matrix in model.places.values() if len(matrix.shape) > 1}
    known = (
        f"{model.folder}: weights are {', '.join(sorted(kinds))}; save the model in one of {', '.join(TYPES)}"
    )
    require(len(kinds) == 1 and kinds <= set(TYPES), known, DataError)
    kind = kinds.pop()
    writer.add_file_type(gguf.LlamaFileType[TYPES[kind]])
    heads = {"q_proj": shape.heads, "k_proj": shape.kv_heads}
    for name, (file, matrix) in model.places.items():
        stored = matrix.rows(file).reshape(matrix.shape)
        turned = heads.get(name.split(".")[-2])
        if turned:
            stored = _neighbours(stored, turned)
        _add_tensor(writer, names.get_name(name, (".weight",)), matrix, stored)


def _neighbours(rows: np.ndarray, heads: int) -> np.ndarray:
    """Rows of each head in the order first of one half, first of the other, second of one …

    Of one head with rows a b c d, whose halves are a b and c d: a c b d.
    """
    halves = rows.reshape(heads, 2, len(rows) // heads // 2, -1)
    return halves.swapaxes(1, 2).reshape(rows.shape)


def _add_tensor(writer: "GGUFWriter", name: str, matrix: Matrix, stored: np.ndarray) -> None:
    """Add a tensor in its own numbers; norms in float32, as llama.cpp wants them."""
    if len(matrix.shape) == 1:
        writer.add_tensor(name, matrix.numbers(stored).astype(np.float32))
    elif matrix.dtype == BF16:
        raw = np.ascontiguousarray(stored).view(np.uint8)
        writer.add_tensor(name, raw, raw_dtype=_gguf().GGMLQuantizationType.BF16)
    else:
        writer.add_tensor(name, np.ascontiguousarray(stored))
