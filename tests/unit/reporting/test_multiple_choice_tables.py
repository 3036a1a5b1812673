"""Tables of multiple choice and translation, with literal metrics."""

import pandas as pd
import pytest

from modtok.core.errors import ConfigError
from modtok.reporting import paper
from modtok.reporting.multiple_choice_tables import table_6, table_8, table_15, table_combinations
from modtok.reporting.run import Run, make_run

TOKENIZERS = ["joint-unigram-900", "merged-unigram", "merged-unigram+lang", "sequential-bpe"]


@pytest.fixture
def run() -> Run:
    return make_run({"en": "English", "bg": "Bulgarian"}, TOKENIZERS, {}, "flores200", paper.BUDGET)


def row(model: str, inference: str, lang: str, metric: str, value: float, **other) -> dict:
    tokenizer, regime, *seed = model.split("+")
    return {
        "tokenizer": tokenizer, "lang": lang, "metric": metric, "value": value, "low": value - 0.02,
        "high": value + 0.04, "n": 50, "model": model, "dataset": "flores200", "inference": inference,
        "regime": regime, "repeat": int(seed[0].removeprefix("seed")) if seed else 1, "training_tokens": 1000,
    } | other  # fmt: skip


def answers(model: str, inferences: dict[str, float]) -> list[dict]:
    rows = []
    for inference, value in inferences.items():
        for lang, more in {"en": 0.1, "bg": 0.0, "all": 0.05}.items():
            rows.append(row(model, inference, lang, "accuracy", value + more, dataset="mcq"))
            rows.append(row(model, inference, lang, "chance", 0.25, dataset="mcq", low=0.25, high=0.25))
            rows.append(row(model, inference, lang, "accuracy", 0.99, dataset="arc_easy"))
    return rows


def translations(model: str, inferences: dict[str, float]) -> list[dict]:
    return [
        row(model, inference, lang, "bleu", value, task="translation", low=value - 1, high=value + 2)
        for inference, value in inferences.items()
        for lang in ("bg", "all")
    ]


@pytest.fixture
def choice() -> pd.DataFrame:
    return pd.DataFrame(
        [
            *answers("joint-unigram-900+baseline", {"full": 0.36}),
            *answers("merged-unigram+mono-only", {"lang": 0.38, "full": 0.24, "en-lang-union": 0.3}),
            *answers("merged-unigram+mono-only+seed2", {"lang": 0.40, "full": 0.26, "en-lang-union": 0.3}),
            *answers("sequential-bpe+samp-full", {"lang": 0.41, "full": 0.42}),
        ]
    )


@pytest.fixture
def generation() -> pd.DataFrame:
    both = {"full": 2.0, "en-lang-union": 3.0, "en-lang-split": 4.0}
    regimes = ("samp-full", "late60-full", "samp-sub1", "mono-only")
    rows = [one for regime in regimes for one in translations(f"merged-unigram+{regime}", both)]
    return pd.DataFrame([*rows, *translations("joint-unigram-900+baseline", {"full": 26.04})])


def cells(table) -> dict:
    return {(one["measure"], one["model"], one["regime"], one["inference"]): one for one in table.rows}


def test_table_6_has_scores_with_spread_chance_counts_and_the_papers_figures(choice, generation, run) -> None:
    table = table_6(choice, generation, run)
    assert table.columns == (
        "measure", "model", "regime", "inference", "seeds", "en", "en_paper", "bg", "bg_paper", "mean",
        "mean_paper",
    )  # fmt: skip
    found = cells(table)
    mono = found["multiple choice, %", "Merged Unigram", "mono-only", "lang"]
    assert (mono["bg"], mono["bg_paper"], mono["en_paper"]) == ("39.0 [37.0, 43.0]", "38.3", "52.6")
    assert (mono["seeds"], mono["mean"], mono["mean_paper"]) == ("2", "44.0 [42.0, 48.0]", "")
    assert found["multiple choice, %: items", "", "", ""]["bg"] == "50"
    assert found["multiple choice, %", "guessing", "", ""]["bg"] == "25.0 [25.0, 25.0]"
    translated = found["BLEU of translation", "Merged Unigram", "mono-only", "en-lang-union"]
    assert (translated["bg"], translated["bg_paper"], translated["en"]) == ("3.0 [2.0, 5.0]", "1.0", "")
    baseline = found["BLEU of translation", "Joint Unigram 900", "baseline", "full"]
    assert (baseline["bg"], baseline["bg_paper"]) == ("26.0 [25.0, 28.0]", "26.1")
    assert not any("bpe" in one["model"].lower() for one in table.rows)
    assert {one["inference"] for one in table.rows} == {"", "lang", "full", "en-lang-union"}


