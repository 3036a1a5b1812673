"""Tables of what models write and the table and figure of routing, with literal metrics."""

import pandas as pd
import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.reporting import paper
from modtok.reporting.figures import write_figure
from modtok.reporting.generation_figures import figure_routing
from modtok.reporting.generation_tables import table_4, table_5, table_off_target, table_routing
from modtok.reporting.rendering import has_papers_figures
from modtok.reporting.run import Run, make_run

TOKENIZERS = ["joint-unigram-900", "merged-unigram", "merged-unigram+lang"]
MODELS = {
    "joint-unigram-900+baseline": ("full",),
    "merged-unigram+mono-only": ("full", "full-lang", "en-lang-union", "en-lang-split"),
    "merged-unigram+samp-full": ("full", "full-lang", "en-lang-union", "en-lang-split"),
}


@pytest.fixture
def run() -> Run:
    names = {"en": "English", "fr": "French", "el": "Greek"}
    return make_run(names, TOKENIZERS, {}, "flores200", paper.BUDGET)


def row(model: str, task: str, inference: str, lang: str, metric: str, value: float, **other) -> dict:
    tokenizer, regime, *seed = model.split("+")
    return {
        "tokenizer": tokenizer, "lang": lang, "metric": metric, "value": value, "model": model, "task": task,
        "dataset": "flores200" if task == "translation" else "wikilingua", "inference": inference,
        "regime": regime, "repeat": int(seed[0].removeprefix("seed")) if seed else 1, "training_tokens": 1000,
        "low": 0.9 * value, "high": 1.2 * value, "n": 50,
    } | other  # fmt: skip


def translated(model: str, inference: str, bleu: float, off: float, **other) -> list[dict]:
    rows = []
    for lang, more in {"fr": 1.0, "el": -1.0, "all": 0.0}.items():
        values = {"bleu": bleu + more, "chrf": 2 * bleu, "off_target": off, "off_target_reference": 0.021}
        values |= {"empty": 0.5, "unfinished": 0.25, "english": 0.125}
        if inference != "full-lang" and not model.startswith("joint"):
            values["foreign_tokens"] = 0.0625
        rows += [
            row(model, "translation", inference, lang, name, value, **other) for name, value in values.items()
        ]
    return rows


@pytest.fixture
def metrics() -> pd.DataFrame:
    rows = []
    for number, (model, inferences) in enumerate(MODELS.items()):
        for place, inference in enumerate(inferences):
            rows += translated(model, inference, 10 * number + place + 2, 0.1 * number)
    rows += translated("merged-unigram+mono-only+seed2", "en-lang-split", 25, 0.3)
    for model, inferences in MODELS.items():
        for inference in ("lang", *inferences[:2]) if len(inferences) > 1 else inferences:
            for lang, value in {"en": 20.0, "fr": 10.04, "all": 15.0}.items():
                for metric in ("rouge1", "rouge2", "rougeL"):
                    rows.append(row(model, "summarization", inference, lang, metric, value))
                for metric in ("off_target", "off_target_reference", "empty"):
                    rows.append(row(model, "summarization", inference, lang, metric, 0.01))
    return pd.DataFrame(rows)


def test_table_4_has_every_regime_by_inference_tokenizer_with_the_papers_figures(metrics, run) -> None:
    table = table_4(metrics, run)
    assert table.columns == (
        "measure", "model", "regime", "inference", "seeds", "en", "en_paper", "fr", "fr_paper", "mean",
        "mean_paper",
    )  # fmt: skip
    cells = {(one["measure"], one["regime"], one["inference"]): one for one in table.rows}
    assert len(cells) == len(table.rows) == 1 + 3 * (1 + 3 + 3)
    counts = cells["documents", "", ""]
    assert (counts["en"], counts["fr"], counts["mean"], counts["seeds"]) == ("50", "50", "", "")
    mono = cells["ROUGE-L", "mono-only", "full"]
    assert (mono["en"], mono["en_paper"]) == ("20.0 [18.0, 24.0]", "20.4")
    assert (mono["fr"], mono["fr_paper"]) == ("10.0 [9.0, 12.0]", "7.2")
    assert (mono["mean"], mono["mean_paper"]) == ("15.0 [13.5, 18.0]", "")
    assert mono["model"] == "Merged Unigram"
    assert cells["ROUGE-L", "mono-only", "full-lang"]["fr_paper"] == "14.1"
    assert cells["ROUGE-L", "baseline", "full"]["en_paper"] == "19.2"
    assert "en_paper" not in cells["ROUGE-1", "mono-only", "full"]


