"""Which subtokenizers a prompt may go to when nobody says its language (ours; see the paper's Limitations).

Language identification gives each language of the run a probability. That of the best one is one option, the
union of the best candidates another, the full tokenizer, which has all languages, the third.
routing_metrics.py takes one of them.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from modtok.corpus.language_id import MAX_CHARACTERS, Identifier
from modtok.evaluation.inference_names import Langs

ORACLE, ONE, UNION, FULL = "oracle", "one", "union", "full"
OPTIONS = (ORACLE, ONE, UNION, FULL)
"what a prompt may be cut by: the language's own tokenizer, or what a choice is"


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
