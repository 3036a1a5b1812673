"""How near texts come to references: BLEU, spBLEU and chrF++ by sacrebleu, ROUGE by rouge_score.

| metric | what |
|---|---|
| bleu | BLEU of 13a tokens |
| spbleu | BLEU of the pieces of FLORES-200's SentencePiece model, which treats all scripts alike |
| chrf | chrF++: F2 of characters' n-grams up to 6 and words' up to 2 |
| rouge1, rouge2, rougeL | F1 of words, of pairs of words, of the longest common subsequence; a mean |

All are percent. A score is a series: of all texts, then of each resample of them, by the statistics of each
text, which are summed first; so the first number is what sacrebleu's own command gives.

rouge_score keeps the letters a to z of a text alone, and Greek then has no words at all. Here a word is a run
of Unicode letters, marks and digits; case is folded, canonically equal texts are equal. No stemming.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import regex

from modtok.evaluation.bootstrap import Series

ROUGE = ("rouge1", "rouge2", "rougeL")
_WORDS = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_FLORES = "flores200"
"what sacrebleu calls the tokenizer of spBLEU"


@dataclass(frozen=True)
class Score:
    """A metric of a set of texts."""

    series: Series
    "percent, or a share"
    n: int
    "texts behind it, or what else it is a share of"
    signature: str = ""
    "all that the figure depends on besides the texts, where there is more than its name says"


def translation_scores(
    outputs: Sequence[str], references: Sequence[str], weights: Series, spbleu: Path | None = None
) -> dict[str, Score]:
    """BLEU, chrF++ and, with a SentencePiece model, spBLEU; `weights` are those of `resampling_weights`.

    translation_scores(["ένα"], ["ένα"], resampling_weights(1, 0, 0))["chrf"].series -> [100.]
    """
    from sacrebleu.metrics import BLEU, CHRF

    metrics: dict[str, Any] = {"bleu": BLEU(tokenize="13a", force=True), "chrf": CHRF(word_order=2)}
    if spbleu is not None:
        # sacrebleu's own "flores200" would download the model
        metrics["spbleu"] = BLEU(tokenize="none", force=True)
        metrics["spbleu"].tokenizer = _pieces(spbleu)
        metrics["spbleu"].tokenizer_signature = _FLORES
    return {name: _corpus_score(metric, outputs, references, weights) for name, metric in metrics.items()}


def _corpus_score(metric: Any, outputs: Sequence[str], references: Sequence[str], weights: Series) -> Score:
    """A metric of sacrebleu, by its own statistics of each text, as its own bootstrap does."""
    statistics = np.array(metric._extract_corpus_statistics(list(outputs), [list(references)]), float)
    sums = np.rint(weights @ statistics).astype(int).tolist()
    series = np.array([metric._compute_score_from_stats(total).score for total in sums])
    series[weights.sum(axis=1) == 0] = np.nan  # where no text of the language was drawn
    return Score(series, len(outputs), str(metric.get_signature()))


def _pieces(model: Path) -> Callable[[str], str]:
    """Cuts a text into the pieces of a SentencePiece model, with spaces between."""
    from sentencepiece import SentencePieceProcessor

    processor = SentencePieceProcessor(model_file=str(model))
    return lru_cache(None)(lambda text: " ".join(processor.encode(text, out_type=str)))


def rouge_scores(outputs: Sequence[str], references: Sequence[str], weights: Series) -> dict[str, Score]:
    """ROUGE-1, ROUGE-2 and ROUGE-L.

    rouge_scores(["γη"], ["Γη"], resampling_weights(1, 0, 0))["rouge1"].series -> [100.]
    """
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(list(ROUGE), tokenizer=_Words())
    pairs = zip(outputs, references, strict=True)
    found = [scorer.score(reference, output) for output, reference in pairs]
    signature = f"f1|case:folded|tok:unicode|stem:no|version:{version('rouge-score')}"
    return {
        name: Score(
            100 * (weights @ [one[name].fmeasure for one in found]) / len(found), len(found), signature
        )
        for name in ROUGE
    }


class _Words:
    """The tokenizer that rouge_score is given."""

    def tokenize(self, text: str) -> list[str]:
        return words(text)


def words(text: str) -> list[str]:
    """words("Ο Καφές, 2€") -> ["ο", "καφέσ", "2"]"""
    return _WORDS.findall(unicodedata.normalize("NFC", text.casefold()))