def test_the_papers_figures_stand_beside_its_own_budget_and_kind_of_tokenizer_alone(metrics, run) -> None:
    small = make_run(run.languages, TOKENIZERS, {}, "flores200", 1000)
    bpe = metrics.assign(model=metrics["model"].str.replace("unigram", "bpe"))
    for frame, shown in ((metrics, small), (bpe, run)):
        for table in (table_4(frame, shown), table_5(frame, shown)):
            assert not any(one[column] for one in table.rows for column in one if column.endswith("_paper"))


def test_table_5_has_mono_only_in_two_ways_against_the_baseline(metrics, run) -> None:
    table = table_5(metrics, run)
    shown = list(dict.fromkeys((one["regime"], one["inference"]) for one in table.rows))
    assert shown == [
        ("", ""),
        ("baseline", "full"),
        ("mono-only", "en-lang-union"),
        ("mono-only", "en-lang-split"),
    ]
    cells = {(one["measure"], one["inference"]): one for one in table.rows}
    split = cells["BLEU", "en-lang-split"]
    # of two seeds: 15 and 25
    assert (split["seeds"], split["fr"]) == ("2", "21.0 [18.9, 25.2]")
    assert (split["el"], split["mean"]) == ("19.0 [17.1, 22.8]", "20.0 [18.0, 24.0]")
    assert cells["lines", ""]["el"] == "50"
    assert (split["fr_paper"], split["el_paper"]) == ("26.0", "12.3")
    assert "en" not in table.columns
    assert cells["off target, %", "en-lang-split"]["fr"] == "20.0 [18.0, 24.0]"
    assert ("foreign tokens, %", "full") not in cells
    assert not any(measure == "spBLEU" for measure, _ in cells)


def test_rows_without_figures_of_the_paper_are_no_fault(metrics, run) -> None:
    small = make_run(run.languages, TOKENIZERS, {}, "flores200", 1000)
    assert has_papers_figures(table_5(metrics, run))
    assert not has_papers_figures(table_5(metrics, small))


def test_table_5_of_a_run_without_these_regimes_shows_its_own(metrics, run) -> None:
    sampled = metrics[metrics["regime"] == "samp-full"]
    shown = dict.fromkeys((one["regime"], one["inference"]) for one in table_5(sampled, run).rows)
    inferences = MODELS["merged-unigram+samp-full"]
    assert list(shown) == [("", ""), *(("samp-full", inference) for inference in inferences)]


def test_the_first_parallel_set_is_shown(metrics, run) -> None:
    other = metrics[metrics["task"] == "translation"].assign(dataset="ntrex128", value=9.0)
    assert table_5(pd.concat([other, metrics]), run) == table_5(metrics, run)


def test_off_target_is_shown_for_both_tasks_and_the_references(metrics, run) -> None:
    table = table_off_target(metrics, run)
    assert table.columns == (
        "task", "model", "regime", "inference", "seeds", "en", "fr", "el", "mean", "in English, %",
        "foreign tokens, %", "empty, %", "not ended, %",
    )  # fmt: skip
    rows = {(one["task"], one["regime"], one["inference"]): one for one in table.rows}
    assert len(rows) == len(table.rows)
    references = rows["translation", "", ""]
    assert (references["model"], references["en"], references["fr"]) == ("references", "", "2.1")
    sampled = rows["translation", "samp-full", "en-lang-union"]
    assert (sampled["fr"], sampled["mean"], sampled["seeds"]) == ("20.0", "20.0", "1")
    assert (sampled["in English, %"], sampled["foreign tokens, %"]) == ("12.5", "6.2")
    assert (sampled["empty, %"], sampled["not ended, %"]) == ("50.0", "25.0")
    assert rows["summarization", "mono-only", "lang"]["en"] == "1.0"
    assert rows["translation", "baseline", "full"]["foreign tokens, %"] == ""
    assert rows["translation", "mono-only", "en-lang-split"]["seeds"] == "2"


def test_a_model_whose_outputs_are_all_empty_keeps_its_row(metrics, run) -> None:
    without = metrics[(metrics["metric"] != "off_target") | (metrics["regime"] != "baseline")]
    [row] = [
        one
        for one in table_off_target(without, run).rows
        if (one["task"], one["regime"]) == ("translation", "baseline")
    ]
    assert (row["fr"], row["mean"], row["empty, %"]) == ("", "", "50.0")


def test_outputs_that_are_all_empty_are_in_no_language(metrics, run) -> None:
    without = metrics[
        (metrics["metric"] != "off_target") | (metrics["lang"] != "el") | (metrics["regime"] != "baseline")
    ]
    [row] = [
        one
        for one in table_5(without, run).rows
        if (one["measure"], one["regime"]) == ("off target, %", "baseline")
    ]
    assert (row["fr"], row["el"]) == ("0.0 [0.0, 0.0]", "")


