"""A two-class fastText model trained in a child process, the same bytes each time.

fastText can end in NaN or take its process with it; here it takes the child. One thread, since more write
over each other's sums. With one thread, though, fastText (0.9.2) fills only the first tenth of its input
matrix and trains on whatever the memory held in the rest: hence NaN at ordinary rates, and models that differ
from run to run. So every word gets its start vector from us, through the option for pretrained vectors, and
there are no hashed word pairs, whose rows have no such way in. That also makes a model small: 400 bytes a
word, where the default of 2 million buckets makes 800 MB.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import fasttext
import numpy as np

DIMENSIONS = 100
# Words of a model at most: 52 MB. The rarest are left out, and those seen once.
MAX_WORDS = 1 << 17
MIN_COUNT = 2
# A small training set is passed through more often, so that the model is trained at all.
UPDATES, MIN_EPOCHS, MAX_EPOCHS = 20_000, 5, 500
# The word that ends each line for fastText.
END_OF_LINE = "</s>"
_SIGNS = str.maketrans({"0": f" -{1 / DIMENSIONS}", "1": f" {1 / DIMENSIONS}"})

Line = tuple[str, str]
"label and words separated by one space"


@dataclass(frozen=True)
class Job:
    """What a child process needs."""

    text: Path
    vectors: Path
    model: Path
    n_words: int
    settings: dict[str, float | int | str]


def train_in_child(
    lines: Sequence[Line], label_prefix: str, rate: float, seed: int, folder: Path
) -> int | None:
    """Train on labelled lines and write `folder`/model.bin; return the exit code of the child.

    0: done, 1: fastText gave an error, negative: a signal ended it.
    """
    min_count, words = vocabulary([words for _, words in lines])
    job = Job(
        folder / "text",
        folder / "vectors",
        folder / "model.bin",
        len(words),
        {
            "lr": rate,
            "seed": seed % 2**31,
            "dim": DIMENSIONS,
            "epoch": min(MAX_EPOCHS, max(MIN_EPOCHS, UPDATES // len(lines))),
            "minCount": min_count,
            "wordNgrams": 1,
            "label": label_prefix,
            "thread": 1,
            "verbose": 0,
        },
    )
    job.text.write_text("".join(f"{label} {words}\n" for label, words in lines), encoding="utf-8")
    with job.vectors.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(start_vectors(words, seed))
    return run(job)


def run(job: Job) -> int | None:
    """Run a job in a process of its own; return the exit code."""
    child = get_context("spawn").Process(target=_train, args=(job,))
    child.start()
    child.join()
    return child.exitcode


def _train(job: Job) -> None:
    try:
        model = fasttext.train_supervised(str(job.text), pretrainedVectors=str(job.vectors), **job.settings)
    except RuntimeError as error:  # "Encountered NaN."
        raise SystemExit(f"fastText: {error}") from error
    matrix = model.get_input_matrix()
    assert len(matrix) == job.n_words, f"{len(matrix)} rows for {job.n_words} words: some had no start vector"
    if not (np.isfinite(matrix).all() and np.isfinite(model.get_output_matrix()).all()):
        raise SystemExit("fastText: the model holds NaN")
    model.save_model(str(job.model))


def vocabulary(lines: Sequence[str]) -> tuple[int, list[str]]:
    """The smallest count, at least 2, that no more than MAX_WORDS words reach, and these words.

    They are sorted, END_OF_LINE among them.

    vocabulary(["a b a", "c b"]) -> (2, ["</s>", "a", "b"])
    """
    counts = Counter(word for line in lines for word in line.split(" "))
    by_count = sorted(counts.values(), reverse=True)
    too_rare = by_count[MAX_WORDS] if len(by_count) > MAX_WORDS else 0
    min_count = max(MIN_COUNT, too_rare + 1)
    return min_count, [END_OF_LINE, *sorted(word for word, count in counts.items() if count >= min_count)]


def start_vectors(words: Sequence[str], seed: int) -> Iterator[str]:
    """Lines of a vector file: its size, then each word with 100 numbers, plus or minus 1/100 at random."""
    yield f"{len(words)} {DIMENSIONS}\n"
    generator = random.Random(seed)
    for word in words:
        yield word + f"{generator.getrandbits(DIMENSIONS):0{DIMENSIONS}b}".translate(_SIGNS) + "\n"
