"""Models of weights drawn by chance, for tests that need a model and not its training."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from modtok.modelling.architecture import Architecture
from modtok.modelling.checkpoint import BODY, Model, write_model
from modtok.modelling.rows import initial_tables
from modtok.modelling.transformer import Transformer

# Times the usual weights: a model that prefers some tokens to others, as a trained one does.
SHARP = 9
NOTHING: Mapping[str, Any] = {}


def draw_weights(
    architecture: Architecture, seed: int, times: int = 1
) -> tuple[Transformer, dict[str, torch.Tensor]]:
    """The body, and the tables by name."""
    generator = torch.Generator().manual_seed(seed)
    body = Transformer(architecture)
    body.initialise(generator)
    tables = initial_tables(architecture, generator)
    body.load_state_dict({name: times * weight for name, weight in body.state_dict().items()})
    return body, {name: times * table for name, table in tables.items()}


def draw_model(
    architecture: Architecture, seed: int, times: int = 1, about: Mapping[str, Any] = NOTHING
) -> Model:
    """A model as read_model gives it. draw_model(Architecture(shape, 60, tied=False), 7, SHARP)"""
    body, tables = draw_weights(architecture, seed, times)
    return Model(architecture, body.eval().requires_grad_(False), tables, dict(about))


def write_drawn(
    folder: Path, architecture: Architecture, seed: int, times: int = 1, about: Mapping[str, Any] = NOTHING
) -> Path:
    """Write a model's folder, which is given back; it also loads in transformers."""
    body, tables = draw_weights(architecture, seed, times)
    tensors = tables | {BODY + name: weight.detach() for name, weight in body.named_parameters()}
    write_model(folder, architecture, tensors, dict(about))
    return folder
