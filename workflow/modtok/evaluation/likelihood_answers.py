"""How probable a model finds the lines of parallel sets, by each inference tokenizer: what it is asked.

Text that a model is to predict cannot hold tokens that it must not choose: so by `full-lang` it is asked for
the second halves of lines only, as in generation after a prompt. Halves part at a space, where no token
crosses, so for the others a line costs what its halves cost. The end of a line is not predicted. The columns
are those of answers.LIKELIHOOD.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from modtok.evaluation.answers import Answers
from modtok.evaluation.inference_names import FULL, SPLIT, joined
from modtok.evaluation.inference_tokenizers import Cutter, halved, inferences
from modtok.evaluation.likelihood import Scorer, Text
from modtok.evaluation.token_counts import ParallelSets
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import Model


def ask_likelihood(
    model: Model, subtokenizers: Subtokenizers, sets: ParallelSets, langs: Sequence[str]
) -> Iterator[Answers]:
    """A group for each parallel set, language and inference tokenizer; text in one language has no split.

    ask_likelihood(read_model(folder), Subtokenizers(tokenizer), {"flores200": {"en": lines}}, ["en"])
    """
    for dataset, texts in sets.items():
        known = [lang for lang in langs if lang in texts]
        for lang in known:
            for inference in inferences(subtokenizers, lang, known):
                if inference.name != SPLIT:
                    cutter = Cutter(subtokenizers, inference)
                    named = {"dataset": dataset, "lang": lang, "inference": inference.name}
                    among = {"chosen": joined(inference.chosen), "size": len(cutter.chosen_S)}
                    yield Answers(named | among, _asked(model, cutter, lang, texts[lang]))


def _asked(model: Model, cutter: Cutter, lang: str, lines: Sequence[str]) -> dict[str, NDArray[Any]]:
    halves = [halved(line) for line in lines]
    texts, members = list(_cut(cutter, halves)), _members(cutter, lang)
    scores = Scorer(model, cutter.chosen_S, members).score([text for text, _ in texts])
    continued = [one.nats[begun:].sum() for one, (_, begun) in zip(scores, texts, strict=True)]
    values = {
        "line": np.arange(len(lines)),
        "bytes": _sizes(lines),
        "bytes_continued": _sizes([second for _, second in halves]),
        "tokens": np.array([len(one.nats) for one in scores]),
        "nats_continued": np.array(continued),
    }
    if cutter.inference.uniform:
        values["nats"] = np.array([one.nats.sum() for one in scores])
    if members is not None:
        values["outside"] = np.array([one.outside.sum() for one in scores])
    return values


def _cut(cutter: Cutter, halves: Sequence[tuple[str, str]]) -> Iterator[tuple[Text, int]]:
    """What is asked of each line, and how many of its scores are of the first half."""
    begun = cutter.target([first for first, _ in halves])
    ended = cutter.predicted([second for _, second in halves])
    for first, second in zip(begun, ended, strict=True):
        scored = len(first) if cutter.inference.uniform else 0
        yield Text([*first, *second], len(first) - scored), scored


def _members(cutter: Cutter, lang: str) -> torch.Tensor | None:
    """The language's own tokens, outside of which there may be probability: of `full` alone, and of sets."""
    if cutter.inference.name != FULL or cutter.subtokenizers.modular is None:
        return None
    return torch.from_numpy(cutter.subtokenizers.ids((lang,)))


def _sizes(texts: Sequence[str]) -> NDArray[np.int64]:
    return np.array([len(text.encode()) for text in texts])
