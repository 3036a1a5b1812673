"""A model on disk: config.json and model.safetensors, a folder that transformers loads as LlamaForCausalLM.

results/models/{tokenizer}+{regime}/, `+seed2` … for other seeds. Tensors are float32, by Llama's names:
    model.embed_tokens.weight (V, D)     lm_head.weight (V, D), absent where it is tied to the embedding
    model.layers.{i}.{input_layernorm, post_attention_layernorm}.weight (D,)     model.norm.weight (D,)
    model.layers.{i}.self_attn.{q_proj, k_proj, v_proj, o_proj}.weight
    model.layers.{i}.mlp.{gate_proj, up_proj, down_proj}.weight
Linear weights are (out, in). Row v of embedding and output is the token of id v of the full tokenizer. Key
`modtok` of config.json says what was trained, on what; `tokenizer_digest` there is that of tokenizer.json.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional

from modtok.core.errors import DataError, require
from modtok.core.io import write_json
from modtok.core.safetensors_file import SINGLE, NewTensor
from modtok.core.safetensors_file import write_tensors as write_safetensors
from modtok.modelling.architecture import (
    CONFIG,
    EMBEDDING,
    OUTPUT,
    Architecture,
    architecture_of,
    read_config,
)
from modtok.modelling.transformer import Transformer

_DTYPES = {torch.float32: "F32", torch.float64: "F64", torch.int32: "I32", torch.int64: "I64"}
BODY = "model."
"stands before the names of the body's parameters"


@dataclass(frozen=True)
class Model:
    """A trained model. Ids in and out are those of the full tokenizer, whatever subtokenizer made them."""

    architecture: Architecture
    body: Transformer
    tables: Mapping[str, Tensor]
    "(V, D) by name; the embedding, and the output where it is not tied"
    about: Mapping[str, Any]
    "key `modtok` of config.json: tokenizer, tokenizer_digest, regime, seed, languages, tokens …"

    @property
    def embedding(self) -> Tensor:
        return self.tables[EMBEDDING]

    @property
    def output(self) -> Tensor:
        return self.tables.get(OUTPUT, self.tables[EMBEDDING])

    @torch.no_grad()
    def hidden(self, ids_BL: Tensor) -> Tensor:
        """Hidden states (B, L, D) after each token, from full ids (B, L)."""
        return self.body(functional.embedding(ids_BL, self.embedding))


def write_model(
    folder: Path, architecture: Architecture, tensors: Mapping[str, Tensor], about: Mapping[str, Any]
) -> None:
    """Write config.json, then model.safetensors, which makes the folder whole; `tensors` by Llama's names."""
    write_json(folder / CONFIG, {**architecture.to_json(), "modtok": dict(about)})
    write_tensors(folder / SINGLE, tensors)


def write_tensors(file: Path, tensors: Mapping[str, Tensor], about: Mapping[str, str] | None = None) -> None:
    """Write a safetensors file atomically, a tensor at a time; `about` goes into its header."""
    write_safetensors(file, {name: _new(tensor) for name, tensor in tensors.items()}, about=about)


def _new(tensor: Tensor) -> NewTensor:
    blocks = (one.detach().contiguous().cpu().numpy() for one in (tensor,))
    return NewTensor(_DTYPES[tensor.dtype], tuple(tensor.shape), tensor.nbytes, blocks)


def read_model(folder: Path) -> Model:
    """Read a folder that `write_model` wrote. Errors: no such folder, broken files, strange tensors."""
    config = read_config(folder)
    architecture = architecture_of(config, str(folder / CONFIG))
    tensors = read_tensors(folder / SINGLE, expected_shapes(architecture))
    tables = {name: tensors.pop(name) for name in (EMBEDDING, OUTPUT) if name in tensors}
    body = Transformer(architecture)
    body.load_state_dict({name.removeprefix(BODY): tensor for name, tensor in tensors.items()})
    return Model(architecture, body.eval().requires_grad_(False), tables, config.get("modtok", {}))


def read_tensors(file: Path, shapes: Mapping[str, Sequence[int]]) -> dict[str, Tensor]:
    """All tensors of a safetensors file, which must be these. Errors: a broken file, other tensors."""
    require(file.is_file(), f"{file}: no such file; copy the whole folder of the model")
    try:
        tensors = load_file(file)
    except (SafetensorError, OSError, ValueError) as error:
        raise DataError(f"{file}: not a safetensors file ({error}); copy or train it again") from error
    found = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    wrong = sorted(name for name in {*shapes, *found} if found.get(name) != tuple(shapes.get(name, (-1,))))
    if wrong:
        name = wrong[0]
        what = f"{found.get(name, 'absent')}, not {tuple(shapes[name]) if name in shapes else 'absent'}"
        raise DataError(f"{file}: tensor {name} is {what}; config and weights are of two models")
    return tensors


def expected_shapes(architecture: Architecture) -> dict[str, tuple[int, ...]]:
    """Name -> shape of each tensor of a model."""
    with torch.device("meta"):
        body = Transformer(architecture)
    shapes = {BODY + name: tuple(weight.shape) for name, weight in body.named_parameters()}
    for name in (EMBEDDING,) if architecture.tied else (EMBEDDING, OUTPUT):
        shapes[name] = (architecture.vocabulary_size, architecture.shape.width)
    return shapes
