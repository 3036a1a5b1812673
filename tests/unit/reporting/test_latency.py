"""Tables and figures of forward times, from ratios written by hand."""

import re

import pandas as pd
import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.reporting.items import ITEMS
from modtok.reporting.latency import Latency, spread
from modtok.reporting.latency_figures import figure_1, figure_latency
from modtok.reporting.latency_tables import table_3, table_3_full
from modtok.reporting.rendering import heading, show
from modtok.reporting.run import Run, make_run

# tokenizer, size, language: measured at 0.5B, predicted at 0.5B, predicted at 30B
RATIOS = [
    ("mono-bpe-en", 24_004, "en", 1.0, 1.0, 1.0),
    ("mono-bpe-te", 24_004, "te", 1.0, 1.0, 1.0),
    ("mono-bpe-en-8000", 8_004, "en", 1.2, 1.21, 1.3),
    ("mono-bpe-te-8000", 8_004, "te", 1.4, 1.41, 1.5),
    ("joint-bpe-384000", 384_004, "en", 1.5, 1.6, 1.06),
    ("joint-bpe-384000", 384_004, "te", 1.7, 1.8, 1.08),
    ("joint-bpe-384000-32000", 32_004, "en", 1.1, 1.2, 1.3),
    ("joint-bpe-384000-32000", 32_004, "te", 1.3, 1.4, 1.5),
    ("open-qwen3", 151_669, "en", 1.25, 1.26, 1.01),
    ("open-qwen3", 151_669, "te", 8.1, 8.2, 6.5),
    ("sequential-bpe", 380_000, "en", 1.6, 1.61, 1.07),
    ("sequential-bpe", 380_000, "te", 1.55, 1.56, 1.06),
    ("sequential-bpe+en", 24_004, "en", 0.99, 1.0, 1.0),
    ("sequential-bpe+te", 24_004, "te", 1.02, 1.01, 1.01),
    ("sequential-bpe+en+te", 46_000, "en", 1.04, 1.05, 1.0),
    ("sequential-bpe+te+en", 46_000, "te", 1.06, 1.07, 1.0),
]
TOKENIZERS = [
    "mono-bpe-en", "mono-bpe-te", "mono-unigram-en", "joint-bpe-384000", "joint-unigram-384000", "open-qwen3",
    "sequential-bpe", "sequential-bpe+lang",
]  # fmt: skip


def rows_of(ratio: tuple) -> list[dict]:
    tokenizer, size, lang, measured, small, large = ratio
    base = {"tokenizer": tokenizer, "vocabulary_size": size, "lang": lang, "dataset": "flores200"}
    return [
        {**base, "metric": metric, "value": value, "model": model}
        for metric, value, model in [
            ("forward_seconds", 3.0, "0.5B"),
            ("forward_ratio", measured, "0.5B"),
            ("forward_ratio_predicted", small, "0.5B"),
            ("forward_ratio_predicted", large, "30B"),
        ]
    ]


METRICS = pd.DataFrame([row for ratio in RATIOS for row in rows_of(ratio)])


@pytest.fixture
def run() -> Run:
    languages = {"en": "English", "te": "Telugu", "fi": "Finnish"}  # fi was not timed
    return make_run(languages, TOKENIZERS, {"qwen3": "Qwen 3"}, "flores200", 24_000)


def test_table_3_has_measured_times_and_marks_predictions(run: Run) -> None:
    table = table_3(METRICS, run)
    rows = {(row["tokenizer"], row["language"]): row for row in table.rows}
    qwen = rows["Qwen 3", "te"]
    assert (qwen["0.5B"], qwen["0.5B_paper"]) == ("8.10", "8.18")
    assert (qwen["30B"], qwen["30B_paper"]) == ("~6.50", "6.56")
    assert rows["Sequential BPE, extracted", "all"]["0.5B"] == "0.99 to 1.02"
    assert rows["Sequential BPE, extracted", "all"]["30B"] == "~1.00 to 1.01"
    # the paper's sequential tokenizer is of other languages
    assert rows["Sequential BPE", "te"]["0.5B_paper"] == ""
    assert not any("Unigram" in tokenizer for tokenizer, _ in rows)


def test_table_3_is_sorted_by_numbers(run: Run) -> None:
    shown = show(table_3(METRICS, run))
    assert shown.headings == ("Tokenizer", "Size", "Language", "0.5B", "30B")
    assert [shown.numeric(column) for column in range(5)] == [False, True, False, True, True]


