"""The file of shuffled documents: everything once, read from anywhere without cutting words."""

import pytest

from modtok.core.errors import DataError
from modtok.modelling.shuffled_text import SEPARATOR, ShuffledText, write_shuffled

DOCUMENTS = [f"document {number}: hyvää päivää, καλημέρα\nits second line" for number in range(40)]


@pytest.fixture
def path(tmp_path):
    (tmp_path / "fi.txt").write_text("\n\n".join(DOCUMENTS))
    assert write_shuffled(tmp_path / "fi.txt", tmp_path / "fi.bin", seed=3) == 40
    return tmp_path / "fi.bin"


def test_each_document_is_there_once_in_another_order(path):
    read = [part.decode() for part in path.read_bytes().split(SEPARATOR)]
    assert read.pop() == ""
    assert sorted(read) == sorted(DOCUMENTS)
    assert read != DOCUMENTS


def test_the_order_is_that_of_the_seed(path, tmp_path):
    write_shuffled(tmp_path / "fi.txt", tmp_path / "again.bin", seed=3)
    write_shuffled(tmp_path / "fi.txt", tmp_path / "other.bin", seed=4)
    assert (tmp_path / "again.bin").read_bytes() == path.read_bytes() != (tmp_path / "other.bin").read_bytes()


def test_a_reading_from_the_start_begins_with_a_document(path):
    begins, parts = ShuffledText(path).read(0, 100)
    assert begins
    assert parts[0] in DOCUMENTS


def test_no_word_is_cut_wherever_a_reading_starts(path):
    text = ShuffledText(path)
    words = {word for document in DOCUMENTS for word in document.split()}
    for place in range(text.size):
        _, parts = text.read(place, 60)
        assert {word for part in parts for word in part.split()} <= words


def test_a_document_that_begins_at_the_place_is_seen(path):
    text = ShuffledText(path)
    place = path.read_bytes().index(SEPARATOR) + 1
    begins, parts = text.read(place, 60)
    assert (begins, parts[0][:9]) == (True, "document ")
    assert not text.read(place + 1, 60)[0]


def test_the_text_is_a_ring(path):
    text = ShuffledText(path)
    assert text.read(7, 90) == text.read(text.size + 7, 90)
    _, parts = text.read(text.size - 5, 3 * text.size)
    assert sum(part in DOCUMENTS for part in parts) >= 80


def test_a_text_without_spaces_is_cut_between_characters(tmp_path):
    (tmp_path / "th.txt").write_text("ภาษาไทย" * 200)
    write_shuffled(tmp_path / "th.txt", tmp_path / "th.bin", seed=1)
    _, parts = ShuffledText(tmp_path / "th.bin").read(100, 300)
    assert "\ufffd" not in parts[0]
    assert len(parts[0]) > 50


def test_files_without_text_and_cut_short_are_refused(path, tmp_path):
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(DataError, match="no text to train on"):
        write_shuffled(tmp_path / "empty.txt", tmp_path / "empty.bin", seed=1)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DataError, match="cut short"):
        ShuffledText(path)
