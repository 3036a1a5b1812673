"""The classifier is trained in a child process, the same bytes each time, retried where fastText fails."""

import random
from pathlib import Path

import pytest

from modtok.core.errors import DataError
from modtok.core.io import read_tsv
from modtok.corpus import quality_training as module
from modtok.corpus.quality import GOOD, RANDOM, QualityModel
from modtok.corpus.quality_training import (
    ClassDocuments,
    draw_examples,
    matching_files,
    train_classifier,
)

PROSE = "the river carried silt to the delta where farmers grew rice and wheat in the wet season"
SPAM = "buy cheap hose now click here best price discount coupon free shipping sale"


def documents(words, n, seed=1):
    generator = random.Random(seed)
    return ClassDocuments(
        f"{words.split()[0]}.txt", [], [" ".join(generator.choices(words.split(), k=30)) for _ in range(n)]
    )


def train(folder: Path, seed=1):
    path = folder / "en.bin"
    report = train_classifier("en", documents(PROSE, 40), documents(SPAM, 60, 2), seed, path)
    return path, report


def test_the_model_has_the_same_bytes_each_time_and_other_bytes_for_another_seed(tmp_path):
    first, _ = train(tmp_path / "first")
    again, _ = train(tmp_path / "again")
    other, _ = train(tmp_path / "other", seed=2)
    assert first.read_bytes() == again.read_bytes() != other.read_bytes()


def test_the_report_counts_what_was_held_out(tmp_path):
    _, report = train(tmp_path)
    assert (report.precision, report.recall, report.n_held_out, report.n_trained) == (1.0, 1.0, 8, 72)
    report.write(tmp_path / "en.tsv", "en")
    assert read_tsv(tmp_path / "en.tsv") == [
        {"lang": "en", "metric": "precision", "value": "1.0", "n": "8"},
        {"lang": "en", "metric": "recall", "value": "1.0", "n": "8"},
        {"lang": "en", "metric": "training_documents", "value": "72", "n": "8"},
    ]


def test_a_text_about_labels_trains_no_label(tmp_path):
    texts = [f"{text} \x01good __label__good </s> {text}" for text in documents(SPAM, 20).documents]
    train_classifier("en", documents(PROSE, 20), ClassDocuments("spam", [], texts), 1, tmp_path / "en.bin")
    model = QualityModel(tmp_path / "en.bin")
    assert model.labels == {GOOD, RANDOM}
    assert model.score(texts[0]) < 0.1


def test_examples_are_balanced_and_held_out_ones_are_not_trained_on():
    positive = ClassDocuments("p", [], [f"p{index}" for index in range(300)])
    negative = ClassDocuments("n", [], [f"n{index}" for index in range(1000)])
    examples = draw_examples("en", positive, negative, seed=1)
    for label in (GOOD, RANDOM):
        assert sum(of == label for of, _ in examples.training) == 270
        assert sum(of == label for of, _ in examples.held_out) == 30
    assert not set(examples.training) & set(examples.held_out)
    last_negative = max(int(line[1:]) for label, line in examples.training if label == RANDOM)
    assert last_negative > 900, "drawn from all pages, not from the first"


def test_a_sample_beyond_the_limit_gives_each_document_the_same_chance(monkeypatch):
    monkeypatch.setattr(module, "MAX_DOCUMENTS", 10)
    hits = [0] * 40
    for seed in range(400):
        for line in module._sample((str(index) for index in range(40)), seed):
            hits[int(line)] += 1
    assert sum(hits) == 4000
    assert min(hits) > 60 and max(hits) < 140  # 100 expected, 4.6 standard deviations


@pytest.mark.parametrize(("n_positive", "n_negative", "name"), [(4, 60, "the.txt"), (40, 4, "buy.txt")])
def test_too_few_documents_are_an_error_that_names_language_and_files(tmp_path, n_positive, n_negative, name):
    with pytest.raises(
        DataError, match=rf"quality: 4 documents for 'en' in {name}, at least 5 are needed; mend"
    ):
        train_classifier(
            "en", documents(PROSE, n_positive), documents(SPAM, n_negative), 1, tmp_path / "en.bin"
        )


def test_no_matching_file_is_an_error_that_names_the_glob(tmp_path):
    with pytest.raises(DataError, match=r"no file matches nowhere/\*\.txt for 'en'"):
        matching_files("en", ["nowhere/*.txt"])


def test_blank_lines_separate_the_documents_of_a_text_file(tmp_path):
    (tmp_path / "b.txt").write_text("first\nits second line\n\n\nsecond\n")
    (tmp_path / "a.jsonl").write_text('{"text": "row with a\\n\\nblank line"}\n')
    source = matching_files("en", [str(tmp_path / "*.txt"), str(tmp_path / "*.jsonl")])
    assert list(source.documents) == ["row with a\n\nblank line", "first\nits second line", "second"]


def test_a_rate_that_ends_in_nan_is_followed_by_a_lower_one(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(module, "LEARNING_RATES", (1e6, 0.1))
    _, report = train(tmp_path)
    assert "Encountered NaN" in capfd.readouterr().err
    assert report.recall == 1.0


def test_a_training_that_never_succeeds_is_an_error_that_names_the_language(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LEARNING_RATES", (1e6, 1e7))
    with pytest.raises(DataError, match=r"fastText failed 2 times for 'en' \(last exit code 1\)"):
        train(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_temporary_folder_is_gone(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    train(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
