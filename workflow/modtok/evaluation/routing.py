"""Which subtokenizer a prompt goes to when nobody says its language (ours; the paper's Limitations name it).

Language identification gives each language of the run a probability. Where the best one is sure, its own
subtokenizer is taken; where it is less so, the union of the best candidates; where it is unsure, the full
tokenizer, which has all languages. A prompt in none of them has no probable one, so that is its, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modtok.corpus.language_id import MAX_CHARACTERS, Identifier
from modtok.evaluation.inference_tokenizers import Langs

ONE, UNION, FULL = "one", "union", "full"


@dataclass(frozen=True)
class Policy:
    """When to trust language identification: Policy(sure=0.7, unsure=0.3, candidates=2)."""

    sure: float
    "probability from which the best language's own subtokenizer is taken"
    unsure: float
    "probability below which the full tokenizer is; between the two, the union"
    candidates: int
    "languages of the union"

    def choice(self, best: float) -> str:
        """ONE, UNION or FULL, by the probability of the best language."""
        if best >= self.sure:
            return ONE
        return UNION if best >= self.unsure else FULL


def choices(probabilities_L: NDArray[np.float64], langs: Sequence[str], candidates: int) -> dict[str, Langs]:
    """What each choice is for a prompt; of equally probable languages the earlier one is better.

    choices(np.array([0.1, 0.6, 0.3]), ["bg", "ru", "uk"], 2)
    -> {"one": ("ru",), "union": ("ru", "uk"), "full": None}
    """
    order = np.argsort(-probabilities_L, kind="stable")
    best = sorted(order[:candidates].tolist())
    return {ONE: (langs[order[0]],), UNION: tuple(langs[place] for place in best), FULL: None}


class Router(Identifier):
    """Language identification by languages of a run, and what it costs."""

    def probabilities(
        self, prompts: Sequence[str], labels: Mapping[str, Sequence[str]]
    ) -> NDArray[np.float64]:
        """Probability of each language (prompts, languages), summed over the labels that count as it."""
        columns = {label: place for place, lang in enumerate(labels) for label in labels[lang]}
        found = np.zeros((len(prompts), len(labels)))
        texts = [(place, text) for place, text in enumerate(map(_flat, prompts)) if text]
        every = len(self._model.get_labels())
        predicted = self._model.predict([text for _, text in texts], k=every) if texts else ((), ())
        for (row, _), names, scores in zip(texts, *predicted, strict=True):
            for name, score in zip(names, scores, strict=True):
                column = columns.get(name.removeprefix("__label__"))
                if column is not None:
                    found[row, column] += min(float(score), 1.0)
        return found

    def operations(self, prompt: str) -> int:
        """Multiplications and additions of asking for all labels, by arithmetic.

        The vectors of the words and their parts are added up, and each inner node of the tree of labels has
        one product with the sum.
        """
        width, nodes = self._model.get_dimension(), len(self._model.get_labels()) - 1
        vectors = sum(len(self._model.get_subwords(word)[1]) for word in [*_flat(prompt).split(), "</s>"])
        return int(width * (vectors + 2 * nodes))


def _flat(prompt: str) -> str:
    """As fastText takes it: it refuses a line end, and NUL separates."""
    return " ".join(prompt[:MAX_CHARACTERS].replace("\0", " ").split())
