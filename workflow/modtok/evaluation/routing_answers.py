"""What a model makes of prompts under each subtokenizer that routing may send them to.

The first half of a line of a parallel set is the prompt. Language identification sees it alone; the whole
line is cut, and its second half predicted, by each of routing.OPTIONS. The columns are those of
answers.ROUTING.

# Shape suffixes: O options, L languages, N lines.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from modtok.evaluation.answers import Answers
from modtok.evaluation.inference_names import Langs, joined
from modtok.evaluation.inference_tokenizers import halved
from modtok.evaluation.likelihood import Scorer, Text
from modtok.evaluation.routing import OPTIONS, ORACLE, Router, choices
from modtok.evaluation.token_counts import ParallelSets
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import Model

Halves = Sequence[tuple[str, str]]


class _Cell(NamedTuple):
    """A line under an option."""

    option: int
    lang: int
    line: int


class _Scored(NamedTuple):
    """What a line is under a subtokenizer."""

    chosen: str
    size: int
    tokens: int
    nats: float
    "of the second half"


def ask_routing(
    model: Model,
    subtokenizers: Subtokenizers,
    sets: ParallelSets,
    labels: Mapping[str, Sequence[str]],
    router: Router,
    candidates: int,
) -> Iterator[Answers]:
    """A group for each parallel set, language and option; none where the tokenizer has no sets.

    `labels`: those of the language-ID model that count as a language, for each language of the run;
    `candidates`: languages of a union.
    """
    for dataset, texts in sets.items() if subtokenizers.modular is not None else ():
        langs = [lang for lang in labels if lang in texts]
        if langs:  # else a set of other languages
            halves = [[halved(line) for line in texts[lang]] for lang in langs]
            likely = [router.probabilities([begun for begun, _ in own], labels) for own in halves]
            scored = _scored(model, subtokenizers, halves, _places(langs, likely, list(labels), candidates))
            for place, lang in enumerate(langs):
                asking = np.array([float(router.operations(begun)) for begun, _ in halves[place]])
                for option, name in enumerate(OPTIONS):
                    cells = [scored[_Cell(option, place, line)] for line in range(len(halves[place]))]
                    of = {"dataset": dataset, "lang": lang, "option": name}
                    yield _answers(of, cells, halves[place], likely[place].max(axis=1), asking)


def _places(
    langs: Sequence[str], likely: Sequence[NDArray[np.float64]], known: Sequence[str], candidates: int
) -> dict[Langs, list[_Cell]]:
    """The lines that each subtokenizer cuts under some option."""
    places: dict[Langs, list[_Cell]] = {}
    for lang, line in np.ndindex(len(langs), len(likely[0])):
        chosen = {ORACLE: (langs[lang],), **choices(likely[lang][line], known, candidates)}
        for option, name in enumerate(OPTIONS):
            places.setdefault(chosen[name], []).append(_Cell(option, lang, line))
    return places


def _scored(
    model: Model,
    subtokenizers: Subtokenizers,
    halves: Sequence[Halves],
    places: Mapping[Langs, Sequence[_Cell]],
) -> dict[_Cell, _Scored]:
    """Each line under each option; lines that share a subtokenizer are scored together, each once."""
    found: dict[_Cell, _Scored] = {}
    for langs, cells in places.items():
        lines = list(dict.fromkeys((cell.lang, cell.line) for cell in cells))
        scored = _of_lines(model, subtokenizers, langs, [halves[lang][line] for lang, line in lines])
        of_line = dict(zip(lines, scored, strict=True))
        found |= {cell: of_line[cell.lang, cell.line] for cell in cells}
    return found


def _of_lines(model: Model, subtokenizers: Subtokenizers, langs: Langs, halves: Halves) -> Iterator[_Scored]:
    used = subtokenizers.of(langs)
    begun, ended = (used.tokenizer.encode_batch([half[part] for half in halves]) for part in (0, 1))
    texts = [
        Text(used.ids_S[[*first, *second]].tolist(), len(first))
        for first, second in zip(begun, ended, strict=True)
    ]
    scores = Scorer(model, torch.from_numpy(used.ids_S.astype(np.int64))).score(texts)
    for text, score in zip(texts, scores, strict=True):
        yield _Scored(joined(langs), len(used.ids_S), len(text.ids), score.nats.sum())


def _answers(
    of: Mapping[str, str],
    cells: Sequence[_Scored],
    halves: Halves,
    best_N: NDArray[np.float64],
    asking_N: NDArray[np.float64],
) -> Answers:
    values = {
        "line": np.arange(len(cells)),
        "chosen": np.array([cell.chosen for cell in cells], dtype=object),
        "size": np.array([cell.size for cell in cells]),
        "tokens": np.array([cell.tokens for cell in cells]),
        "bytes_continued": np.array([len(ended.encode()) for _, ended in halves]),
        "nats_continued": np.array([cell.nats for cell in cells]),
        "best": best_N,
        "asking": asking_N,
    }
    return Answers(of, values)
