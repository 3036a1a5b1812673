"""The table and the figures of models, with literal metrics."""

from pathlib import Path

import pandas as pd
import pytest
from matplotlib.axes import Axes

from modtok.core.errors import ConfigError, DataError
from modtok.reporting.figures import write_figure
from modtok.reporting.likelihood import Score
from modtok.reporting.model_figures import figure_schedule, figure_training
from modtok.reporting.model_tables import table_likelihood
from modtok.reporting.run import Run, make_run

TOKENIZERS = ["joint-bpe-900", "sequential-bpe", "sequential-bpe+lang"]
# Bits per byte under lang and full, operations of training.
REGIMES = {
    "mono-only": (2.0, 3.0, 100),
    "samp-full": (2.2, 2.4, 180),
    "late60-full": (2.1, 2.3, 130),
    "samp-sub2": (2.3, 2.6, 140),
}


@pytest.fixture
def run() -> Run:
    return make_run({"en": "English", "fi": "Finnish"}, TOKENIZERS, {}, "flores200", 2000)


def row(model: str, metric: str, value: float, inference: str = "", lang: str = "all", **other) -> dict:
    _, regime, *seed = model.split("+")
    repeat = int(seed[0].removeprefix("seed")) if seed else 1
    base = {"tokenizer": "sequential-bpe", "lang": lang, "metric": metric, "value": value, "model": model}
    base |= {"dataset": "flores200" if inference else "", "inference": inference, "regime": regime}
    return base | {"repeat": repeat, "training_tokens": 1000} | other


def of_model(model: str, lang_bits: float | None, full_bits: float, operations: float, **other) -> list[dict]:
    rows = [row(model, "training_operations", operations, **other)]
    for lang, more in {"en": -0.5, "fi": 0.5, "all": 0.0}.items():
        rows.append(row(model, "bits_per_byte", full_bits + more, "full", lang, **other))
        if lang_bits is not None:
            rows.append(row(model, "bits_per_byte", lang_bits + more, "lang", lang, **other))
            rows.append(row(model, "foreign_mass", 0.12345, "full", lang, **other))
    return rows


@pytest.fixture
def metrics() -> pd.DataFrame:
    rows = of_model("joint-bpe-900+baseline", None, 2.5, 200)
    for regime, values in REGIMES.items():
        rows += of_model(f"sequential-bpe+{regime}", *values)
    rows += of_model("sequential-bpe+mono-only+seed2", 2.2, 3.2, 100)
    return pd.DataFrame(rows)


def test_the_table_has_means_over_seeds_by_regime_and_inference_tokenizer(metrics, run) -> None:
    table = table_likelihood(metrics, run)
    assert table.columns == ("measure", "model", "regime", "inference", "seeds", "en", "fi", "mean")
    rows = [list(row.values()) for row in table.rows]
    assert rows[:3] == [
        ["bits per byte", "Joint BPE 900", "baseline", "full", "1", "2.000", "3.000", "2.500"],
        ["bits per byte", "Sequential BPE", "mono-only", "lang", "2", "1.600", "2.600", "2.100"],
        ["bits per byte", "Sequential BPE", "mono-only", "full", "2", "2.600", "3.600", "3.100"],
    ]
    assert rows[-1][:4] == ["foreign mass, %", "Sequential BPE", "samp-sub2", "full"]
    assert rows[-1][4:] == ["1", "12.35", "12.35", "12.35"]


def test_other_parallel_sets_are_not_shown(metrics, run) -> None:
    other = metrics[metrics["dataset"] != ""].assign(dataset="ntrex128", value=9.0)
    assert table_likelihood(pd.concat([other, metrics]), run) == table_likelihood(metrics, run)


def test_what_is_missing_is_named(metrics, run) -> None:
    without = metrics[(metrics["lang"] != "fi") | (metrics["regime"] != "samp-full")]
    with pytest.raises(DataError, match=r"no bits_per_byte of sequential-bpe\+samp-full on fi"):
        table_likelihood(without, run)
    for make in (table_likelihood, figure_training, figure_schedule):
        with pytest.raises(ConfigError, match=r"the run has no models; set pretraining.regimes"):
            make(metrics[:0], run)


