"""Counting tokens on parallel sets, and the file that holds the counts."""

import tarfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.evaluation.token_counts import (
    content_digests,
    count,
    read_sets,
    read_token_counts,
    write_token_counts,
)

ENGLISH = {"en": "eng_Latn"}
GREEK = {"el": "ell_Grek"}
SOMALI = {"so": "som_Latn"}
UNLISTED = {"xx": ""}


class PerCharacter:
    """A tokenizer whose tokens are code points."""

    vocabulary_size = 1_114_112

    def count_batch(self, texts: list[str]) -> np.ndarray:
        return np.array([len(text) for text in texts])


@pytest.fixture
def flores(tmp_path: Path) -> Path:
    folder = tmp_path / "flores"
    folder.mkdir()
    (folder / "eng_Latn.devtest").write_text("two words\nend\n")
    (folder / "ell_Grek.devtest").write_text("δύο λέξεις\nτέλος\n")
    return folder


def test_counts_follow_the_order_of_sets_and_languages(flores: Path) -> None:
    sets = read_sets({"flores": flores}, GREEK | ENGLISH)
    counts = count("per-character", PerCharacter(), sets, ["el", "en"])
    assert list(counts.tokens) == [("flores", "el"), ("flores", "en")]
    assert [tokens.tolist() for tokens in counts.tokens.values()] == [[10, 5], [9, 3]]


def test_a_language_may_be_missing_in_one_of_two_sets(flores: Path, tmp_path: Path) -> None:
    english_only = tmp_path / "english.tar"
    with tarfile.open(english_only, "w") as archive:
        archive.add(flores / "eng_Latn.devtest", "deep/folder/eng_Latn.test")
    sets = read_sets({"flores": flores, "other": english_only}, GREEK | ENGLISH)
    assert {name: list(texts) for name, texts in sets.items()} == {"flores": ["el", "en"], "other": ["en"]}


@pytest.mark.parametrize(
    ("language", "message"),
    [
        (
            SOMALI,
            r"language 'so' \(som_Latn\) is in no parallel set: flores \(.*\); add a file som_Latn.devtest",
        ),
        (UNLISTED, r"language 'xx' \(no FLORES code in languages.tsv\)"),
    ],
)
def test_a_language_in_no_set_is_named_with_the_remedy(
    flores: Path, language: dict[str, str], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        read_sets({"flores": flores}, ENGLISH | language)


def test_a_file_without_text_is_refused(flores: Path) -> None:
    (flores / "ell_Grek.devtest").write_text("  \n\n")
    with pytest.raises(DataError, match="ell_Grek"):
        read_sets({"flores": flores}, ENGLISH | GREEK)


def test_the_file_gives_back_what_was_written(flores: Path, tmp_path: Path) -> None:
    sets = read_sets({"flores": flores, "again": flores}, GREEK | ENGLISH)
    counts = count("per-character", PerCharacter(), sets, ["el", "en"])
    write_token_counts(tmp_path / "counts.parquet", counts)
    read = read_token_counts(tmp_path / "counts.parquet")
    assert (read.tokenizer, read.vocabulary_size) == ("per-character", 1_114_112)
    assert {key: tokens.tolist() for key, tokens in read.tokens.items()} == {
        key: tokens.tolist() for key, tokens in counts.tokens.items()
    }
    schema = pq.read_schema(tmp_path / "counts.parquet")
    assert [(field.name, str(field.type)) for field in schema] == [
        ("dataset", "string"),
        ("lang", "string"),
        ("line", "int32"),
        ("tokens", "int64"),
    ]


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "counts.parquet"
    path.write_bytes(b"no parquet")
    with pytest.raises(DataError, match="not a file of token counts"):
        read_token_counts(path)


def test_the_digest_of_a_set_follows_its_texts() -> None:
    assert content_digests({"a": {"en": ["x", "y"]}}) != content_digests({"a": {"en": ["xy"]}})
    assert content_digests({"a": {"en": ["x"]}}) != content_digests({"a": {"el": ["x"]}})