def test_what_is_missing_is_named(metrics, run) -> None:
    without = metrics[(metrics["metric"] != "bleu") | (metrics["lang"] != "el")]
    with pytest.raises(DataError, match=r"table_5: no bleu of joint-unigram-900\+baseline, full, on el"):
        table_5(without, run)
    for make in (table_4, table_5, table_off_target, table_routing, figure_routing):
        with pytest.raises(ConfigError, match=make.__name__):
            make(metrics[:0], run)
    with pytest.raises(ConfigError, match=r"table_4: models had nothing to write; see evaluation\.summari"):
        table_4(metrics[metrics["task"] == "translation"], run)


# --- routing ---

THRESHOLDS = ("0.0", "0.5", "0.99")


@pytest.fixture
def routing() -> pd.DataFrame:
    rows = []
    for model, base in (("merged-unigram+mono-only", 2.0), ("merged-unigram+samp-full", 3.0)):
        policies = {"oracle": (0, 1), "one": (4, 1.1), "routed": (1, 1.2), "full": (6, 2.0)}
        for policy, (percent, cost) in policies.items():
            for lang in ("en", "fr", "all"):
                values = {"bits_per_byte_continued": base * (1 + percent / 100), "relative_cost": cost}
                values |= {"held": 0.99, "to_one": 0.9, "to_union": 0.08, "to_full": 0.02}
                rows += [
                    row(model, "translation", policy, lang, *pair, threshold="") for pair in values.items()
                ]
        for curve, more in (("one-union", 0), ("one-full", 1)):
            for number, threshold in enumerate(THRESHOLDS):
                bits, cost = base * (1 + (4 - number) / 100), 1.1 + number / 10 + more
                for pair in (("bits_per_byte_continued", bits), ("relative_cost", cost)):
                    rows.append(row(model, "translation", curve, "all", *pair, threshold=threshold))
    return pd.DataFrame(rows)


def test_table_routing_has_bits_and_cost_by_policy(routing, run) -> None:
    table = table_routing(routing, run)
    assert table.columns == ("measure", "model", "regime", "policy", "seeds", "en", "fr", "mean")
    cells = {(one["measure"], one["regime"], one["policy"]): one for one in table.rows}
    assert len(cells) == len(table.rows) == 2 * 4 + 4 + 2 + 3
    assert cells["bits per byte", "mono-only", "routed"]["fr"] == "2.020"
    assert cells["to the union, %", "all", "routed"]["en"] == "8.0"
    assert ("language held, %", "all", "oracle") not in cells


def test_rows_that_all_regimes_share_stand_once(routing, run) -> None:
    cells = {(one["measure"], one["regime"], one["policy"]): one for one in table_routing(routing, run).rows}
    assert cells["cost", "all", "full"]["mean"] == "2.000"
    differs = (routing["regime"] == "samp-full") & (routing["metric"] == "relative_cost")
    differs &= (routing["inference"] == "full") & (routing["lang"] == "fr")
    other = routing.assign(value=routing["value"].mask(differs, 2.5))
    cells = {(one["measure"], one["regime"], one["policy"]): one for one in table_routing(other, run).rows}
    assert cells["cost", "samp-full", "full"]["fr"] == "2.500"
    assert cells["cost", "mono-only", "full"]["fr"] == "2.000"
    assert ("cost", "all", "one") in cells


def test_figure_routing_draws_losses_against_thresholds_and_costs(routing, run, tmp_path) -> None:
    figure = figure_routing(routing, run)
    left, right = figure.axes
    curves = [line for line in left.get_lines() if len(line.get_xdata()) == len(THRESHOLDS)]
    assert [list(line.get_xdata()) for line in curves] == [[0.0, 0.5, 0.99]] * 4
    assert all(list(line.get_ydata()) == pytest.approx([4, 3, 2]) for line in curves)
    costs = [list(line.get_xdata()) for line in right.get_lines() if len(line.get_xdata()) == 3]
    assert costs[:2] == [pytest.approx([1.1, 1.2, 1.3]), pytest.approx([2.1, 2.2, 2.3])]
    points = {
        (str(line.get_marker()), float(line.get_xdata()[0]), round(float(line.get_ydata()[0]), 6))
        for line in right.get_lines()
        if len(line.get_xdata()) == 1
    }
    assert points == {("*", 1.2, 1.0), ("x", 2.0, 6.0)}
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["mono-only", "samp-full"]
    files = [tmp_path / f"a.{suffix}" for suffix in ("pdf", "svg", "png")]
    write_figure(figure, *files)
    assert all(file.stat().st_size > 0 for file in files)