def test_a_score_that_guessing_may_give_is_marked(choice, generation, run) -> None:
    found = cells(table_6(choice, generation, run))
    mono = found["multiple choice, %", "Merged Unigram", "mono-only", "full"]
    assert (mono["bg"], mono["en"]) == ("~25.0 [23.0, 29.0]", "35.0 [33.0, 39.0]")
    guessing = choice["metric"] == "chance"
    few = choice.assign(low=choice["low"].mask(guessing, 0.1), high=choice["high"].mask(guessing, 0.4))
    found = cells(table_6(few, generation, run))
    assert found["multiple choice, %", "Merged Unigram", "mono-only", "full"]["en"] == "~35.0 [33.0, 39.0]"
    assert found["multiple choice, %", "guessing", "", ""]["en"] == "25.0 [10.0, 40.0]"


def test_table_15_has_bpe_models_and_no_figures_of_unigram(choice, generation, run) -> None:
    table = table_15(choice, generation, run)
    assert [one["model"] for one in table.rows] == ["", "guessing", "Sequential BPE", "Sequential BPE"]
    assert not any(one[column] for one in table.rows for column in one if column.endswith("_paper"))


def test_the_papers_figures_stand_beside_its_own_budget_alone(choice, generation, run) -> None:
    small = make_run(run.languages, TOKENIZERS, {}, "flores200", 1000)
    table = table_6(choice, generation, small)
    assert not any(one[column] for one in table.rows for column in one if column.endswith("_paper"))


def test_table_8_goes_from_none_to_all_other_languages(generation, run) -> None:
    table = table_8(generation, run)
    regimes = [one["regime"] for one in table.rows]
    # Of two languages, one other is all others; late sampling draws none at first.
    assert regimes[:3] == ["", "baseline", "mono-only"]
    assert sorted(regimes[3:]) == ["samp-full", "samp-sub1"]
    assert {one["inference"] for one in table.rows[1:]} == {"full"}
    found = cells(table)["BLEU of translation", "Merged Unigram", "samp-sub1", "full"]
    assert (found["bg"], found["bg_paper"]) == ("2.0 [1.0, 4.0]", "21.4")


def test_combinations_stand_below_each_other_for_each_measure(choice, generation, run) -> None:
    bits = [
        row("merged-unigram+mono-only", inference, lang, "bits_per_byte", 2.5)
        for inference in ("lang", "full", "en-lang-union")
        for lang in ("en", "bg", "all")
    ]
    found = cells(table_combinations(pd.DataFrame(bits), choice, generation, run))
    assert (
        found["bits per byte", "Merged Unigram", "mono-only", "en-lang-union"]["bg"] == "2.500 [2.480, 2.540]"
    )
    assert ("multiple choice, %", "Merged Unigram", "mono-only", "en-lang-union") in found
    assert ("BLEU of translation", "Merged Unigram", "mono-only", "en-lang-split") in found


def test_what_was_not_asked_is_left_out_or_told(choice, generation, run) -> None:
    none = choice[:0]
    assert all("BLEU" in one["measure"] for one in table_6(none, generation, run).rows)
    assert all("multiple choice" in one["measure"] for one in table_6(choice, generation[:0], run).rows)
    with pytest.raises(ConfigError, match="table_6: no model was asked"):
        table_6(none, generation[:0], run)
