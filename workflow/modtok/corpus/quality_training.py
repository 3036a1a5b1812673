"""Training a language's quality classifier: high-quality documents against random pages (paper section 6.1).

The documents are drawn here, balanced between the classes, and a tenth is held out to report precision and
recall; `fasttext_process` trains. Where it fails it is tried again with a lower rate and another seed.
"""

import glob
import random
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from modtok.core.errors import DataError, require
from modtok.core.io import atomic, write_tsv
from modtok.core.seeds import derive
from modtok.core.texts import read_documents
from modtok.corpus.documents import read_language
from modtok.corpus.fasttext_process import train_in_child
from modtok.corpus.quality import GOOD, LABEL_PREFIX, RANDOM, QualityModel, single_line

COLUMNS = ("lang", "metric", "value", "n")
# Fewer documents than this in a class are no class. Real use wants thousands; the report says how many there
# were.
MIN_DOCUMENTS = 5
# More documents of a class than this no longer help, and would have to be held in memory (10,000 characters
# each).
MAX_DOCUMENTS = 50_000
HELD_OUT_SHARE, MIN_HELD_OUT = 0.1, 2
LEARNING_RATES = (0.1, 0.05, 0.02, 0.01)
_REMEDY = "mend corpus.quality.positive or negative, or set corpus.quality.enabled: false"


@dataclass(frozen=True)
class ClassDocuments:
    """Documents of one class."""

    name: str
    "where they come from, for messages"
    paths: list[Path]
    documents: Iterable[str]


def matching_files(lang: str, patterns: Sequence[str]) -> ClassDocuments:
    """The documents of the files that glob patterns name, in the order of the paths. Error: no file."""
    # Not Path.glob, which takes no absolute pattern.
    found = sorted({path for pattern in patterns for path in glob.glob(pattern)})  # noqa: PTH207
    paths = [Path(path) for path in found]
    require(bool(paths), f"quality: no file matches {' '.join(patterns)} for '{lang}'; {_REMEDY}")
    return ClassDocuments(
        " ".join(patterns), paths, (text for path in paths for _, text in read_documents(path))
    )


def random_pages(documents: Path) -> ClassDocuments:
    """The pages of a language after deduplication; training draws from them at random."""
    return ClassDocuments(
        str(documents), [documents], (document.text for document in read_language(documents))
    )


def check_documents(lang: str, source: ClassDocuments) -> None:
    """Read no further than shows whether a source has enough documents. Error: it has too few."""
    found = sum(1 for _ in islice(_lines(source.documents), MIN_DOCUMENTS))
    require(found >= MIN_DOCUMENTS, _too_few(lang, source.name, found))


@dataclass(frozen=True)
class Report:
    """How a classifier does on documents that it has not seen, at a score of 0.5."""

    precision: float
    "share of truly good documents among those called good"
    recall: float
    "share of the good documents that are called good"
    n_held_out: int
    n_trained: int

    def write(self, path: Path, lang: str) -> None:
        """Write a long TSV: lang, metric, value, n (documents held out)."""
        values = {"precision": self.precision, "recall": self.recall, "training_documents": self.n_trained}
        rows = (
            {"lang": lang, "metric": name, "value": value, "n": self.n_held_out}
            for name, value in values.items()
        )
        write_tsv(path, COLUMNS, rows)


@dataclass(frozen=True)
class Examples:
    """Lines to train on and lines held out, each with its label."""

    training: list[tuple[str, str]]
    held_out: list[tuple[str, str]]


def train_classifier(
    lang: str, positive: ClassDocuments, negative: ClassDocuments, seed: int, out_model: Path
) -> Report:
    """Train on as many documents of either class, write the model, report on documents held out.

    Errors: fewer than 5 documents of a class; fastText fails at every attempt.
    """
    examples = draw_examples(lang, positive, negative, seed)
    with TemporaryDirectory() as folder:
        trained = _train_until_good(lang, examples, seed, Path(folder))
        with atomic(out_model) as partial:
            shutil.copyfile(trained, partial)
    model = QualityModel(out_model)
    assert model.labels == {GOOD, RANDOM}, f"labels of the text became labels of the model: {model.labels}"
    return evaluate(model, examples)


def draw_examples(lang: str, positive: ClassDocuments, negative: ClassDocuments, seed: int) -> Examples:
    """A seeded sample, balanced, shuffled, of which a tenth (at least 2 of each class) is held out."""
    drawn: dict[str, list[str]] = {}
    for label, source in ((GOOD, positive), (RANDOM, negative)):
        drawn[label] = _sample(source.documents, derive(seed, label))
        require(len(drawn[label]) >= MIN_DOCUMENTS, _too_few(lang, source.name, len(drawn[label])))
    size = min(map(len, drawn.values()))
    n_held_out = max(MIN_HELD_OUT, int(size * HELD_OUT_SHARE))
    labelled = [(label, line) for label, lines in drawn.items() for line in lines[n_held_out:size]]
    held_out = [(label, line) for label, lines in drawn.items() for line in lines[:n_held_out]]
    random.Random(derive(seed, "order")).shuffle(labelled)
    return Examples(labelled, held_out)


def _too_few(lang: str, name: str, n: int) -> str:
    return f"quality: {n} documents for '{lang}' in {name}, at least {MIN_DOCUMENTS} are needed; {_REMEDY}"


def _lines(documents: Iterable[str]) -> Iterator[str]:
    """The documents that hold text, as lines."""
    return filter(None, map(single_line, documents))


def _sample(documents: Iterable[str], seed: int) -> list[str]:
    """At most MAX_DOCUMENTS lines in random order, each text with the same chance (reservoir sampling)."""
    generator = random.Random(seed)
    drawn: list[str] = []
    for index, line in enumerate(_lines(documents)):
        place = generator.randint(0, index)
        if index < MAX_DOCUMENTS:
            # Putting each newcomer in a random place shuffles as it samples.
            drawn.append(line)
            drawn[index], drawn[place] = drawn[place], drawn[index]
        elif place < MAX_DOCUMENTS:
            drawn[place] = line
    return drawn


def _train_until_good(lang: str, examples: Examples, seed: int, folder: Path) -> Path:
    for attempt, rate in enumerate(LEARNING_RATES):
        attempt_seed = derive(seed, "fasttext", attempt)
        exit_code = train_in_child(examples.training, LABEL_PREFIX, rate, attempt_seed, folder)
        if exit_code == 0:
            return folder / "model.bin"
    raise DataError(
        f"quality: fastText failed {len(LEARNING_RATES)} times for '{lang}' (last exit code {exit_code}); "
        f"change the run's seed, or {_REMEDY}"
    )


def evaluate(model: QualityModel, examples: Examples) -> Report:
    """Precision and recall on the held-out lines; precision is 0 where nothing is called good."""
    called = [(label == GOOD, model.score(line) >= 0.5) for label, line in examples.held_out]
    hits = sum(is_good and called_good for is_good, called_good in called)
    n_called, n_good = sum(called_good for _, called_good in called), sum(is_good for is_good, _ in called)
    return Report(hits / max(1, n_called), hits / n_good, len(called), len(examples.training))
