"""Comparing tokenizer files on a parallel set."""

from pathlib import Path

import pytest
from tokenizers import Tokenizer, models

from modtok.core.errors import ConfigError, DataError
from modtok.evaluation.comparison import compare, tokenizer_name

ENGLISH = {"en": "eng_Latn"}
FRENCH = {"fr": "fra_Latn"}
SOMALI = {"so": "som_Latn"}


@pytest.fixture
def parallel(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "eng_Latn.devtest").write_text("abab\nab\n")
    (folder / "fra_Latn.devtest").write_text("aabb\nbb\n")
    return folder


def tokenizer(folder: Path, merges: list[tuple[str, str]]) -> Path:
    vocabulary = {"a": 0, "b": 1} | {left + right: 2 + rank for rank, (left, right) in enumerate(merges)}
    folder.mkdir()
    Tokenizer(models.BPE(vocab=vocabulary, merges=merges)).save(str(folder / "tokenizer.json"))
    return folder


def test_every_tokenizer_is_counted_on_every_language(parallel: Path, tmp_path: Path) -> None:
    pairs = tokenizer(tmp_path / "mono-bpe-en", [("a", "b")])
    letters = tokenizer(tmp_path / "letters", [])
    metrics = compare(
        parallel, ENGLISH | FRENCH, [pairs, letters], {"en": pairs, "fr": letters}, resamples=20
    )
    values = {(m.tokenizer, m.lang, m.metric): m.value for m in metrics}
    assert {m.dataset for m in metrics} == {"tiny"}
    # English: ab ab, ab = 3 tokens against 6 letters. French: a ab b, b b = 5 against 6.
    assert values["letters", "en", "nsl"] == 2
    assert values["mono-bpe-en", "fr", "nsl"] == pytest.approx(5 / 6)
    assert values["mono-bpe-en", "fr", "parity"] == pytest.approx(5 / 3)
    assert values["letters", "all", "gini"] == 0
    assert values["letters", "all", "nsl"] == 1.5


def test_a_tokenizer_that_makes_no_tokens_is_named(parallel: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    Tokenizer(models.BPE()).save(str(tmp_path / "empty" / "tokenizer.json"))
    with pytest.raises(DataError, match="empty: it makes no token of the text of en in tiny; mend it"):
        compare(parallel, ENGLISH, [tmp_path / "empty"], resamples=20)


def test_without_references_there_is_no_nsl(parallel: Path, tmp_path: Path) -> None:
    metrics = compare(parallel, ENGLISH, [tokenizer(tmp_path / "letters", [])], resamples=20)
    assert "nsl" not in {metric.metric for metric in metrics}


def test_a_language_that_the_set_lacks_is_named(parallel: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'so' .* tiny \(.*tiny\); add a file som_Latn"):
        compare(parallel, ENGLISH | SOMALI, [tokenizer(tmp_path / "letters", [])])


def test_a_reference_for_another_language_is_refused(parallel: Path, tmp_path: Path) -> None:
    letters = tokenizer(tmp_path / "letters", [])
    with pytest.raises(ConfigError, match="--reference fr: not among --langs en"):
        compare(parallel, ENGLISH, [letters], {"fr": letters})


def test_two_tokenizers_of_one_name_keep_their_paths(parallel: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    paths = [tokenizer(tmp_path / "same", []), tokenizer(tmp_path / "other" / "same", [("a", "b")])]
    metrics = compare(parallel, ENGLISH, paths, resamples=20)
    assert {metric.tokenizer for metric in metrics} == set(map(str, paths))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("qwen3.tokenizer.json.gz", "qwen3"),
        ("runs/joint/tokenizer.json", "joint"),
        ("runs/joint", "joint"),
        ("nllb.model", "nllb"),
        ("runs/nllb/tokenizer.model", "nllb"),
    ],
)
def test_names_of_files_and_folders(path: str, name: str) -> None:
    assert tokenizer_name(Path(path)) == name
