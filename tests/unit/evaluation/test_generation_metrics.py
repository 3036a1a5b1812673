"""Metrics of outputs against counting by hand, and of a model, through its file, against its outputs."""

import numpy as np
import pytest

from modtok.core.model_names import ModelName
from modtok.core.seeds import derive
from modtok.evaluation.bootstrap import resampling_weights
from modtok.evaluation.generation import generate
from modtok.evaluation.generation_answers import ask_generation
from modtok.evaluation.generation_files import (
    SUMMARIZATION,
    TRANSLATION,
    Example,
    Task,
    read_written,
    write_jsonl,
)
from modtok.evaluation.generation_metrics import Judges, generation_metrics, off_target
from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_tokenizers import Cutter, inferences
from modtok.evaluation.model_metrics import Trained
from modtok.evaluation.text_metrics import rouge_scores, translation_scores

pytest.importorskip("sacrebleu")
pytest.importorskip("rouge_score")
LANGS = ("en", "fi", "el")
LABELS = {"en": ["en"], "fi": ["fi"], "el": ["el", "grc"]}
NAME = ModelName("sequential-bpe", "samp-sub1", 2)


class Words:
    """In place of language identification: the first word of a text is its label."""

    def identify_all(self, texts):
        return [(text.split(" ")[0], 1.0) if text.strip() else ("", 0.0) for text in texts]


JUDGES = Judges(Words(), LABELS, None)


def test_off_target_is_what_is_in_another_language_of_outputs_with_text() -> None:
    texts = ["el Ένα", "grc Δύο", "", "en three", "fi neljä", "  ", "en six", "xx"]
    found = off_target(texts, "el", JUDGES, resampling_weights(8, 0, seed=0))
    assert found["off_target"].series == pytest.approx([4 / 6])
    assert found["off_target"].n == 6
    assert found["english"].series == pytest.approx([2 / 6])
    english = off_target(texts, "en", JUDGES, resampling_weights(8, 0, seed=0))
    assert english.keys() == {"off_target"}
    assert english["off_target"].series == pytest.approx([4 / 6])


@pytest.fixture(scope="module")
def model(random_model):
    return random_model(64, 11)


def items(*texts: str) -> tuple[Example, ...]:
    return tuple(Example(f"{text}:", f"{text} 1", line, 25) for line, text in enumerate(texts))


TASKS = [
    Task(TRANSLATION, "set", "fi", items("Koira"), items("Yksi", "Kaksi", "Kolme")),
    Task(TRANSLATION, "set", "el", items("Σκύλος"), items("Ένα", "Δύο", "Τρία")),
    Task(SUMMARIZATION, "wiki", "en", (), items("One", "Two")),
    Task(SUMMARIZATION, "wiki", "fi", (), items("Yksi", "Kaksi", "Kolme")),
]


def scored(name, model, tokenizer, tasks, judges, folder, **options):
    """Metrics of what the model writes, through its file."""
    file = folder / f"{name}.jsonl"
    write_jsonl(file, ask_generation(model, tokenizer, tasks, LANGS))
    trained = Trained(name, model.architecture, model.about["settings"])
    return generation_metrics(trained, read_written(file), judges, **options)


@pytest.fixture(scope="module")
def metrics(model, modular, tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    found = scored(NAME, model, modular, TASKS, JUDGES, folder, resamples=20, seed=1)
    return {(one.dataset, one.inference, one.lang, one.metric): one for one in found}


def test_each_task_has_the_papers_inference_tokenizers(metrics) -> None:
    found = {dataset: {key[1] for key in metrics if key[0] == dataset} for dataset in ("set", "wiki")}
    assert found == {
        "set": {"full", "full-lang", "en-lang-union", "en-lang-split"},
        "wiki": {"lang", "full", "full-lang"},
    }


class Shouting:
    """In place of language identification: capital letters are another language."""

    def identify_all(self, texts):
        return [("el" if text.isupper() else "fi", 1.0) for text in texts]


def test_a_line_is_drawn_alike_in_all_languages_though_one_lacks_some(model, modular, tmp_path) -> None:
    lines = {"fi": (0, 1, 2, 3, 4, 5), "el": (0, 2, 3, 4, 5)}
    tasks = [
        Task(TRANSLATION, "set", lang, (), tuple(Example("A:", "AA" if n == 4 else "a", n, 5) for n in own))
        for lang, own in lines.items()
    ]
    labels = {"en": ["en"], "fi": ["fi"], "el": ["fi"]}
    judges = Judges(Shouting(), labels, None)
    found = scored(NAME, model, modular, tasks, judges, tmp_path, resamples=40, seed=3)
    rows = {one.lang: one for one in found if (one.inference, one.metric) == ("full", "off_target_reference")}
    weights = resampling_weights(6, 40, derive(3, "bootstrap", "set"))
    series = {lang: weights[:, 4] / weights[:, own].sum(axis=1) for lang, own in lines.items()}
    for lang, expected in (*series.items(), ("all", (series["fi"] + series["el"]) / 2)):
        low, high = np.quantile(expected[1:], [0.025, 0.975])
        assert (rows[lang].value, rows[lang].low, rows[lang].high) == pytest.approx((expected[0], low, high))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.name} {task.lang}")
