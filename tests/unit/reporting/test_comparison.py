"""Comparisons in print."""

import json
from io import StringIO

import pytest

from modtok.core.metrics import Metric
from modtok.reporting.comparison import Format, print_metrics

METRICS = [
    Metric("[bold]qwen3", 151_669, "el", "flores200", "nsl", 3.25, 3.2, 3.3, "ratio", 1012),
    Metric("[bold]qwen3", 151_669, "all", "flores200", "gini", 0.125, None, None, "index", 2),
]


def printed(form: Format) -> str:
    file = StringIO()
    print_metrics(METRICS, form, file)
    return file.getvalue()


def test_json_has_the_fields_of_a_metric() -> None:
    first, second = json.loads(printed("json"))
    assert first == {
        "tokenizer": "[bold]qwen3", "vocabulary_size": 151_669, "lang": "el", "dataset": "flores200",
        "metric": "nsl", "value": 3.25, "low": 3.2, "high": 3.3, "unit": "ratio", "n": 1012,
    }  # fmt: skip
    assert second["low"] is None


def test_tsv_is_the_metrics_table() -> None:
    assert printed("tsv").split("\n") == [
        "tokenizer\tvocabulary_size\tlang\tdataset\tmetric\tvalue\tlow\thigh\tunit\tn",
        "[bold]qwen3\t151669\tel\tflores200\tnsl\t3.25\t3.2\t3.3\tratio\t1012",
        "[bold]qwen3\t151669\tall\tflores200\tgini\t0.125\t\t\tindex\t2",
        "",
    ]


@pytest.mark.parametrize(
    "text", ["nsl (ratio), flores200", "[bold]qwen3", "151,669", "3.250", "3.200–3.300", "0.125"]
)
def test_the_table_shows_values_and_intervals_and_takes_names_as_text(text: str) -> None:
    assert text in printed("table")
