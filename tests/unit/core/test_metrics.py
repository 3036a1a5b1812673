import numpy as np

from modtok.core.io import read_tsv
from modtok.core.metrics import COLUMNS, Metric, write_metrics


def test_metrics_keep_their_order_and_precision(tmp_path):
    taken = Metric(
        "open-qwen3", 151_669, "el", "flores200", "nsl", np.float64(13 / 4), 3.22, 3.28, "ratio", 1012
    )
    without_interval = Metric(
        "sequential-bpe+fr+en", 24_000, "all", "flores200", "gini", 0.1, None, None, "ratio", 21
    )
    write_metrics(tmp_path / "m.tsv", [taken, without_interval])
    rows = read_tsv(tmp_path / "m.tsv")
    assert tuple(rows[0]) == COLUMNS
    assert [row["tokenizer"] for row in rows] == ["open-qwen3", "sequential-bpe+fr+en"]
    assert (rows[0]["value"], rows[0]["low"], rows[1]["low"]) == ("3.25", "3.22", "")


def test_the_columns_begin_as_the_contract_says():
    assert COLUMNS[:6] == ("tokenizer", "vocabulary_size", "lang", "dataset", "metric", "value")
    assert {"unit", "n"} <= set(COLUMNS)
