"""A model on disk: config.json and model.safetensors, a folder that transformers loads as LlamaForCausalLM.

results/models/{tokenizer}+{regime}/, `+seed2` … for other seeds. Tensors are float32, by Llama's names:
    model.embed_tokens.weight (V, D)     lm_head.weight (V, D), absent where it is tied to the embedding
    model.layers.{i}.{input_layernorm, post_attention_layernorm}.weight (D,)     model.norm.weight (D,)
    model.layers.{i}.self_attn.{q_proj, k_proj, v_proj, o_proj}.weight
    model.layers.{i}.mlp.{gate_proj, up_proj, down_proj}.weight
Linear weights are (out, in). Row v of embedding and output is the token of id v of the full tokenizer. Key
`modtok` of config.json says what was trained, on what; `tokenizer_digest` there is that of tokenizer.json.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

from modtok.core.errors import DataError, require
from modtok.core.io import atomic, write_json
from modtok.modelling.architecture import (
    CONFIG,
    EMBEDDING,
    OUTPUT,
    Architecture,
    architecture_of,
    read_config,
)
from modtok.modelling.cross_entropy import token_losses
from modtok.modelling.transformer import Transformer

WEIGHTS = "model.safetensors"
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

    def losses(self, ids_BL: Tensor, active_S: Tensor, max_logits: int = 1 << 24) -> Tensor:
        """-log probability (B, L - 1), in nats, of each token after the first, among the active ones alone.

        `active_S` holds sorted full ids (int64). A token outside it has probability 0, so the loss inf.
        Example: model.losses(ids, torch.from_numpy(modular.ids(["fr"]))).sum() / math.log(2) are bits.
        """
        targets_N = ids_BL[:, 1:].flatten()
        places_N = torch.searchsorted(active_S, targets_N).clamp(max=len(active_S) - 1)
        hidden_ND = self.hidden(ids_BL[:, :-1]).flatten(0, 1)
        losses_N = token_losses(hidden_ND, self.output.index_select(0, active_S), places_N, max_logits)
        losses_N[active_S[places_N] != targets_N] = torch.inf
        return losses_N.view(len(ids_BL), -1)


def write_model(
    folder: Path, architecture: Architecture, tensors: Mapping[str, Tensor], about: Mapping[str, Any]
) -> None:
    """Write config.json, then model.safetensors, which makes the folder whole; `tensors` by Llama's names."""
    write_json(folder / CONFIG, {**architecture.to_json(), "modtok": dict(about)})
    write_tensors(folder / WEIGHTS, tensors, {"format": "pt"})


def write_tensors(file: Path, tensors: Mapping[str, Tensor], header: Mapping[str, str]) -> None:
    """Write a safetensors file atomically."""
    with atomic(file) as partial:
        mode = partial.stat().st_mode
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, partial, dict(header))
        # safetensors writes a file of its own, for its owner alone, and renames it
        partial.chmod(mode)
        with partial.open("rb") as written:
            os.fsync(written.fileno())


def read_model(folder: Path) -> Model:
    """Read a folder that `write_model` wrote. Errors: no such folder, broken files, strange tensors."""
    config = read_config(folder)
    architecture = architecture_of(config, str(folder / CONFIG))
    tensors = read_tensors(folder / WEIGHTS, expected_shapes(architecture))
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


def active_ids(ids: np.ndarray) -> Tensor:
    """Ids of a Modular as `losses` takes them."""
    return torch.from_numpy(np.ascontiguousarray(ids, dtype=np.int64))
