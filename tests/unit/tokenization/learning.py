"""What the tests of sequential BPE share: words of the smoke run's texts, and a language that comes later."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.pretokenization import split
from modtok.tokenization.sequential_bpe import SequentialBPE
from modtok.tokenization.word_count_files import WordCounts, from_sums


def counted(words: Mapping[str, int]) -> WordCounts:
    return from_sums(words, "the counts")


def counted_texts(repository: Path, langs: Sequence[str]) -> dict[str, WordCounts]:
    """Words of the smoke run's texts, by language."""
    texts = {lang: repository / "tests" / "smoke" / "text" / f"{lang}.txt" for lang in langs}
    return {lang: counted(_words(path.read_text(encoding="utf-8"))) for lang, path in texts.items()}


def _words(text: str) -> Counter[str]:
    return Counter(word for line in text.split("\n") for word in split(line, "whitespace"))


def check_the_last_language_may_come_later(
    start: SequentialBPE,
    whole: SequentialBPE,
    counts: Mapping[str, WordCounts],
    settings: Settings,
    folder: Path,
) -> None:
    """All languages of `whole` but one learned from `start`, written, loaded, then that one: the same bytes.

    Leaves the folders `fewer`, `later` and `whole`.
    """
    *first, last = whole.modules
    for lang in first:
        start.add(lang, counts[lang], settings)
    start.write(folder / "fewer")
    later = SequentialBPE.load(folder / "fewer")
    later.add(last, counts[last], settings)
    later.write(folder / "later")
    whole.write(folder / "whole")
    once = {path.name: path.read_bytes() for path in (folder / "whole").iterdir()}
    assert once.keys() >= {"tokenizer.json", "modules.json", "growth.tsv"}
    assert {path.name: path.read_bytes() for path in (folder / "later").iterdir()} == once
