"""A modular tokenizer of three languages, their texts, and a model that trains in a second."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from modtok.modelling.pretraining import Task
from modtok.modelling.settings import Settings
from modtok.modelling.shuffled_text import write_shuffled
from modtok.tokenization.bpe_training import Settings as TokenizerSettings
from modtok.tokenization.sequential_bpe import SequentialBPE
from modtok.tokenization.word_count_files import WordCounts

LANGS = ("en", "fi", "fr")
SMOKE = Path(__file__).parents[2] / "smoke"
SETTINGS = Settings(
    model="d=16,layers=1,heads=2,hidden=32,context=32",
    tied=False,
    tokens=24 * 4 * 32,
    batch=4,
    accumulation=1,
    learning_rate=0.01,
    warmup=0.1,
    final=0.1,
    beta1=0.9,
    beta2=0.95,
    epsilon=1e-8,
    weight_decay=0.1,
    clip=1.0,
    rows="lazy",
    max_logits=100_000,
    compile=False,
)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """A folder with `tokenizer`, and {lang}.bin of some documents."""
    folder = tmp_path_factory.mktemp("corpus")
    trained = SequentialBPE.empty("bytes", "whitespace")
    for lang in LANGS:
        lines = (SMOKE / "text" / f"{lang}.txt").read_text().splitlines()[:60]
        (folder / f"{lang}.txt").write_text("\n\n".join(line for line in lines if line))
        words, counts = np.unique(" ".join(lines).split(" "), return_counts=True)
        counted = WordCounts([f" {word}" for word in words if word], counts[words != ""])
        trained.add(lang, counted, TokenizerSettings(320))
        write_shuffled(folder / f"{lang}.txt", folder / f"{lang}.bin", seed=5)
    trained.write(folder / "tokenizer")
    return folder


@pytest.fixture
def task(corpus):
    texts = {lang: corpus / f"{lang}.bin" for lang in LANGS}
    shares = {"en": 0.5, "fi": 0.3, "fr": 0.2}
    return Task(corpus / "tokenizer", "samp-sub1", texts, shares, SETTINGS, seed=1)


def changed(task, **changes):
    """The task with other settings."""
    return replace(task, settings=replace(task.settings, **changes))
