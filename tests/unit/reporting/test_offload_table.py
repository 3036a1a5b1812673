"""table_offload: cases in the order of the metrics, the paper's figures where they are of the same case."""

from dataclasses import replace
from pathlib import Path

import pytest

from modtok.core.metrics import write_metrics
from modtok.evaluation.offload import OffloadMetric
from modtok.reporting.frames import read_frame
from modtok.reporting.model_tables import table_offload
from modtok.reporting.run import Run

RUN = Run({"en": "English"}, ("sequential-bpe",), {}, "flores200", 24_000)
ONE = OffloadMetric(
    "", 504_000, "all", "", "device_seconds", 1.4321, 1.4, 1.5, "s", 5, "1B", 128, 5, 21, "some GPU"
)


@pytest.fixture
def metrics(tmp_path: Path):
    rows = [
        replace(ONE, metric="offloaded_seconds", value=0.9),
        ONE,
        replace(ONE, metric="step_seconds", value=1.5),
        replace(ONE, metric="left_out", value=1, low=None, high=None, unit="case", n=0, model="7B"),
    ]
    write_metrics(tmp_path / "offload.tsv", rows, OffloadMetric)
    return read_frame(tmp_path / "offload.tsv")


def test_times_stand_beside_the_papers(metrics):
    first, second = table_offload(metrics, RUN).rows
    assert first == {
        "model": "1B",
        "batch": "128",
        "languages_of_step": "6",
        "languages_held": "21",
        "rows_held": "504000",
        "offloaded_seconds": "0.9",
        "offloaded_seconds_paper": "1.2",
        "device_seconds": "1.43",
        "device_seconds_paper": "1.5",
        "step_seconds": "1.5",
        "step_seconds_paper": "",
        "offloaded_percent_of_device": "63",
    }
    assert (second["model"], second["device_seconds"], second["device_seconds_paper"]) == (
        "7B",
        "left out",
        "7.4",
    )
    assert second["offloaded_percent_of_device"] == "left out"


def test_of_another_budget_nothing_is_the_papers(metrics):
    other = table_offload(metrics, replace(RUN, budget=8000)).rows
    assert {row["device_seconds_paper"] for row in other} == {""}