def test_metrics_are_those_of_the_outputs(model, modular, metrics, task) -> None:
    own, once = modular.ids((task.lang,)), resampling_weights(len(task.items), 0, seed=0)
    for inference in inferences(modular, task.lang, LANGS):
        if (task.dataset, inference.name, task.lang, "empty") not in metrics:
            continue
        cutter = Cutter(modular, inference)
        outputs = generate(Engine(model, cutter.chosen_S), cutter, task, own)
        texts, references = [one.text for one in outputs], [one.written for one in task.items]
        scores = (translation_scores if task.name == TRANSLATION else rouge_scores)(texts, references, once)
        expected = {name: score.series[0] for name, score in scores.items()}
        expected["foreign_tokens"] = sum(one.foreign for one in outputs) / sum(one.tokens for one in outputs)
        expected["empty"] = np.mean([not text for text in texts])
        expected["unfinished"] = np.mean([not one.ended for one in outputs])
        expected["shots"] = np.mean([one.shots for one in outputs])
        expected["cut"] = np.mean([one.cut for one in outputs])
        for name, value in expected.items():
            one = metrics[task.dataset, inference.name, task.lang, name]
            assert one.value == pytest.approx(value), (inference.name, name)
            assert one.low <= one.value <= one.high
            assert one.vocabulary_size == len(modular.ids(inference.chosen))
        one = metrics[task.dataset, inference.name, task.lang, "empty"]
        assert (one.task, one.n, one.unit, one.repeat) == (task.name, len(task.items), "share", 2)
        assert one.tokenizer == (
            "sequential-bpe" if inference.chosen is None else f"sequential-bpe+{'+'.join(inference.chosen)}"
        )


def test_means_are_over_languages(metrics) -> None:
    langs = {"set": ("fi", "el"), "wiki": ("en", "fi")}
    for (dataset, inference, lang, metric), one in metrics.items():
        if lang == "all":
            keys = [(dataset, inference, own, metric) for own in langs[dataset]]
            values = [metrics[key].value for key in keys if key in metrics]
            assert one.value == pytest.approx(np.mean(values)), metric
            assert one.n == len(values)


def test_texts_say_how_they_were_scored(metrics) -> None:
    assert "tok:13a" in metrics["set", "full", "fi", "bleu"].signature
    assert "tok:unicode" in metrics["wiki", "full", "all", "rougeL"].signature
    assert metrics["set", "full", "fi", "empty"].signature == ""
    assert not any(metric == "spbleu" for _, _, _, metric in metrics)


def test_references_are_in_a_language_too(metrics) -> None:
    # by their first words, "Yksi" …, all references are off target
    assert metrics["set", "full", "fi", "off_target_reference"].value == 1


def test_an_item_is_asked_by_each_inference_tokenizer_of_its_task(modular, model) -> None:
    rows = list(ask_generation(model, modular, TASKS, LANGS))
    assert len(rows) == sum(len(task.items) for task in TASKS)
    assert [rows[0][key] for key in ("lang", "line", "read", "reference")] == ["fi", 0, "Yksi:", "Yksi 1"]
    assert list(rows[0]["outputs"]) == ["full", "full-lang", "en-lang-union", "en-lang-split"]
    assert rows[0]["details"]["en-lang-union"]["chosen"] == "en+fi"


def test_a_tokenizer_without_languages_has_full_alone_and_no_foreign_tokens(
    joint, model, metrics, tmp_path
) -> None:
    name = ModelName("joint-bpe-500", "baseline")
    found = scored(name, model, joint, TASKS[:1], JUDGES, tmp_path, resamples=5)
    assert {one.inference for one in found} == {"full"}
    assert "foreign_tokens" not in {one.metric for one in found}
    same = {one.metric: one.value for one in found if one.lang == "fi"}
    assert same["chrf"] == metrics["set", "full", "fi", "chrf"].value
