"""Metrics of answers against lm-eval's own evaluation."""

import math

import numpy as np
import pytest
from lm_eval.evaluator import evaluate

from modtok.core.model_names import ModelName
from modtok.evaluation.answers import MULTIPLE_CHOICE, read_answers, write_answers
from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_tokenizers import Cutter, inferences
from modtok.evaluation.model_metrics import Trained
from modtok.evaluation.multiple_choice_adapter import InferenceModel
from modtok.evaluation.multiple_choice_answers import ask_multiple_choice
from modtok.evaluation.multiple_choice_metrics import (
    UNITS,
    _series,
    guesses,
    multiple_choice_metrics,
    read_subjects,
)
from modtok.evaluation.multiple_choice_tasks import Benchmark, lm_eval_tasks, shot_texts
from small_choices import ITEM, adapter, asked, items

CHOOSING = ("en", "fi")


def scored(name, choosing, benchmarks, folder, **options):
    """Metrics of what the model answers, through the file of its answers."""
    (model, subtokenizers), file = choosing, folder / "answers.parquet"
    write_answers(file, MULTIPLE_CHOICE, ask_multiple_choice(model, subtokenizers, benchmarks, CHOOSING))
    trained = Trained(name, model.architecture, model.about["settings"])
    answers = read_answers(file, MULTIPLE_CHOICE)
    return multiple_choice_metrics(trained, answers, read_subjects(benchmarks), **options)


@pytest.fixture(scope="module")
def benchmarks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("benchmarks")
    return [
        Benchmark("hellaswag", "en", items(folder / "h", 7)),
        Benchmark("hellaswag", "fi", items(folder / "h", 7)),
        Benchmark("arc_challenge", "en", items(folder / "i", 5, first=5), items(folder / "s", 5)),
    ]


@pytest.fixture(scope="module")
def measured(choosing, benchmarks, tmp_path_factory):
    """Metrics by dataset, metric, inference tokenizer and language."""
    name, folder = ModelName("sequential-bpe", "samp-sub1", 2), tmp_path_factory.mktemp("answers")
    rows = scored(name, choosing, benchmarks, folder, resamples=20, seed=1)
    return {(row.dataset, row.metric, row.inference, row.lang): row for row in rows}


@pytest.mark.parametrize("name", ["lang", "full", "full-lang"])
def test_accuracies_are_those_of_lm_evals_own_evaluation(choosing, benchmarks, measured, name) -> None:
    (inference,) = [one for one in inferences(choosing[1], "en", CHOOSING) if one.name == name]
    cutter = Cutter(choosing[1], inference)
    tasks = {one.task: lm_eval_tasks(one)[""] for one in benchmarks if one.lang == "en"}
    named = {task.task_name: task for task in tasks.values()}
    shots = {key: shot_texts(task) for key, task in named.items()}
    model = InferenceModel(
        Engine(choosing[0], cutter.chosen_S), cutter, shots, dict.fromkeys(named, "Answer:")
    )
    found = evaluate(model, named, bootstrap_iters=0)["results"]
    for task, metric in (("hellaswag", "acc_norm"), ("arc_challenge", "acc_mutual_info")):
        own = found[tasks[task].task_name]
        assert measured[task, "accuracy", name, "en"].value == pytest.approx(own[f"{metric},none"])
        assert measured[task, "accuracy_raw", name, "en"].value == pytest.approx(own["acc,none"])


def choice_scores(choosing, lang, context, neutral=None):
    """Log-probabilities of the choices under `lang`, one by one."""
    (inference, *_) = inferences(choosing[1], lang, CHOOSING)
    pairs = [(context, f" {choice}") for choice in ITEM["choices"]]
    return np.array([nats for nats, _ in adapter(choosing, inference).loglikelihood(asked(pairs))])


def test_accuracy_is_that_of_the_likeliest_choice_per_character(choosing, measured) -> None:
    lengths = [len(choice) for choice in ITEM["choices"]]
    right, raw = [], []
    for n in range(7):
        scores = choice_scores(choosing, "fi", f"{n} dogs see {n * n} cats. How many?")
        right.append((scores / lengths).argmax() == n % 3)
        raw.append(scores.argmax() == n % 3)
    one = measured["hellaswag", "accuracy", "lang", "fi"]
    assert one.value == pytest.approx(np.mean(right))
    assert measured["hellaswag", "accuracy_raw", "lang", "fi"].value == pytest.approx(np.mean(raw))
    assert (one.n, one.unit, one.repeat, one.tokenizer) == (7, "share", 2, "sequential-bpe+fi")
    assert one.low <= one.value <= one.high


