"""What a sample says of a corpus, against the corpus counted whole."""

import gzip
import random

import pytest

from modtok.planning import sample
from modtok.planning.sample import Sample, Text, measure, sample_files
from modtok.planning.synthetic import lines
from modtok.tokenization.word_count_files import read_counts
from modtok.tokenization.word_counts import count_files


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A text of 1.7 MB in two files, one of them packed, and its counted words."""
    folder = tmp_path_factory.mktemp("corpus")
    made = lines(20_000)
    halves = made[:10_000], made[10_000:]
    files = [folder / "a.txt", folder / "b.txt.gz"]
    texts = ["\n\n".join("\n".join(half[at : at + 5]) for at in range(0, len(half), 5)) for half in halves]
    files[0].write_text(texts[0])
    files[1].write_bytes(gzip.compress(texts[1].encode()))
    count_files(files, "whitespace", folder / "counts.parquet")
    counts = read_counts([folder / "counts.parquet"])
    return files, counts, sum(len(line) for line in made)


def test_a_corpus_smaller_than_the_least_sample_is_measured_whole(corpus, monkeypatch):
    files, counts, characters = corpus
    monkeypatch.setattr(sample, "LEAST_CHARACTERS", 10**9)
    text = measure(sample_files(files), "whitespace")
    words = [word for word in counts.words if word != ""]
    assert text.characters_m == pytest.approx(characters / 1e6)
    assert text.documents_m * 1e6 == 4000
    assert text.distinct_m == pytest.approx(len(words) / 1e6)
    assert text.symbols_m == pytest.approx(sum(map(len, words)) / 1e6)
    assert text.words_m == pytest.approx(int(counts.counts.sum()) / 1e6)


@pytest.mark.parametrize(("least", "within"), [(400_000, 1.3), (100_000, 1.6)])
def test_different_words_grow_as_in_the_whole_corpus(corpus, monkeypatch, least, within):
    # Made-up words run out at 50,000, which real ones do not: the forecast is too high here.
    files, counts, characters = corpus
    monkeypatch.setattr(sample, "LEAST_CHARACTERS", least)
    found = sample_files(files)
    text = measure(found, "whitespace")
    assert sum(map(len, found.lines)) < 2 * least
    assert text.characters_m == pytest.approx(characters / 1e6, rel=0.02)
    assert 1 / within < text.distinct_m * 1e6 / len(counts.words) < within


def test_a_file_read_in_part_is_taken_to_be_like_its_beginning(corpus, monkeypatch):
    files, _, characters = corpus
    monkeypatch.setattr(sample, "READ_CHARACTERS", 200_000)
    text = measure(sample_files(files), "whitespace")
    assert text.characters_m == pytest.approx(characters / 1e6, rel=0.1)


def test_many_files_are_sampled_evenly(tmp_path, monkeypatch):
    monkeypatch.setattr(sample, "FILES", 4)
    paths = [tmp_path / f"{number}.txt" for number in range(12)]
    for path in paths:
        path.write_text("word " * random.Random(1).randint(50, 60))
    found = measure(sample_files(paths), "whitespace")
    assert found.characters_m * 1e6 == pytest.approx(sum(path.stat().st_size for path in paths), rel=0.01)


def test_no_text_is_nothing(tmp_path):
    (tmp_path / "empty.txt").touch()
    for nothing in (Sample([], 0.0, 0), sample_files([tmp_path / "empty.txt"])):
        assert measure(nothing, "whitespace").bytes_mb == 0


def test_no_more_words_than_are_kept() -> None:
    text = Text(bytes_mb=9, distinct_m=3, symbols_m=30)
    assert text.most_frequent(1_000_000) == Text(bytes_mb=9, distinct_m=1, symbols_m=10)
    assert text.most_frequent(3_000_000) == text.most_frequent(None) == text
