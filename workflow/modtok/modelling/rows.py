"""The vocabulary of a model: a row per token, of which a step sees the active ones only.

A step gathers the rows of its active ids, sorted, into matrices of its own; what it reads and writes is of
their size, whatever V is. Inside the step a token is its place in the active ids, which is the dense id of
an extracted subtokenizer.

# Shape suffixes: V full vocabulary, S active vocabulary, D model width.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from modtok.modelling.architecture import EMBEDDING, OUTPUT, Architecture
from modtok.modelling.transformer import STANDARD_DEVIATION


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


def gather(tables: Mapping[str, Tensor], ids_S: Tensor) -> ActiveRows:
    """The rows of sorted ids, ready to collect gradients; `tables` are (V, D) by name, on the ids' device.

    Where the ids are all, the rows are the tables' own memory, not a copy of it.

    gather(tables, torch.tensor([0, 1, 2, 3, 17])).embedding_SD.shape -> (5, D)
    """
    return leaves({name: part(table, ids_S) for name, table in tables.items()})


def leaves(rows: Mapping[str, Tensor]) -> ActiveRows:
    """Rows (S, D) by the name of their table, ready to collect gradients."""
    ready = {name: row.detach().requires_grad_() for name, row in rows.items()}
    return ActiveRows(ready[EMBEDDING], ready.get(OUTPUT, ready[EMBEDDING]))


def part(whole: Tensor, ids_S: Tensor) -> Tensor:
    """The rows of sorted ids; where these are all, the table itself."""
    return whole if len(ids_S) == len(whole) else whole.index_select(0, ids_S)


def initial_tables(architecture: Architecture, generator: torch.Generator) -> dict[str, Tensor]:
    """The tables (V, D) of a new model, drawn from `generator`."""
    size = architecture.vocabulary_size, architecture.shape.width
    names = (EMBEDDING,) if architecture.tied else (EMBEDDING, OUTPUT)
    return {name: torch.empty(size).normal_(0.0, STANDARD_DEVIATION, generator=generator) for name in names}
