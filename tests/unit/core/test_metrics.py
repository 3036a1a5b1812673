from dataclasses import dataclass

import numpy as np

from modtok.core.io import read_tsv
from modtok.core.metrics import Metric, write_metrics


def test_metrics_keep_their_order_and_precision(tmp_path):
    taken = Metric(
        "open-qwen3", 151_669, "el", "flores200", "nsl", np.float64(13 / 4), 3.22, 3.28, "ratio", 1012
    )
    without_interval = Metric(
        "sequential-bpe+fr+en", 24_000, "all", "flores200", "gini", 0.1, None, None, "ratio", 21
    )
    write_metrics(tmp_path / "m.tsv", [taken, without_interval])
    rows = read_tsv(tmp_path / "m.tsv")
    assert list(rows[0])[:6] == ["tokenizer", "vocabulary_size", "lang", "dataset", "metric", "value"]
    assert {"unit", "n"} <= set(rows[0])
    assert [row["tokenizer"] for row in rows] == ["open-qwen3", "sequential-bpe+fr+en"]
    assert (rows[0]["value"], rows[0]["low"], rows[1]["low"]) == ("3.25", "3.22", "")


@dataclass(frozen=True)
class OfModel(Metric):
    model: str


def test_a_kind_of_metric_has_its_columns_behind_those_of_all(tmp_path):
    write_metrics(tmp_path / "none.tsv", [])
    columns = (tmp_path / "none.tsv").read_text().rstrip("\n").split("\t")
    metric = OfModel("t", 10, "el", "set", "loss", 1.5, None, None, "bits", 3, "7B")
    write_metrics(tmp_path / "m.tsv", [metric], OfModel)
    (row,) = read_tsv(tmp_path / "m.tsv")
    assert list(row) == [*columns, "model"]
    assert row["model"] == "7B"
