"""The vocabulary of a model: a row per token, of which a step sees the active ones only.

A step gathers the rows of its active ids, sorted, into matrices of its own; what it reads and writes is of
their size, whatever V is. Inside the step a token is its place in the active ids, which is the dense id of
an extracted subtokenizer.

# Shape suffixes: V full vocabulary, S active vocabulary, D model width.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from modtok.modelling.architecture import Architecture
from modtok.modelling.transformer import STANDARD_DEVIATION

EMBEDDING, OUTPUT = "model.embed_tokens.weight", "lm_head.weight"
"names of the two tables in transformers' Llama; a tied model has the first alone"


@dataclass(frozen=True)
class ActiveRows:
    """The rows of a step, leaves of its graph: their gradients are (S, D)."""

    embedding_SD: Tensor
    output_SD: Tensor
    "the embedding itself where both are tied"

    @property
    def tables(self) -> dict[str, Tensor]:
        """The rows by the name of their table."""
        tied = self.output_SD is self.embedding_SD
        return {EMBEDDING: self.embedding_SD} | ({} if tied else {OUTPUT: self.output_SD})


def gather(tables: dict[str, Tensor], ids_S: Tensor, device: torch.device) -> ActiveRows:
    """The rows of sorted ids on a device, ready to collect gradients; `tables` are (V, D) by name.

    gather(tables, torch.tensor([0, 1, 2, 3, 17]), torch.device("cpu")).embedding_SD.shape -> (5, D)
    """
    rows = {name: table.index_select(0, ids_S).to(device).requires_grad_() for name, table in tables.items()}
    return ActiveRows(rows[EMBEDDING], rows.get(OUTPUT, rows[EMBEDDING]))


def initial_tables(architecture: Architecture, generator: torch.Generator) -> dict[str, Tensor]:
    """The tables (V, D) of a new model, drawn from `generator`."""
    size = architecture.vocabulary_size, architecture.shape.width
    names = (EMBEDDING,) if architecture.tied else (EMBEDDING, OUTPUT)
    return {name: torch.empty(size).normal_(0.0, STANDARD_DEVIATION, generator=generator) for name in names}
