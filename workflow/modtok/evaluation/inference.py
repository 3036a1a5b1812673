"""Scoring and greedy decoding of many prompts over an active vocabulary.

Ids are those of the full tokenizer (inference_tokenizers.py cuts texts). Logits are of the chosen rows alone,
gathered once. What prompts begin with alike, such as the shots of a task, is read once, and its keys
and values are given to all of them; the rest goes in batches of about one length. The result of a row is that
of the row alone, but for rounding.

A prompt that is longer than the context is the caller's to shorten, by `inference_batches.fitted`.

# Shape suffixes: B batch, L sequence, N positions, D model width, S active vocabulary.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from modtok.evaluation.inference_batches import Ids, batches, groups
from modtok.evaluation.likelihood import MAX_LOGITS, Scorer, Text
from modtok.modelling.architecture import BEGIN, END, PADDING
from modtok.modelling.checkpoint import Model
from modtok.modelling.transformer import Cache


@dataclass(frozen=True)
class Answer:
    """What a model makes of a text that it is given to predict."""

    nats: NDArray[np.float64]
    "-log probability of each scored token among the chosen ones, after all that stands before it"
    greedy: bool
    "whether each was the likeliest; False also for a text that is longer than the context"


class Engine:
    """Predicts tokens of `chosen_S`, sorted full ids (S,).

    Engine(model, cutter.chosen_S).score([Text([*prompt, *answer], len(prompt))])[0].nats.sum()
    """

    def __init__(self, model: Model, chosen_S: Tensor) -> None:
        self.model, self.scorer = model, Scorer(model, chosen_S)
        self.chosen_S, self.output_SD = self.scorer.active_S, self.scorer.output_SD
        self.device = self.scorer.device

    def room(self, predicted: int) -> int:
        """Ids that a prompt may have before so many predicted ones; <s> has its place besides."""
        return self.model.architecture.shape.context - predicted

    @torch.no_grad()
    def score(self, texts: Sequence[Text]) -> list[Answer]:
        """Of each text the scores of its ids from `scored` on, which are chosen ones.

        A text that is longer than the context is scored in windows (likelihood.Scorer).
        """
        context = self.model.architecture.shape.context
        answers: dict[int, Answer] = {}
        short = [n for n, text in enumerate(texts) if text.scored < len(text.ids) <= context]
        sequences = [[BEGIN, *texts[number].ids] for number in short]
        # The token before the first scored one is read with the rest: its hidden state is needed.
        read = [sequence[: texts[number].scored] for number, sequence in zip(short, sequences, strict=True)]
        for group in groups(read):
            starts = [1 + texts[short[member]].scored for member in group.members]
            found = self._group_scores([sequences[member] for member in group.members], starts, group.shared)
            answers |= zip((short[member] for member in group.members), found, strict=True)
        others = [number for number in range(len(texts)) if number not in answers]
        windowed = self.scorer.score([texts[number] for number in others])
        answers |= {n: Answer(one.nats, not len(one.nats)) for n, one in zip(others, windowed, strict=True)}
        return [answers[number] for number in range(len(texts))]

    def _group_scores(self, sequences: list[list[int]], starts: list[int], shared: int) -> list[Answer]:
        """Answers to sequences that share their first ids; scored ids begin at `starts`."""
        prefix = self._read_prefix(sequences[0][:shared])
        found: dict[int, Answer] = {}
        for batch in batches([len(sequence) for sequence in sequences], 0):
            rows = [sequences[member][shared:-1] for member in batch]
            hidden_BLD = self._read(rows, prefix.rows(self._zeros(len(batch))))
            firsts = [starts[member] - shared - 1 for member in batch]
            targets = [sequences[member][starts[member] :] for member in batch]
            hidden = [
                hidden_D[first : first + len(ids)]
                for hidden_D, first, ids in zip(hidden_BLD, firsts, targets, strict=True)
            ]
            nats_N, greedy_N = self._chosen(torch.cat(hidden), [number for ids in targets for number in ids])
            sizes = [len(ids) for ids in targets]
            parts = zip(batch, nats_N.split(sizes), greedy_N.split(sizes), strict=True)
            found |= {
                member: Answer(nats.double().cpu().numpy(), bool(greedy.all()))
                for member, nats, greedy in parts
            }
        return [found[member] for member in range(len(sequences))]

    def _chosen(self, hidden_ND: Tensor, targets: Ids) -> tuple[Tensor, Tensor]:
        """-log probability of each target (N,), and whether it is the likeliest (N,)."""
        ids_N = torch.tensor(targets, dtype=torch.long, device=self.device)
        places_N = torch.searchsorted(self.chosen_S, ids_N).clamp(max=len(self.chosen_S) - 1)
        assert torch.equal(self.chosen_S[places_N], ids_N), "scored tokens are chosen ones"
        nats, greedy = [torch.zeros(0, device=self.device)], [torch.zeros(0, device=self.device).bool()]
        step = max(1, MAX_LOGITS // len(self.chosen_S))
        for hidden, places in zip(hidden_ND.split(step), places_N.split(step), strict=True):
            logits_NS = (hidden @ self.output_SD.T).float()
            nats.append(functional.cross_entropy(logits_NS, places, reduction="none"))
            greedy.append(logits_NS.argmax(1) == places)
        return torch.cat(nats), torch.cat(greedy)

    @torch.no_grad()
    def generate(
        self,
        prompts: Sequence[Ids],
        most: int,
        finished: Callable[[int, list[int]], bool] = lambda number, ids: False,
        not_first: Ids = (),
    ) -> list[list[int]]:
        """The likeliest next ids of each prompt, one by one, `most` at most, up to </s>, which is left out.

        `finished` is asked after each id, with the prompt's number, whether those so far are enough; all of
        them are given back. No text begins with an id of `not_first`, which may be that of </s>. Prompts have
        at most `room(most)` ids.

        engine.generate([prompt], 64, lambda number, ids: "\\n" in cutter.decode(ids))
        """
        assert all(len(prompt) <= self.room(most) for prompt in prompts), "prompts are fitted"
        sequences = [[BEGIN, *prompt] for prompt in prompts]
        barred = torch.tensor(list(not_first), dtype=torch.long, device=self.device)
        barred_S = torch.isin(self.chosen_S, barred)
        made: dict[int, list[int]] = {}
        for group in groups([sequence[:-1] for sequence in sequences]):
            prefix = self._read_prefix(sequences[group.members[0]][: group.shared])
            for batch in batches([len(sequences[member]) for member in group.members], most):
                members = [group.members[place] for place in batch]
                rows = [sequences[member][group.shared :] for member in members]
                cache = prefix.rows(self._zeros(len(members)))
                asked = [partial(finished, member) for member in members]
                made |= zip(members, self._continued(rows, cache, most, asked, barred_S), strict=True)
        return [made[number] for number in range(len(prompts))]

    def _continued(
        self,
        rows: list[list[int]],
        cache: Cache,
        most: int,
        finished: Sequence[Callable[[list[int]], bool]],
        barred_S: Tensor,
    ) -> list[list[int]]:
        """Next ids of each row, no barred one at first; rows that are done leave the batch."""
        made: list[list[int]] = [[] for _ in rows]
        going = list(range(len(rows)))
        hidden_BLD = self._read(rows, cache)
        hidden_BD = torch.stack([own[len(row) - 1] for own, row in zip(hidden_BLD, rows, strict=True)])
        for step in range(most):
            logits_BS = hidden_BD @ self.output_SD.T
            if step == 0:
                logits_BS[:, barred_S] = -torch.inf
            next_B = self.chosen_S[logits_BS.argmax(1)].tolist()
            stay = []
            for place, (number, token) in enumerate(zip(going, next_B, strict=True)):
                if token == END:
                    continue
                made[number].append(token)
                if not finished[number](made[number]):
                    stay.append(place)
            if not stay or step == most - 1:
                break
            if len(stay) < len(going):
                cache = cache.rows(torch.tensor(stay, device=self.device))
            going = [going[place] for place in stay]
            hidden_BD = self._read([[next_B[place]] for place in stay], cache)[:, 0]
        return made

    def _read_prefix(self, ids: Ids) -> Cache:
        """What is shared, read once, in one row."""
        cache = Cache.empty(1, self.device)
        if ids:
            self._read([ids], cache)
        return cache

    def _read(self, rows: Sequence[Ids], cache: Cache) -> Tensor:
        """Hidden states (B, L, D) of rows that follow a cache, padded on the right."""
        longest = max(len(row) for row in rows)
        padded = [[*row, *[PADDING] * (longest - len(row))] for row in rows]
        ids_BL = torch.tensor(padded, dtype=torch.long, device=self.device)
        lengths_B1 = torch.tensor([[len(row)] for row in rows], device=self.device)
        present_BL = torch.arange(longest, device=self.device) < lengths_B1
        embedded_BLD = functional.embedding(ids_BL, self.model.embedding)
        return self.model.body.read(embedded_BLD, cache, present_BL)

    def _zeros(self, rows: int) -> Tensor:
        return torch.zeros(rows, dtype=torch.long, device=self.device)
