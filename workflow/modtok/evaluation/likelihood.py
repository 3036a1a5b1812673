"""How probable a model finds text, token by token, over an active vocabulary.

# Shape suffixes: N positions, D model width, S active vocabulary, M its members.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from modtok.modelling.architecture import BEGIN, PADDING
from modtok.modelling.checkpoint import Model
from modtok.modelling.rows import part

POSITIONS = 1 << 13
"that go through the model at once"
MAX_LOGITS = 1 << 24
"that stand at once, 4 bytes each"


@dataclass(frozen=True)
class Text:
    """A text to score, as ids of the full tokenizer: its beginning is only read where `scored` is above 0."""

    ids: Sequence[int]
    scored: int = 0
    "the first of the ids that is scored"


@dataclass(frozen=True)
class Scores:
    """Of each scored token of a text."""

    nats: NDArray[np.float64]
    "-log probability among the active tokens, after all that stands before it"
    outside: NDArray[np.float64]
    "probability that the model gave to active tokens that are no members; 0 where none were named"


@dataclass(frozen=True)
class _Window:
    """A part of a text that the model's context holds, and which of its predictions count."""

    text: int
    start: int
    "of the window in its text"
    ids: list[int]
    first: int
    "the first id of the window whose prediction counts, 1 at least"


class Scorer:
    """Scores texts under a model: Scorer(model, sorted_ids_of_french).score([Text([17, 30])]).

    `active_S`: sorted full ids, the tokens that the model chooses among; `members_M`: those of them whose
    complement's probability is wanted.
    """

    def __init__(self, model: Model, active_S: Tensor, members_M: Tensor | None = None) -> None:
        self.model, self.device = model, model.embedding.device
        self.active_S = active_S.to(self.device)
        self.output_SD = part(model.output, self.active_S)
        self.members_M = (
            None if members_M is None else torch.searchsorted(active_S, members_M).to(self.device)
        )

    def score(self, texts: Sequence[Text]) -> list[Scores]:
        """The scores of each text, which begins after <s>.

        A text that is longer than the model's context is read in windows that overlap by half, so each token
        is predicted from half a context at least. Scored tokens are active ones.
        """
        found: list[list[tuple[int, Scores]]] = [[] for _ in texts]
        context = self.model.architecture.shape.context
        windows = [window for number, text in enumerate(texts) for window in _windows(number, text, context)]
        for batch in _batches(windows):
            for window, scores in zip(batch, self._scored(batch), strict=True):
                found[window.text].append((window.start, scores))
        return [_joined(parts) for parts in found]

    @torch.no_grad()
    def _scored(self, batch: Sequence[_Window]) -> list[Scores]:
        """Scores of the counting tokens of windows that are about equally long."""
        longest = max(len(window.ids) for window in batch)
        rows = [window.ids + [PADDING] * (longest - len(window.ids)) for window in batch]
        ids_BL = torch.tensor(rows, device=self.device)
        counts_BL = torch.zeros_like(ids_BL, dtype=torch.bool)
        for number, window in enumerate(batch):
            counts_BL[number, window.first : len(window.ids)] = True
        hidden_ND = self.model.hidden(ids_BL[:, :-1])[counts_BL[:, 1:]]
        targets_N = torch.searchsorted(self.active_S, ids_BL[counts_BL])
        assert torch.equal(self.active_S[targets_N], ids_BL[counts_BL]), "scored tokens are active"
        sizes = [len(window.ids) - window.first for window in batch]
        nats, outside = (
            [own.numpy() for own in torch.cat(columns).double().cpu().split(sizes)]
            for columns in zip(*self._parts(hidden_ND, targets_N), strict=True)
        )
        return [Scores(*pair) for pair in zip(nats, outside, strict=True)]

    def _parts(self, hidden_ND: Tensor, targets_N: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
        """Losses and probability outside of the members, some positions at a time."""
        step = max(1, MAX_LOGITS // len(self.active_S))
        for hidden, targets in zip(hidden_ND.split(step), targets_N.split(step), strict=True):
            logits = (hidden @ self.output_SD.T).float()
            total = logits.logsumexp(dim=1)
            losses = total - logits.gather(1, targets[:, None])[:, 0]
            if self.members_M is None:
                yield losses, torch.zeros_like(losses)
            else:
                inside = logits.index_select(1, self.members_M).logsumexp(dim=1)
                yield losses, -torch.expm1(inside - total)


def _windows(number: int, text: Text, context: int) -> Iterator[_Window]:
    """A text in windows of `context` positions and the token after them."""
    ids, overlap = [BEGIN, *text.ids], context // 2
    for start in range(0, max(1, len(ids) - 1 - overlap), context - overlap):
        window = ids[start : start + context + 1]
        counted = max(1, 1 + text.scored - start, 1 + overlap if start else 1)
        if counted < len(window):
            yield _Window(number, start, window, counted)


def _batches(windows: Sequence[_Window]) -> Iterator[list[_Window]]:
    """Windows of about one length together, POSITIONS at most."""
    batch: list[_Window] = []
    for window in sorted(windows, key=lambda one: -len(one.ids)):
        if batch and len(batch[0].ids) * (len(batch) + 1) > POSITIONS:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def _joined(parts: Sequence[tuple[int, Scores]]) -> Scores:
    """The scores of a text from those of its windows, each with its place."""
    ordered = [scores for _, scores in sorted(parts, key=lambda part: part[0])]
    nothing = np.zeros(0)
    return Scores(
        np.concatenate([nothing, *(one.nats for one in ordered)]),
        np.concatenate([nothing, *(one.outside for one in ordered)]),
    )


def on_device(model: Model, device: torch.device) -> Model:
    """The model with its weights on a device, which is printed."""
    print(f"device: {device}", flush=True)
    tables = {name: table.to(device) for name, table in model.tables.items()}
    return replace(model, body=model.body.to(device), tables=tables)