def lines(axis: Axes) -> dict[str, list[tuple[float, float]]]:
    """Means by label: the line before each entry of the legend."""
    drawn: dict[str, list[tuple[float, float]]] = {}
    before = None
    for line in axis.get_lines():
        if len(line.get_xdata()) == 0:
            drawn[str(line.get_label())] = [
                (float(x), float(y)) for x, y in zip(*before.get_data(), strict=True)
            ]
        before = line
    return drawn


def test_training_compares_with_mono_only_of_the_same_seed_and_length(metrics, run) -> None:
    longer = [
        *of_model("sequential-bpe+mono-only", 1.0, 2.0, 100, training_tokens=9000, run="long"),
        *of_model("sequential-bpe+samp-full", 1.05, 1.1, 100, training_tokens=9000, run="long"),
    ]
    training = pd.concat([metrics.assign(run=""), pd.DataFrame(longer)])
    left, right = figure_training(training, run).axes
    cost = lines(left)
    assert cost["mono-only"] == [(1000, 0), (9000, 0)]
    assert cost["samp-full"] == [(1000, pytest.approx(10)), (9000, pytest.approx(5))]
    assert cost["samp-sub2"] == [(1000, pytest.approx(15))]
    over = lines(right)
    two_seeds = (3.0 / 2.0 + 3.2 / 2.2) / 2
    assert over["mono-only"] == [(1000, pytest.approx(100 * (two_seeds - 1))), (9000, pytest.approx(100))]


def test_a_seed_without_its_mono_only_has_no_cost(metrics, run) -> None:
    other = pd.DataFrame(of_model("sequential-bpe+samp-full+seed3", 9.0, 9.0, 1))
    left, _ = figure_training(pd.concat([metrics, other]), run).axes
    assert lines(left)["samp-full"] == [(1000, pytest.approx(10))]


def test_schedule_has_mono_only_at_its_end(metrics, run) -> None:
    left, right = figure_schedule(metrics, run).axes
    by_share, by_cost = lines(left), lines(right)
    assert by_share["sampling full, under lang"] == [(0, 2.2), (60, 2.1), (100, pytest.approx(2.1))]
    assert by_share["sampling full, under full"] == [(0, 2.4), (60, 2.3), (100, pytest.approx(3.1))]
    assert by_share["sampling sub2, under lang"] == [(0, 2.3), (100, pytest.approx(2.1))]
    assert by_cost["sampling full, under lang"] == [(100, pytest.approx(2.1)), (130, 2.1), (180, 2.2)]
    assert [line.get_label() for line in left.get_lines()][-1] == "baseline, under full"


def test_a_baseline_alone_has_nothing_to_compare(metrics, run) -> None:
    alone = metrics[metrics["regime"] == "baseline"]
    left, right = figure_training(alone, run).axes
    assert (lines(left), lines(right), right.get_legend()) == ({}, {}, None)
    assert [text.get_text() for text in figure_schedule(alone, run).axes[1].get_legend().get_texts()] == [
        "baseline, under full"
    ]


def test_each_family_has_its_row(metrics, run) -> None:
    both = pd.concat([metrics, metrics.replace({"model": {"bpe": "unigram"}}, regex=True)])
    for draw in (figure_training, figure_schedule):
        upper, _, lower, _ = draw(both, run).axes
        assert upper.get_ylabel().startswith("BPE")
        assert lower.get_ylabel().startswith("Unigram")


def test_the_same_figures_are_the_same_bytes(metrics, run, tmp_path: Path) -> None:
    for draw in (figure_training, figure_schedule):
        made = []
        for _ in range(2):
            paths = [tmp_path / f"figure.{suffix}" for suffix in ("pdf", "svg", "png")]
            write_figure(draw(metrics, run), *paths)
            made.append([path.read_bytes() for path in paths])
        assert made[0] == made[1]


def test_the_mean_of_seeds_spreads_less() -> None:
    guessing = Score(0.25, 0.05, 0.45)
    assert guessing.of_mean(4) == Score(0.25, pytest.approx(0.15), pytest.approx(0.35))
    assert guessing.holds(0.4) and not guessing.of_mean(4).holds(0.4)
    assert Score(1.0, None, None).of_mean(2) == Score(1.0, None, None)
