"""Inference tokenizers: what cuts the text that a model reads, and what it chooses among (paper section 6.2).

| inference | English in a prompt | the language in a prompt | what is predicted is cut by, and chosen from |
|---|---|---|---|
| lang | the language's subtokenizer | the same | the same |
| full | the full tokenizer | the same | the same: all tokens |
| full-lang | the full tokenizer | the same | the language's |
| en-lang-union | the subtokenizer of English and the language | the same | the same |
| en-lang-split | English's | the language's | the language's |

A model knows the ids of the full tokenizer whatever cut a text, so the tokenizer may change within a prompt.
Parts of a prompt meet where no token crosses: before a space that follows a word, or at a line's end.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch

from modtok.core.languages import PIVOT
from modtok.evaluation.inference_names import FULL, FULL_LANG, LANG, SPLIT, UNION, Langs
from modtok.modelling.batches import Subtokenizers


@dataclass(frozen=True)
class Inference:
    """An inference tokenizer for one language: Inference("full-lang", None, None, ("fi",))."""

    name: str
    source: Langs
    "cuts English in a prompt: instructions, and what is to be translated"
    target: Langs
    "cuts text of the language in a prompt"
    chosen: Langs
    "cuts what the model predicts, and is what it chooses among"

    @property
    def uniform(self) -> bool:
        """Whether one tokenizer cuts all."""
        return self.source == self.target == self.chosen


def inferences(subtokenizers: Subtokenizers, lang: str, langs: Collection[str]) -> list[Inference]:
    """Those that a tokenizer has for a language, of a run's `langs`; one without languages has `full` alone.

    For English, and where the run has no English, there is neither union nor split: English is its own union.
    """
    full, own = Inference(FULL, None, None, None), (lang,)
    if subtokenizers.modular is None:
        return [full]
    found = [Inference(LANG, own, own, own), full, Inference(FULL_LANG, None, None, own)]
    if PIVOT in langs and lang != PIVOT:
        union = (PIVOT, lang)
        found += [Inference(UNION, union, union, union), Inference(SPLIT, (PIVOT,), own, own)]
    return found


class Cutter:
    """Cuts prompts for an inference tokenizer, to ids of the full tokenizer, without special tokens.

    cutter = Cutter(Subtokenizers(folder), inference)
    [*cutter.source(["English: The dog."])[0], *cutter.target(["\\nFinnish: Koira."])[0]]
    """

    def __init__(self, subtokenizers: Subtokenizers, inference: Inference) -> None:
        self.subtokenizers, self.inference = subtokenizers, inference
        self.chosen_S: torch.Tensor = torch.from_numpy(subtokenizers.ids(inference.chosen).astype(np.int64))
        "(S,) int64, sorted: what the model chooses among"

    def source(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of English texts of a prompt."""
        return self._ids(self.inference.source, texts)

    def target(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of a prompt's texts in the language."""
        return self._ids(self.inference.target, texts)

    def predicted(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of texts to be predicted, all of them in `chosen_S`."""
        return self._ids(self.inference.chosen, texts)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of full ids; special tokens by their names."""
        return self.subtokenizers.of(None).tokenizer.decode(ids)

    def _ids(self, langs: Langs, texts: Sequence[str]) -> list[list[int]]:
        used = self.subtokenizers.of(langs)
        return [used.ids_S[ids].tolist() for ids in used.tokenizer.encode_batch(texts)]


def parted(context: str, continuation: str) -> tuple[str, str]:
    """White space at the end of a context moved to what follows, so that no token crosses the border.

    parted("Answer: ", "42") -> ("Answer:", " 42")
    """
    kept = context.rstrip()
    return kept, context[len(kept) :] + continuation


def halved(line: str) -> tuple[str, str]:
    """A line parted before the space behind a word that is nearest to its middle; without one, second half.

    A run of white space is never parted: it may be cut otherwise in two parts than as one.

    halved("one two three") -> ("one two", " three")
    """
    pairs = enumerate(pairwise(line), 1)
    places = [place for place, (before, here) in pairs if here == " " and not before.isspace()]
    middle = min(places, key=lambda place: abs(2 * place - len(line)), default=0)
    return line[:middle], line[middle:]
