"""Training unigram tokenizers: budget, alphabet, what is left out, errors, the three rules on pieces."""

import os
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.tokenization import unigram
from modtok.tokenization.pretokenization import WHITE_SPACE, split
from modtok.tokenization.unigram import (
    GRID,
    UnigramModel,
    on_grid,
    passes_tsv,
    sampled,
    segments,
    train_unigram,
)
from modtok.tokenization.word_count_files import WordCounts


def counts_of(words: dict[str, int]) -> WordCounts:
    ordered = sorted(words.items(), key=lambda item: (-item[1], item[0]))
    return WordCounts([word for word, _ in ordered], np.array([n for _, n in ordered], dtype=np.uint64))


@pytest.fixture(scope="module")
def french(repository: Path) -> WordCounts:
    text = (repository / "tests/smoke/text/fr.txt").read_text(encoding="utf-8")
    return counts_of(Counter(word for line in text.split("\n") for word in split(line, "whitespace")))


def test_budget_counts_bytes_characters_and_pieces(french: WordCounts) -> None:
    model = train_unigram(french, budget=700).model
    assert model.size == 700
    assert len(set(model.pieces)) == len(model.pieces) == len(model.scores) == 700 - 256


def test_alphabet_is_in_the_pieces_and_nothing_else_is(french: WordCounts) -> None:
    full = train_unigram(french, budget=700, character_coverage=1.0).model
    assert set("".join(french.words)) == set("".join(full.pieces)) <= set(full.pieces)
    common = train_unigram(french, budget=700, character_coverage=0.9).model
    assert set("".join(common.pieces)) <= set(common.pieces)
    assert 0 < len(set("".join(common.pieces))) < len(set("".join(full.pieces)))


def test_a_character_too_rare_for_the_sample_stays_in_the_alphabet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unigram, "MAX_CHARACTERS", 10_000)
    counts = counts_of({"ab": 10**12, "bab": 10**12, "rare": 1})
    model = train_unigram(counts, budget=260, character_coverage=1.0).model
    assert set(model.pieces) == set("aber")


@pytest.mark.filterwarnings("ignore:the corpus ran out")
def test_pieces_obey_the_rules_that_make_both_formats_agree() -> None:
    words = {" <b>bold</b>": 50, "a\u2028": 30, "\xa0\xa0": 40, "   ": 60, " word": 70, "wor<d": 9}
    pieces = train_unigram(counts_of(words), budget=330, character_coverage=1.0).model.pieces
    assert max(map(len, pieces)) > 2
    for piece in pieces:
        assert len(piece) == 1 or not set(piece[1:]) & set(WHITE_SPACE)
        assert len(piece) == 1 or piece[0] == " " or piece[0] not in WHITE_SPACE
        assert "<" not in piece or piece == "<"


def test_segments_are_cut_where_no_piece_may_cross() -> None:
    counts = counts_of({" a<b": 2, "  ": 1, " xa": 3, "\xa0 ": 4})
    assert segments(counts, "\xa0 ab<") == {" a": 2, "<": 2, "b": 2, " ": 2 + 3 + 4, "a": 3, "\xa0": 4}
    assert segments(counts_of({"<<": 1}), "<") == {"<": 2}
    assert segments(counts_of({"^]-\\[": 1}), "^]-\\[") == {"^]-\\[": 1}


def test_words_that_cannot_pass_the_tsv_are_left_out_and_returned() -> None:
    strange = ["tab\tword", "\n", "\r\n", "nul\0", "\u2581", "a\u2585", "x" * 4193]
    trained = train_unigram(counts_of(dict.fromkeys(strange, 7) | {"common": 90}), budget=261)
    assert sorted(trained.left_out.words) == sorted(strange)
    assert trained.left_out.counts.tolist() == [7] * len(strange)
    assert set("".join(trained.model.pieces)) == set("common")
    assert passes_tsv("x" * 4192)


def test_a_corpus_that_runs_out_warns_with_the_size_reached() -> None:
    with pytest.warns(UserWarning, match=r"ran out at \d+ of 5000 tokens"):
        trained = train_unigram(counts_of({" some": 5, " words": 3}), budget=5000)
    assert 256 < trained.model.size < 5000


@pytest.mark.parametrize("word", ["a", " ", "<", "aaaa", "\u3000"])
def test_the_smallest_corpora_train(word: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = train_unigram(counts_of({word: 1}), budget=300).model
    assert set(word) <= set(model.pieces)
    assert np.isfinite(model.scores).all()


@pytest.mark.parametrize("words", [{}, {"\n": 5}, {"": 5}])
def test_no_words_are_an_error(words: dict[str, int]) -> None:
    with pytest.raises(DataError, match="no words to train on"):
        train_unigram(counts_of(words), budget=300)


def test_faulty_settings_are_named() -> None:
    counts = counts_of({"abc": 5})
    with pytest.raises(ConfigError, match="budget 258: the base alphabet alone has 259 tokens"):
        train_unigram(counts, budget=258)
    with pytest.raises(ConfigError, match="character coverage 0"):
        train_unigram(counts, budget=300, character_coverage=0)
    with pytest.raises(ConfigError, match="'bytes' is for BPE"):
        train_unigram(counts, budget=300, alphabet="bytes")
    with pytest.raises(DataError, match=r"en\.tsv: the counts are too large"):
        train_unigram(WordCounts(["abc"], np.array([2**62], dtype=np.uint64), "en.tsv"), budget=300)
    assert train_unigram(counts, budget=259).model.size == 259


def test_large_counts_are_sampled_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unigram, "MAX_CHARACTERS", 1000)
    parts = {"many": 2**40, "half": 2**39, **{f"{n:04}": 2**32 for n in range(128)}}
    kept = sampled(parts)
    assert sum(len(part) * count for part, count in kept.items()) <= 1000
    assert kept["many"] == pytest.approx(2 * kept["half"], abs=2)
    assert sum(count for part, count in kept.items() if part.isdigit()) == pytest.approx(kept["half"], abs=2)
    assert sampled({"few": 3}) == {"few": 3}


def test_counts_beyond_32_bits_train(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unigram, "MAX_CHARACTERS", 10_000)
    counts = counts_of({" many": 2**40, " few": 2**39})
    model = train_unigram(counts, budget=264, character_coverage=1.0).model
    assert set(" manyfew") == set(model.pieces)


def test_scores_are_on_the_grid(french: WordCounts) -> None:
    scores = train_unigram(french, budget=500).model.scores
    assert np.array_equal(scores, np.round(scores / GRID) * GRID)
    rough = UnigramModel(["a"], np.array([-1.2345]))
    assert on_grid(rough).scores.tolist() == [-1.234375]


def test_training_is_the_same_in_any_process(repository: Path, tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from modtok.tokenization.unigram import train_unigram
from modtok.tokenization.unigram_format import write_unigram
from modtok.tokenization.word_count_files import read_counts
from modtok.tokenization.word_counts import count_files
text, folder = map(Path, sys.argv[1:])
count_files([text], "whitespace", folder / "counts.parquet")
trained = train_unigram(read_counts([folder / "counts.parquet"]), budget=600)
write_unigram(folder, trained.model, "whitespace")
"""
    text = repository / "tests/smoke/text/fi.txt"
    files = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        command = [sys.executable, "-c", program, text, folder]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        files.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert files[0] == files[1]
    assert sorted(files[0]) == [
        "counts.parquet",
        "tokenizer.json",
        "tokenizer.model",
        "tokenizer_config.json",
    ]
