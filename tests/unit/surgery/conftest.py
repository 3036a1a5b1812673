"""A small byte-level tokenizer of three writing systems, and counted words to give its rows to."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from modtok.surgery.byte_level import ByteLevelBPE, byte_level
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.pretokenization import split
from modtok.tokenization.word_count_files import WordCounts, from_sums

THAI = "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน ภาษาไทยเขียนจากซ้ายไปขวา ไม่มีช่องว่างระหว่างคำ "
ENGLISH = "the words of a language are cut where the tokenizer has learned to cut them and nowhere else "
RUSSIAN = "слова языка режутся там где их научился резать токенизатор и больше нигде "
UKRAINIAN = "їжак живе у лісі їжа їжака це жуки й гусінь їжаки живуть уночі її їхній ліс жовтий "


def counted(text: str, pretokenization: str = "gpt2") -> WordCounts:
    """The words of a text, counted."""
    return from_sums(Counter(split(text, pretokenization)), "text")


@pytest.fixture(scope="session")
def content() -> dict[str, Any]:
    """A tokenizer.json of 4 special tokens, 256 bytes and merges of Thai, Latin and Cyrillic text."""
    trained = train_bpe(counted(20 * (THAI + ENGLISH + RUSSIAN)), budget=455)
    return trained.tokenizer_json("gpt2")


@pytest.fixture(scope="session")
def bpe(content: dict[str, Any]) -> ByteLevelBPE:
    return byte_level(content, "small")


@pytest.fixture(scope="session")
def ukrainian() -> WordCounts:
    return counted(5 * UKRAINIAN, "whitespace")


def write_counts(path: Path, counts: WordCounts) -> Path:
    """Counts as a TSV file."""
    rows = zip(counts.words, counts.counts.tolist(), strict=True)
    path.write_text("".join(f"{word}\t{count}\n" for word, count in rows))
    return path


@pytest.fixture
def counts_files(tmp_path: Path, ukrainian: WordCounts) -> dict[str, Path]:
    """Files of counts by language."""
    texts = {"en": ENGLISH, "ru": RUSSIAN, "th": THAI}
    found = {lang: counted(20 * text, "whitespace") for lang, text in texts.items()} | {"uk": ukrainian}
    return {lang: write_counts(tmp_path / f"{lang}.tsv", counts) for lang, counts in found.items()}