def test_pmi_takes_off_what_a_choice_is_worth_by_itself(choosing, tmp_path) -> None:
    (inference, *_) = inferences(choosing[1], "en", CHOOSING)
    question = "Question: {n} dogs see {m} cats. How many?\nAnswer:"
    choices = ["bones", "the old house", "snow", "a friend of the family", "I", "cats and dogs"]
    shots = [f"{question.format(n=n, m=n * n)} {choices[n % 3]}\n\n" for n in range(5)]
    ours = adapter(choosing, inference, shots)
    alone = ours.loglikelihood(asked([("Answer:", f" {choice}") for choice in choices]))
    rows, raw = [], []
    for n in range(5, 15):
        context = "".join([*shots, question.format(n=n, m=n * n)])
        scores = ours.loglikelihood(asked([(context, f" {choice}") for choice in choices]))
        more = [one - by_itself for (one, _), (by_itself, _) in zip(scores, alone, strict=True)]
        row = items(tmp_path / "row", 1, first=n, choices=choices, gold=int(np.argmax(more)))
        rows.append(row.read_text())
        raw.append(np.argmax([one for one, _ in scores]) == np.argmax(more))
    (tmp_path / "items").write_text("".join(rows))
    few = items(tmp_path / "shots", 5, choices=choices)
    benchmark = Benchmark("arc_challenge", "en", tmp_path / "items", few)
    name = ModelName("sequential-bpe", "samp-sub1")
    found = scored(name, choosing, [benchmark], tmp_path, resamples=5)
    values = {one.metric: one.value for one in found if (one.inference, one.lang) == ("lang", "en")}
    assert np.mean(raw) < 1, "else this says nothing"
    assert (values["accuracy"], values["accuracy_raw"]) == (1, np.mean(raw))


def test_mcq_is_the_mean_of_a_languages_tasks_and_all_that_of_languages(measured) -> None:
    for inference in ("lang", "full", "full-lang", "en-lang-union"):
        tasks = [measured[task, "accuracy", inference, "en"] for task in ("hellaswag", "arc_challenge")]
        mcq = {lang: measured["mcq", "accuracy", inference, lang] for lang in (*CHOOSING, "all")}
        assert mcq["en"].value == pytest.approx(np.mean([one.value for one in tasks]))
        assert mcq["en"].n == 12
        assert mcq["all"].value == pytest.approx((mcq["en"].value + mcq["fi"].value) / 2)
        assert mcq["all"].n == 2
    assert measured["mcq", "chance", "full", "all"].value == pytest.approx(1 / 3)


def test_shots_are_counted_as_they_fitted(measured) -> None:
    assert measured["hellaswag", "shots", "lang", "en"].value == 0
    assert 0 < measured["arc_challenge", "shots", "lang", "en"].value <= 5
    assert measured["arc_challenge", "cut", "lang", "en"].value == 0


def test_subjects_count_alike_however_many_items_they_have(choosing, tmp_path) -> None:
    parts = {
        subject: items(tmp_path / "part", count, subject=subject).read_text()
        for subject, count in (("law", 2), ("art", 6))
    }
    shots = tmp_path / "shots"
    shots.write_text(
        "".join(items(tmp_path / "s", 5, first=9, subject=subject).read_text() for subject in parts)
    )
    values = {}
    for name, text in (*parts.items(), ("both", "".join(parts.values()))):
        (tmp_path / name).write_text(text)
        benchmark = Benchmark("mmlu", "en", tmp_path / name, shots)
        rows = scored(ModelName("sequential-bpe", "mono-only"), choosing, [benchmark], tmp_path, resamples=5)
        values[name] = {(row.inference, row.metric): row.value for row in rows if row.lang == "en"}
    for key, both in values["both"].items():
        assert both == pytest.approx((values["law"][key] + values["art"][key]) / 2), key


def test_guessing_gives_what_the_binomial_distribution_says() -> None:
    found = guesses([np.full(13, 0.25)], 20_000, seed=3)
    shares = np.array([math.comb(13, right) * 0.25**right * 0.75 ** (13 - right) for right in range(14)])
    tried = np.bincount(np.round(13 * found[1:]).astype(int), minlength=14) / 20_000
    assert found[0] == 0.25
    assert tried == pytest.approx(shares, abs=0.015)


def test_guessing_has_an_interval_about_its_share_of_each_task_and_their_mean(measured) -> None:
    found = [measured[task, "chance", "lang", "en"] for task in ("hellaswag", "arc_challenge", "mcq")]
    assert all(one.low < one.value < one.high for one in found)
    assert [one.value for one in found] == pytest.approx([1 / 3] * 3)


def test_subjects_of_an_item_have_an_interval() -> None:
    """Resampled within subjects, items that are alone in theirs would never change."""
    right = [np.array([float(number % 2)]) for number in range(20)]
    subjects = [dict.fromkeys(UNITS, one) | {"chance": np.array([0.25])} for one in right]
    found = _series(subjects, 2000, 1, ("mmlu", "en"))["accuracy"]
    assert found[0] == 0.5
    assert found[1:].std() == pytest.approx((0.25 / 20) ** 0.5, rel=0.05)
