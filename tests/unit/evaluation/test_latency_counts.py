"""Smaller vocabularies against tokenizers that were trained or extracted at that size."""

import numpy as np
import pytest

from modtok.core.errors import ConfigError
from modtok.evaluation.latency_counts import count_cut, count_unions, cut
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.hf_format import write_tokenizer
from modtok.tokenization.loading import load, read_tokenizer_json
from modtok.tokenization.sequential_bpe import SequentialBPE
from modtok.tokenization.word_count_files import WordCounts

WORDS = {
    "en": WordCounts([" the", " then", " sea", " seas"], np.array([9, 5, 4, 3])),
    "fi": WordCounts([" ensi", " sen", " nyt", " seat"], np.array([8, 6, 5, 2])),
    "fr": WordCounts([" le", " les", " dans", " mer"], np.array([9, 6, 5, 2])),
}
SETS = {
    "set": {"en": [" the sea then", "the seas"], "fi": [" sen seat", "nyt ensi"], "fr": [" les mer", " dans"]}
}
BYTES = 256
SPECIALS = 4


def train(folder, alphabet: str, budget: int):
    trained = train_bpe(WORDS["en"], budget=budget, alphabet=alphabet)
    write_tokenizer(folder, trained.tokenizer_json("whitespace"))
    return folder / "tokenizer.json"


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
def test_a_cut_table_is_the_one_trained_with_that_budget(tmp_path, alphabet: str) -> None:
    base = BYTES + (8 if alphabet == "characters" else 0)
    large = read_tokenizer_json(train(tmp_path / "large", alphabet, base + 7))
    small = read_tokenizer_json(train(tmp_path / "small", alphabet, base + 3))
    assert cut(large, base + 3, "large") == small
    assert cut(large, 10, "large")["model"]["merges"] == []


def test_cut_tables_count_as_they_would_from_files(tmp_path) -> None:
    file = train(tmp_path / "large", "bytes", BYTES + 7)
    small = load(train(tmp_path / "small", "bytes", BYTES + 3))
    sizes = [20, BYTES, BYTES + 3, BYTES + 7, 5000]
    counted = list(count_cut({"mono-bpe-en": file}, sizes, SETS, {"mono-bpe-en": ["en"]}))
    assert [(one.tokenizer, one.vocabulary_size) for one in counted] == [
        (f"mono-bpe-en-{BYTES + 3}", SPECIALS + BYTES + 3)
    ]
    assert counted[0].tokens["set", "en"].tolist() == small.count_batch(SETS["set"]["en"]).tolist()


def test_a_foreign_table_is_refused() -> None:
    table = {"model": {"vocab": {"a": 0, "b": 1, "ab": 2, "c": 3}, "merges": [["a", "b"]]}}
    with pytest.raises(ConfigError, match="open-x: not a BPE tokenizer of modtok"):
        cut(table, 3, "open-x")


def test_unions_are_of_a_language_and_those_after_it() -> None:
    growing = SequentialBPE.empty("bytes", "whitespace")
    for lang, counts in WORDS.items():
        growing.add(lang, counts, Settings(262))
    modular = growing.modular()
    counted = list(count_unions("sequential-bpe", modular, SETS, ["en", "fr"]))
    assert [(one.tokenizer, list(one.tokens)) for one in counted] == [
        ("sequential-bpe+en+fi", [("set", "en")]),
        ("sequential-bpe+fr+en", [("set", "fr")]),
    ]
    assert counted[1].vocabulary_size == len(modular.ids(["en", "fr"]))
