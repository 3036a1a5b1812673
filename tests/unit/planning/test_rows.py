"""How a forecast reads."""

import io
import re
from dataclasses import replace

import pytest

from modtok.planning.rows import Row, readable, remarks
from modtok.planning.run import Job
from modtok.reporting.printing import print_rows
from unit.planning.forecasts import rows_of

SMALL = Row("mixture", 1, 0.5 / 3600, 0.5 / 3600, 15.4, 0.01, 0.0, 0.0, 0.0, 0.0, "", "job x start 1.00")
LARGE = Row(
    "train_frequency_unigram", 210, 3e6, 6e5, 156_400.0, 5.2e6, 1.1e7, 1.1e7, 12_557.4, 127_000.0,
    "memory: 156 GB, the machine has 16; different words: 5,186 million characters", "job x start 1.00",
)  # fmt: skip
EVERY = replace(SMALL, rule="all", fits="disk: 5,200 GB, 80 free")


class Terminal(io.StringIO):
    """Text that a terminal is shown."""

    def isatty(self) -> bool:
        return True


def test_figures_read_in_units_that_people_use():
    assert readable([LARGE])[0] == {
        "rule": "train_frequency_unigram",
        "jobs": "210",
        "core time": "342 y",
        "longest job": "68 y",
        "memory": "156 GB",
        "disk": "5.2 TB",
        "GPU time": "12,557 h",
        "GPU memory": "127 GB",
    }
    shown = readable([SMALL])[0]
    assert (shown["core time"], shown["memory"], shown["disk"]) == ("0.5 s", "15 MB", "0 MB")
    assert "GPU time" not in shown, "none of the run needs one"
    unknown = replace(SMALL, hours=None, longest_hours=None, memory_mb=None, disk_mb=None)
    assert [*readable([unknown])[0].values()][2:] == ["?"] * 4


@pytest.mark.parametrize(
    ("hours", "said"), [(0.001, "3.6 s"), (0.1, "6.0 min"), (9.94, "9.9 h"), (9.96, "10 h"), (8761, "1.0 y")]
)
def test_times_have_two_digits_or_all_before_the_point(hours, said):
    assert readable([replace(SMALL, hours=hours)])[0]["core time"] == said


def test_what_does_not_fit_stands_below_the_table_once():
    lines = remarks([SMALL, LARGE, EVERY])
    assert lines[1] == "train_frequency_unigram: downloads 11 TB"
    assert [line for line in lines if LARGE.fits in line] == [f"{LARGE.rule}: {LARGE.fits}"]
    assert f"all: {EVERY.fits}" in lines
    assert not [line for line in lines if "mixture" in line]
    assert remarks([SMALL, replace(EVERY, fits="")]) == ["", lines[-1]]
    assert "--format tsv" in lines[-1]


@pytest.mark.parametrize("columns", [80, 160])
def test_a_terminal_folds_no_name_of_a_rule_and_no_line_is_wider(columns, monkeypatch):
    file = Terminal()
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    print_rows(readable([SMALL, LARGE, EVERY]), "table", file, keep_names=True)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue()).splitlines()
    assert max(map(len, lines)) <= columns
    assert [line for line in lines if line.startswith("train_frequency_unigram  210")]


def test_rules_stand_in_the_order_in_which_a_run_is_done_with_them(work):
    first, last = (Job("figure", {"figure": name}) for name in ("figure_3", "figure_2"))
    assert [*rows_of([first, Job("mixture", {}), last], work)] == ["mixture", "figure", "all"]
