"""Counts of what is taken out of a modular tokenizer, against its files and against counting one by one."""

from pathlib import Path

import numpy as np
import pytest

from modtok.core.errors import DataError
from modtok.evaluation.compression import by_family, measure
from modtok.evaluation.subtokenizer_counts import (
    count_concatenations,
    count_full,
    count_subtokenizers,
    read_subtokenizer_counts,
    write_subtokenizer_counts,
)
from modtok.evaluation.token_counts import TokenCounts
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.loading import load
from modtok.tokenization.modular import Modular
from modtok.tokenization.sequential_bpe import SequentialBPE
from modtok.tokenization.word_count_files import WordCounts

WORDS = {
    "en": WordCounts([" the", " then", " sea", " seas"], np.array([9, 5, 4, 3])),
    "fi": WordCounts([" ensi", " sen", " nyt", " seat"], np.array([8, 6, 5, 2])),
}
SETS = {"set": {"en": [" the sea then", "the seas"], "fi": [" sen seat", "nyt ensi then"]}}


@pytest.fixture(scope="module")
def modular() -> Modular:
    growing = SequentialBPE.empty("bytes", "whitespace")
    for lang, counts in WORDS.items():
        growing.add(lang, counts, Settings(262))
    return growing.modular()


def test_a_subtokenizer_in_memory_counts_as_its_folder_does(modular: Modular, tmp_path: Path) -> None:
    combinations = [["en"], ["en", "fi"]]
    counted = list(count_subtokenizers("sequential-bpe", modular, SETS, combinations))
    assert [one.tokenizer for one in counted] == ["sequential-bpe+en", "sequential-bpe+en+fi"]
    assert [list(one.tokens) for one in counted] == [[("set", "en")], [("set", "en"), ("set", "fi")]]
    for one, langs in zip(counted, combinations, strict=True):
        written = modular.write_subtokenizer(tmp_path / "+".join(langs), langs)
        assert one.vocabulary_size == len(written.full_ids)
        for (_, lang), tokens in one.tokens.items():
            ours = load(tmp_path / "+".join(langs)).count_batch(SETS["set"][lang])
            assert tokens.tolist() == ours.tolist()


def test_foreign_tokens_are_those_outside_the_languages_own_set(modular: Modular, tmp_path: Path) -> None:
    modular.write(tmp_path)
    full = load(tmp_path)
    counts = count_full("sequential-bpe", modular, SETS)
    for lang, lines in SETS["set"].items():
        own = set(modular.modules[lang].tolist())
        ids = full.encode_batch(lines)
        assert counts.tokens["set", lang].tolist() == [len(line) for line in ids]
        assert counts.foreign["set", lang].tolist() == [sum(i not in own for i in line) for line in ids]
    assert counts.foreign["set", "fi"].sum() > 0, "then is English"


def test_the_share_of_foreign_tokens_is_a_ratio_of_sums() -> None:
    full = TokenCounts(
        "sequential-bpe", 9, {("set", "en"): np.array([4, 6])}, {("set", "en"): np.array([1, 0])}
    )
    metrics = measure(by_family([full]), {}, {"set": {"en": ["a", "b"]}}, ["en"], resamples=9)
    shares = [(m.tokenizer, m.lang, m.value, m.unit) for m in metrics if m.metric == "foreign_tokens"]
    assert shares == [("sequential-bpe", "en", 0.1, "share")]


def test_of_one_language_a_concatenation_is_its_table() -> None:
    tables = {
        lang: train_bpe(counts, budget=262).tokenizer_json("whitespace") for lang, counts in WORDS.items()
    }
    one, two = count_concatenations("concatenated-bpe", tables, SETS, [["en"], ["fi", "en"]])
    assert one.vocabulary_size == len(tables["en"]["model"]["vocab"])
    assert two.tokenizer == "concatenated-bpe+fi+en"
    assert sorted(two.tokens) == [("set", "en"), ("set", "fi")]


def test_the_file_gives_back_what_was_written(modular: Modular, tmp_path: Path) -> None:
    counts = [
        count_full("sequential-bpe", modular, SETS),
        *count_subtokenizers("sequential-bpe", modular, SETS, [["fi"]]),
    ]
    write_subtokenizer_counts(tmp_path / "counts.parquet", counts)
    read = read_subtokenizer_counts(tmp_path / "counts.parquet")
    assert [one.tokenizer for one in read] == [one.tokenizer for one in counts]
    for one, other in zip(read, counts, strict=True):
        assert one.vocabulary_size == other.vocabulary_size
        for mine, theirs in ((one.tokens, other.tokens), (one.foreign, other.foreign)):
            assert {key: line.tolist() for key, line in mine.items()} == {
                key: line.tolist() for key, line in theirs.items()
            }


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "counts.parquet").write_bytes(b"no parquet")
    with pytest.raises(DataError, match="not counts of subtokenizers"):
        read_subtokenizer_counts(tmp_path / "counts.parquet")
