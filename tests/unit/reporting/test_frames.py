"""Inputs of tables and figures: what becomes a number, and what a file without rows keeps."""

from modtok.reporting.frames import read_frame


def test_columns_of_numbers_become_numbers_and_text_stays_text(tmp_path):
    (tmp_path / "metrics.tsv").write_text("lang\tvalue\nnan\t1.5\n")
    frame = read_frame(tmp_path / "metrics.tsv")
    assert frame["value"].tolist() == [1.5]
    assert frame["lang"].tolist() == ["nan"]


def test_a_file_without_rows_keeps_its_columns(tmp_path):
    (tmp_path / "conflict.tsv").write_text("tokenizer\tstep\tpieces\n")
    frame = read_frame(tmp_path / "conflict.tsv")
    assert frame["tokenizer"].nunique() == 0
    assert list(frame) == ["tokenizer", "step", "pieces"]
