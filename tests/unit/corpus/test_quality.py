"""Scores and the threshold, with a classifier trained here on two made-up kinds of text."""

import random
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from modtok.core.errors import DataError
from modtok.corpus.documents import DEDUPLICATED, DOCUMENTS, Document, document_writer
from modtok.corpus.quality import QualityModel, filter_quality, single_line
from modtok.corpus.quality_training import ClassDocuments, train_classifier

PROSE = "the river carried silt to the delta where farmers grew rice and wheat in the wet season"
SPAM = "buy cheap hose now click here best price discount coupon free shipping sale"
PAGE = Document("<id>", "https://example.org", "a.warc.gz", 0, 0, "en", 0.9, "text")


def made_up(words, seed, n=40):
    generator = random.Random(seed)
    return [" ".join(generator.choices(words.split(), k=30)) for _ in range(n)]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("quality") / "en.bin"
    train_classifier(
        "en",
        ClassDocuments("prose", [], made_up(PROSE, 1)),
        ClassDocuments("spam", [], made_up(SPAM, 2)),
        1,
        path,
    )
    return QualityModel(path)


def write(path, texts):
    with document_writer(path, DEDUPLICATED) as writer:
        for offset, text in enumerate(texts):
            writer.add(replace(PAGE, offset=offset, text=text))
    return path


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\nparagraphs", "two paragraphs"),
        ("a NUL \0 and \x01good, a label's prefix", "a NUL and good, a label's prefix"),
        ("fastText stops at </s> otherwise", "fastText stops at < /s> otherwise"),
        ("a lone \ud800 surrogate", "a lone ? surrogate"),
        (" \n\0 ", ""),
        ("cut after ten thousand " * 1000, ("cut after ten thousand " * 1000)[:10_000].strip()),
    ],
)
def test_a_document_becomes_a_line_of_plain_words(text, line):
    assert single_line(text) == line


def test_good_text_scores_high_and_bad_text_low(model):
    assert model.score(PROSE.replace(" ", "\n")) > 0.9
    assert model.score(SPAM) < 0.1


@pytest.mark.parametrize(
    "text", ["", "\n", "\0", "unheard-of words", "\x01good", "</s>", "x" * 1_000_000, "\ud800"]
)
def test_odd_texts_have_a_score_from_0_to_1(model, text):
    assert 0 <= model.score(text) <= 1


def test_what_follows_an_end_of_line_word_counts(model):
    spam_behind_it = "the river </s> " + f"{SPAM} {SPAM}"
    assert model.score(spam_behind_it) < 0.1


def test_documents_below_the_threshold_go_and_are_counted(tmp_path, model):
    documents = write(tmp_path / "deduplicated.parquet", [SPAM, PROSE, "buy cheap é"])
    ledger = filter_quality(documents, tmp_path / "en.parquet", "en", model, 0.5)
    table = pq.read_table(tmp_path / "en.parquet")
    assert table.schema.equals(DOCUMENTS)
    assert table["text"].to_pylist() == [PROSE]
    assert table["quality_score"][0].as_py() == model.score(PROSE)
    dropped = len(SPAM) + len("buy cheap é".encode())
    assert list(ledger) == [
        ("quality", "en", "kept", 1, len(PROSE)),
        ("quality", "en", "low_quality", 2, dropped),
    ]


def test_without_a_model_every_document_passes_unscored(tmp_path):
    documents = write(tmp_path / "deduplicated.parquet", ["one", "two"])
    filter_quality(documents, tmp_path / "en.parquet", "en", None, 0.5)
    table = pq.read_table(tmp_path / "en.parquet")
    assert table.column_names == [
        "record_id",
        "url",
        "warc",
        "offset",
        "language",
        "language_score",
        "text",
        "quality_score",
    ]
    assert table["quality_score"].to_pylist() == [None, None]


def test_a_file_that_is_no_model_is_an_error_that_names_it(tmp_path):
    (tmp_path / "en.bin").write_bytes(b"no model")
    with pytest.raises(DataError, match=r"en.bin: no fastText model .* train the classifier again"):
        QualityModel(tmp_path / "en.bin")


def test_nothing_left_is_an_error_that_names_language_and_threshold(tmp_path, model):
    documents = write(tmp_path / "deduplicated.parquet", [SPAM])
    with pytest.raises(
        DataError, match=r"none of 1 documents in 'en' scores 0.5 or more; lower corpus.quality.threshold"
    ):
        filter_quality(documents, tmp_path / "en.parquet", "en", model, 0.5)
    assert not (tmp_path / "en.parquet").exists()