def test_the_papers_own_languages_have_its_sequential_figures() -> None:
    codes = re.findall("..", "bgcsdadeelenesfrhrhuitnenlplptrosislsoswte")
    own = make_run({code: code for code in codes}, TOKENIZERS, {}, "flores200", 24_000)
    rows = {(row["tokenizer"], row["language"]): row for row in table_3(METRICS, own).rows}
    assert rows["Sequential BPE", "en"]["0.5B_paper"] == "1.58"
    assert rows["Sequential BPE, extracted", "all"]["30B_paper"] == "0.99 to 1.04"


def test_table_3_full_has_both_and_leaves_out_what_was_not_timed(run: Run) -> None:
    table = table_3_full(METRICS, run)
    row = next(row for row in table.rows if row["tokenizer"] == "Sequential BPE" and row["language"] == "en")
    figures = {column: row[column] for column in table.columns[3:]}
    assert figures == {"0.5B": "1.60", "0.5B predicted": "1.61", "30B predicted": "1.07"}
    assert all(tuple(row) == table.columns for row in table.rows)
    assert {row["language"] for row in table.rows} == {"en", "te"}


def test_table_3_full_keeps_the_gaps_of_a_model_that_was_timed_in_part(run: Run) -> None:
    part = METRICS[~((METRICS["metric"] == "forward_ratio") & (METRICS["lang"] == "te"))]
    table = table_3_full(part, run)
    assert {row["language"]: bool(row["0.5B"]) for row in table.rows} == {"en": True, "te": False}


def test_a_run_without_sequential_bpe_is_told(run: Run) -> None:
    own = METRICS[~METRICS["tokenizer"].str.startswith("sequential-bpe+")]
    with pytest.raises(ConfigError, match="table_3: the run has no sequential-bpe"):
        table_3(own, run)


def test_another_dataset_is_told(run: Run) -> None:
    with pytest.raises(DataError, match=r"latency.tsv has nothing on flores200; run measure_latency"):
        table_3(METRICS.assign(dataset="ntrex"), run)


def test_a_missing_ratio_is_named(run: Run) -> None:
    gone = METRICS[~((METRICS["tokenizer"] == "open-qwen3") & (METRICS["model"] == "30B"))]
    with pytest.raises(DataError, match="no forward_ratio_predicted 30B open-qwen3 en; run measure_latency"):
        table_3(gone, run)


def test_points_are_means_over_languages(run: Run) -> None:
    found = Latency("figure_1", METRICS, run)
    joint = [found.point("0.5B", own) for own in found.joint()]
    assert [(point.size, point.value) for point in joint] == [
        (32_004, pytest.approx(1.2)),
        (384_004, pytest.approx(1.6)),
    ]
    mono = [found.point("30B", own) for own in found.monolingual()]
    assert [(point.size, point.value, point.measured) for point in mono] == [
        (8_004, pytest.approx(1.4), False),
        (24_004, 1.0, False),
    ]
    unions = {number: found.point("0.5B", own).size for number, own in found.unions().items()}
    assert unions == {1: 24_004, 2: 46_000, 3: 380_000}  # the whole one has the run's three languages


def test_figures_are_drawn(run: Run) -> None:
    first = figure_1(METRICS, run)
    assert [axis.get_title(loc="left") for axis in first.axes if axis.axison] == ["0.5B", "30B"]
    labels = [text.get_text() for text in first.legends[0].get_texts()]
    assert labels[:2] == ["multilingual: joint BPE", "monolingual BPE"]
    assert {"Qwen 3", "Sequential BPE", "Sequential BPE, extracted"} <= set(labels)
    axis = figure_latency(METRICS, run).axes[0]
    assert [text.get_text() for text in axis.texts] == ["1", "2", "3"]
    assert [line.get_linestyle() for line in axis.lines if len(line.get_xdata()) > 1] == ["-", "--"]
    assert axis.lines[0].get_ydata()[-1] == 1.0


def test_items_are_declared() -> None:
    names = {"table_3", "table_3_full", "figure_1", "figure_latency"}
    assert {name for name in names if ITEMS[name].inputs == ("results/metrics/latency.tsv",)} == names


def test_headings_keep_the_names_of_models() -> None:
    assert [heading(name) for name in ("0.5B", "0.5B predicted", "tiny")] == [
        "0.5B",
        "0.5B predicted",
        "Tiny",
    ]


def test_spread_of_one_value() -> None:
    assert spread([1.001, 1.004]) == "1.00"
