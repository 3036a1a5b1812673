"""Quality filtering: a fastText classifier's score per document, and a threshold (paper section 6.1).

fastText reads one line of words. A document becomes one by `single_line`, in training and in scoring alike,
which also takes away what fastText would not read as a word: its label prefix and its end-of-line word
`</s>`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import fasttext
import numpy as np

from modtok.core.errors import DataError, require
from modtok.core.stages import KEPT, QUALITY
from modtok.corpus.documents import DOCUMENTS, Document, document_writer, read_language
from modtok.corpus.ledger import Ledger

LOW_QUALITY = "low_quality"
# A control character, which `single_line` removes: no word of a text can pass for a label.
LABEL_PREFIX = "\x01"
GOOD, RANDOM = LABEL_PREFIX + "good", LABEL_PREFIX + "random"
# Characters of a document that the classifier reads; more of a long page hardly change its score.
MAX_CHARACTERS = 10_000
_CONTROLS = re.compile("[\0-\x1f\x7f]")


def single_line(text: str) -> str:
    r"""The words of the first 10,000 characters with one space between them.

    single_line("a\x00b\n</s>") -> "a b < /s>"
    """
    line = " ".join(_CONTROLS.sub(" ", text[:MAX_CHARACTERS]).split())
    if "</s>" in line:
        line = " ".join("< /s>" if word == "</s>" else word for word in line.split(" "))
    return line.encode("utf-8", "replace").decode()  # a lone surrogate of a JSON file


class QualityModel:
    """A trained classifier. QualityModel(Path("fr.bin")).score("Le chat dort.") -> 0.93"""

    def __init__(self, path: Path) -> None:
        try:
            self._model = fasttext.load_model(str(path))
        except ValueError as error:
            raise DataError(f"{path}: no fastText model ({error}); train the classifier again") from error

    @property
    def labels(self) -> set[str]:
        """The labels that the model knows: GOOD and RANDOM."""
        return set(self._model.labels)

    def score(self, text: str) -> float:
        """Probability from 0 to 1 (a float32) that a text is of high quality; 0 for one without words."""
        line = single_line(text)
        if not line:
            return 0.0
        labels, probabilities = self._model.predict(line, k=2)
        score = dict(zip(labels, probabilities, strict=True)).get(GOOD, 0.0)
        return float(np.float32(min(max(score, 0.0), 1.0)))  # fastText adds 1e-5 to each probability


def filter_quality(
    documents: Path, out: Path, lang: str, model: QualityModel | None, threshold: float
) -> Ledger:
    """Write the documents whose score is at least the threshold, in order; without a model all, unscored.

    Error: none of some is left.
    """
    ledger = Ledger()
    with document_writer(out, DOCUMENTS) as writer:
        for document in _scored(documents, model):
            score = document.quality_score
            kept = score is None or score >= threshold
            ledger.add(QUALITY, lang, KEPT if kept else LOW_QUALITY, size_bytes=len(document.text.encode()))
            if kept:
                writer.add(document)
        n, n_kept = ledger.records(QUALITY, lang), ledger.records(QUALITY, lang, KEPT)
        require(n_kept > 0 or n == 0, _nothing(lang, n, threshold))
    return ledger


def _nothing(lang: str, n: int, threshold: float) -> str:
    return (
        f"quality: none of {n} documents in '{lang}' scores {threshold} or more; lower "
        f"corpus.quality.threshold for '{lang}', or give its classifier positive text more like the corpus"
    )


def _scored(documents: Path, model: QualityModel | None) -> Iterator[Document]:
    for document in read_language(documents):
        yield document if model is None else replace(document, quality_score=model.score(document.text))
