"""Training a language's quality classifier: high-quality documents against random pages (paper section 6.1).

fastText can end in NaN or take the process with it. So it trains in a child process, and is tried again with
a lower rate and another seed where it fails or where its model is no good. One thread, so that the bytes of
the model follow from the documents and the seed.

fastText's default of 2 million buckets for word pairs would make every model 800 MB. Two classes need far
fewer: the number follows from the words of the training text, up to 2^17 (52 MB), which costs no precision
that we could measure.
"""

import glob
import math
import random
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import fasttext

from modtok.core.errors import DataError, require
from modtok.core.io import atomic, write_tsv
from modtok.core.seeds import derive
from modtok.core.texts import read_documents
from modtok.corpus.documents import read_language
from modtok.corpus.quality import GOOD, LABEL_PREFIX, RANDOM, QualityModel, single_line

COLUMNS = ("lang", "metric", "value", "n")
# Fewer documents than this in a class are no class. Real use wants thousands; the report says how many there
# were.
MIN_DOCUMENTS = 5
# More documents of a class than this no longer help, and would have to be held in memory (10,000 characters
# each).
MAX_DOCUMENTS = 50_000
HELD_OUT_SHARE, MIN_HELD_OUT = 0.1, 2
DIMENSIONS = 100
WORD_NGRAMS = 2
MAX_BUCKETS = 1 << 17
LEARNING_RATES = (0.1, 0.05, 0.02, 0.01)
# A small training set is passed through more often, so that the classifier is trained at all.
UPDATES, MIN_EPOCHS, MAX_EPOCHS = 20_000, 5, 500
_REMEDY = "mend corpus.quality.positive or negative, or set corpus.quality.enabled: false"


@dataclass(frozen=True)
class Source:
    """Documents of one class."""

    name: str
    "where they come from, for messages"
    paths: list[Path]
    documents: Iterable[str]


def matching_files(lang: str, patterns: Sequence[str]) -> Source:
    """The documents of the files that glob patterns name, in the order of the paths. Error: no file."""
    # Not Path.glob, which takes no absolute pattern.
    found = sorted({path for pattern in patterns for path in glob.glob(pattern)})  # noqa: PTH207
    paths = [Path(path) for path in found]
    require(bool(paths), f"quality: no file matches {' '.join(patterns)} for '{lang}'; {_REMEDY}")
    return Source(
        " ".join(patterns), paths, (document for path in paths for document in read_documents(path))
    )


def random_pages(documents: Path) -> Source:
    """The pages of a language after deduplication; training draws from them at random."""
    return Source(str(documents), [documents], (document.text for document in read_language(documents)))


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


def train_classifier(lang: str, positive: Source, negative: Source, seed: int, out_model: Path) -> Report:
    """Train on as many documents of either class, write the model, report precision and recall on held-out
    ones.

    Errors: fewer than 5 documents of a class; fastText fails at every attempt.
    """
    examples = draw_examples(lang, positive, negative, seed)
    with TemporaryDirectory() as folder:
        text = Path(folder, "training.txt")
        text.write_text("".join(f"{label} {line}\n" for label, line in examples.training), encoding="utf-8")
        model = _train_until_good(lang, text, examples, seed)
        with atomic(out_model) as partial:
            shutil.copyfile(model, partial)
    return evaluate(QualityModel(out_model), examples)


def draw_examples(lang: str, positive: Source, negative: Source, seed: int) -> Examples:
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


def _sample(documents: Iterable[str], seed: int) -> list[str]:
    """At most MAX_DOCUMENTS lines in random order, each text with the same chance (reservoir sampling)."""
    generator = random.Random(seed)
    drawn: list[str] = []
    lines = (line for line in map(single_line, documents) if line)
    for index, line in enumerate(lines):
        place = generator.randint(0, index)
        if index < MAX_DOCUMENTS:
            # Putting each newcomer in a random place shuffles as it samples.
            drawn.append(line)
            drawn[index], drawn[place] = drawn[place], drawn[index]
        elif place < MAX_DOCUMENTS:
            drawn[place] = line
    return drawn


def _train_until_good(lang: str, text: Path, examples: Examples, seed: int) -> Path:
    model = text.with_suffix(".bin")
    for attempt, rate in enumerate(LEARNING_RATES):
        settings = fasttext_settings(examples.training, rate, derive(seed, "fasttext", attempt))
        exit_code = _train_in_child(text, model, settings)
        if exit_code == 0 and _is_good(QualityModel(model), examples):
            return model
    raise DataError(
        f"quality: fastText failed {len(LEARNING_RATES)} times for '{lang}' (last exit code {exit_code}); "
        f"change the run's seed, or {_REMEDY}"
    )


def fasttext_settings(
    training: list[tuple[str, str]], rate: float, seed: int
) -> dict[str, float | int | str]:
    """Arguments of fastText, some following from the amount of text."""
    n_words = sum(line.count(" ") + 1 for _, line in training)
    return {
        "lr": rate,
        "seed": seed % 2**31,
        "dim": DIMENSIONS,
        "wordNgrams": WORD_NGRAMS,
        "bucket": min(MAX_BUCKETS, 1 << n_words.bit_length()),
        "epoch": min(MAX_EPOCHS, max(MIN_EPOCHS, UPDATES // len(training))),
        "minCount": 2,
        "label": LABEL_PREFIX,
        "thread": 1,
        "verbose": 0,
    }


def _train_in_child(text: Path, model: Path, settings: dict[str, float | int | str]) -> int | None:
    """Exit code of a process that trains: 0, 1 for an error of fastText, negative for a signal."""
    child = get_context("spawn").Process(target=_train, args=(text, model, settings))
    child.start()
    child.join()
    return child.exitcode


def _train(text: Path, model: Path, settings: dict[str, float | int | str]) -> None:
    try:
        fasttext.train_supervised(str(text), **settings).save_model(str(model))
    except RuntimeError as error:  # "Encountered NaN."
        raise SystemExit(f"fastText: {error}") from error


def _is_good(model: QualityModel, examples: Examples) -> bool:
    scores = [model.score(line) for _, line in examples.held_out]
    return model.labels == {GOOD, RANDOM} and all(map(math.isfinite, scores))


def evaluate(model: QualityModel, examples: Examples) -> Report:
    """Precision and recall on the held-out lines; precision is 0 where nothing is called good."""
    called = [(label == GOOD, model.score(line) >= 0.5) for label, line in examples.held_out]
    hits = sum(is_good and called_good for is_good, called_good in called)
    n_called, n_good = sum(called_good for _, called_good in called), sum(is_good for is_good, _ in called)
    return Report(hits / max(1, n_called), hits / n_good, len(called), len(examples.training))
