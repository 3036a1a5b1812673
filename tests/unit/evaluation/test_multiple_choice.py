"""The adapter against lm-eval's own model of transformers, and what is made of its answers."""

import json
import os

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TQDM_DISABLE": "1"}

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lm_eval.api.instance import Instance
from lm_eval.api.model import TemplateLM
from lm_eval.evaluator import evaluate
from transformers import AutoModelForCausalLM, AutoTokenizer

from modtok.core.errors import ConfigError
from modtok.core.model_names import ModelName
from modtok.core.model_shapes import ModelShape
from modtok.evaluation.answers import MULTIPLE_CHOICE, read_answers, write_answers
from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_tokenizers import Cutter, Inference, inferences
from modtok.evaluation.model_metrics import Trained
from modtok.evaluation.multiple_choice_adapter import InferenceModel
from modtok.evaluation.multiple_choice_answers import ask_multiple_choice
from modtok.evaluation.multiple_choice_metrics import multiple_choice_metrics, read_subjects
from modtok.evaluation.multiple_choice_tasks import Benchmark, lm_eval_tasks, shot_texts
from modtok.modelling.architecture import Architecture
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import read_model
from modtok.modelling.export import extract_model
from modtok.tokenization.bpe_training import Settings
from small_models import SHARP, write_drawn
from small_tokenizers import train_sequential

LANGS = ("en", "fi")
CONTEXT = 160


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with `tokenizer` and `model`, sharp enough to prefer some choices."""
    folder = tmp_path_factory.mktemp("model")
    size = Subtokenizers(train_sequential(folder / "tokenizer", LANGS, Settings(400))).size
    architecture = Architecture(ModelShape(16, 2, 2, 1, 24, CONTEXT), size, tied=False)
    write_drawn(folder / "model", architecture, 7, SHARP, {"settings": {"tokens": 500}})
    return folder


@pytest.fixture(scope="module")
def loaded(folder):
    return read_model(folder / "model"), Subtokenizers(folder / "tokenizer")


ITEM = {"question": "What does the dog eat?", "choices": ["bones", "the old house", "snow"], "gold": 0}


def items(file, count, first=0, **others):
    """`count` items that differ, from a number on."""
    rows = [
        {**ITEM, "question": f"{n} dogs see {n * n} cats. How many?", "gold": n % 3}
        for n in range(first, first + count)
    ]
    file.write_text("".join(json.dumps(row | others) + "\n" for row in rows))
    return file


def adapter(loaded, inference, shots=(), neutral="Answer:"):
    model, subtokenizers = loaded
    cutter = Cutter(subtokenizers, inference)
    return InferenceModel(Engine(model, cutter.chosen_S), cutter, {"task": shots}, {"task": neutral})


def asked(pairs):
    return [Instance("loglikelihood", {}, pair, n, ("task", n, 1)) for n, pair in enumerate(pairs)]


SHOT = "Question: Where is the house?\nAnswer: in the old town"
PAIRS = [
    ("Question: What does the dog eat?\nAnswer:", " bones"),
    ("Question: What does the dog eat?\nAnswer: ", "the old house"),
    (f"{SHOT}\n\n{SHOT}\n\nQuestion: Who is it?\nAnswer:", " a friend of the family"),
    (f"{SHOT}\n\n{SHOT}\n\nQuestion: Who is it?\nAnswer:", " koira 犬"),
    ("Kysymys: Mitä koira syö?\n\nVastaus:", "  luita\tja <s> lunta"),
    ("Answer:", " bones"),
]


class Transformers(TemplateLM):
    """lm-eval's way with pairs of texts, over transformers' model and tokenizer of a folder."""

    def __init__(self, model, tokenizer) -> None:
        super().__init__()
        self.model = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
        self.tokenizer = AutoTokenizer.from_pretrained(tokenizer, add_bos_token=True)
        self.backend = "causal"

    @property
    def eot_token_id(self) -> int:
        return self.tokenizer.eos_token_id

    def tok_encode(self, string, **_) -> list[int]:
        return self.tokenizer(string).input_ids

    @torch.no_grad()
    def _loglikelihood_tokens(self, requests, **_) -> list[tuple[float, bool]]:
        found = []
        for _, context, ids in requests:
            logits = self.model(torch.tensor([[*context, *ids][:-1]])).logits[0, -len(ids) :]
            nats = logits.log_softmax(1).gather(1, torch.tensor(ids)[:, None]).sum()
            found.append((float(nats), logits.argmax(1).tolist() == ids))
        return found

    def loglikelihood_rolling(self, requests, **_):
        raise NotImplementedError

    def generate_until(self, requests, **_):
        raise NotImplementedError


def lm_evals_own(model, tokenizer):
    pytest.importorskip("accelerate", reason="lm-eval's hf model needs the package accelerate")
    from lm_eval.models.huggingface import HFLM

    options = {"add_bos_token": True, "device": "cpu", "dtype": "float32"}
    return HFLM(pretrained=str(model), tokenizer=str(tokenizer), **options)


@pytest.mark.parametrize("theirs", [Transformers, lm_evals_own], ids=["transformers", "hf"])
@pytest.mark.parametrize("langs", [None, ("fi",), ("en", "fi")], ids=["full", "lang", "union"])
def test_log_probabilities_are_those_of_the_exported_folder(folder, loaded, theirs, langs, tmp_path) -> None:
    model, tokenizer = folder / "model", folder / "tokenizer"
    if langs is not None:
        extract_model(model, tokenizer, loaded[1].modular, langs, tmp_path)
        model = tokenizer = tmp_path
    expected = theirs(model, tokenizer).loglikelihood(asked(PAIRS), disable_tqdm=True)
    found = adapter(loaded, Inference("some", langs, langs, langs)).loglikelihood(asked(PAIRS))
    assert [nats for nats, _ in found] == pytest.approx([nats for nats, _ in expected], abs=1e-4, rel=1e-5)
    assert [greedy for _, greedy in found] == [greedy for _, greedy in expected]


def test_an_empty_context_stands_for_the_neutral_prompt(loaded) -> None:
    (inference, *_) = inferences(loaded[1], "en", LANGS)
    empty, neutral = (
        adapter(loaded, inference).loglikelihood(asked([(context, " bones")])) for context in ("", "Answer:")
    )
    assert empty == neutral


def test_shots_that_do_not_fit_go_from_the_front_and_are_counted(loaded) -> None:
    (inference, *_) = inferences(loaded[1], "en", LANGS)
    numbered = [f"Question: Where is\n\nhouse {number}?\nAnswer: in the old town" for number in range(5)]
    item, choice = "Question: Who is it?\n\nAnswer:", " a friend"
    cut = Cutter(loaded[1], inference).target
    kept = 5
    while len(cut(["\n\n".join([*numbered[5 - kept :], item])])[0]) + len(cut([choice])[0]) > CONTEXT:
        kept -= 1
    assert 0 < kept < 5
    ours = adapter(loaded, inference, [f"{shot}\n\n" for shot in numbered])
    (found,) = ours.loglikelihood(asked([("\n\n".join([*numbered, item]), choice)]))
    (expected,) = adapter(loaded, inference).loglikelihood(
        asked([("\n\n".join([*numbered[5 - kept :], item]), choice)])
    )
    assert found[0] == pytest.approx(expected[0], rel=1e-6)
    assert ours.losses["task"].shots == [5 - kept]
    assert ours.losses["task"].cut == [False]


def test_an_item_that_does_not_fit_loses_its_beginning_never_its_empty_lines(loaded) -> None:
    (inference, *_) = inferences(loaded[1], "en", LANGS)
    ours = adapter(loaded, inference)
    long = "a b c d\n\n" * 60 + "Answer:"
    ours.loglikelihood(asked([(long, " bones"), ("", " bones")]))
    assert (ours.losses["task"].shots, ours.losses["task"].cut) == ([0], [True])


@pytest.mark.parametrize("name", ["full-lang", "en-lang-union"])
@given(st.lists(st.text(st.sampled_from("ab \n\u00e4\u0431Q:1"), max_size=12), min_size=2, max_size=2))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_predicted_is_cut_to_tokens_of_the_chosen_set_and_back_to_the_text(
    loaded, name, texts
) -> None:
    (inference,) = [one for one in inferences(loaded[1], "fi", LANGS) if one.name == name]
    cutter, (context, choice) = Cutter(loaded[1], inference), texts
    (ids,) = cutter.predicted([f" {choice}"])
    assert set(ids) <= set(loaded[1].ids(inference.chosen).tolist())
    assert cutter.decode(ids) == f" {choice}"
    assert cutter.decode(cutter.target([context])[0]) == context
    ((nats, _),) = adapter(loaded, inference).loglikelihood(asked([(f"Q{context}", f" {choice}")]))
    assert np.isfinite(nats)


# --- tasks and metrics ---


def test_a_context_is_the_shots_then_the_item_in_the_languages_words(tmp_path) -> None:
    benchmark = Benchmark("arc_easy", "fi", items(tmp_path / "i", 2, first=6), items(tmp_path / "s", 6))
    ((name, task),) = lm_eval_tasks(benchmark).items()
    task.build_all_requests()
    assert (name, task.task_name) == ("", "arc_easy+fi")
    context, choice = task.instances[1].args
    turns = context.split("\n\n")
    assert len(turns) == 6
    assert turns[1] == "Kysymys: 1 dogs see 1 cats. How many?\nVastaus: the old house"
    assert turns[5] == "Kysymys: 6 dogs see 36 cats. How many?\nVastaus:"
    assert choice == " the old house"


def test_shots_are_told_apart_whatever_lines_they_hold(tmp_path) -> None:
    asked, shots = items(tmp_path / "i", 2, question="Who?\n\nYou?"), items(tmp_path / "s", 6)
    shots.write_text(shots.read_text().replace(" How many", "\\n\\nHow many"))
    (task,) = lm_eval_tasks(Benchmark("arc_easy", "en", asked, shots)).values()
    task.build_all_requests()
    texts = shot_texts(task)
    assert len(texts) == 5
    assert texts[1] == "Question: 1 dogs see 1 cats.\n\nHow many?\nAnswer: the old house\n\n"
    for instance in task.instances:
        assert instance.args[0].removeprefix("".join(texts)) == "Question: Who?\n\nYou?\nAnswer:"


def test_each_subject_has_shots_of_its_own(tmp_path) -> None:
    both = []
    for file, count in (("items", 3), ("shots", 5)):
        parts = [items(tmp_path / "part", count, subject=subject).read_text() for subject in ("law", "art")]
        (tmp_path / file).write_text("".join(parts).replace("dogs", file))
        both.append(tmp_path / file)
    tasks = lm_eval_tasks(Benchmark("mmlu", "en", *both))
    assert list(tasks) == ["law", "art"]
    assert tasks["art"].task_name == "mmlu+en+art"
    (tmp_path / "shots").write_text(items(tmp_path / "part", 5, subject="law").read_text())
    with pytest.raises(ConfigError, match="0 items of art are not enough for the shots of mmlu"):
        lm_eval_tasks(Benchmark("mmlu", "en", *both))


def test_items_that_are_shots_are_not_asked(tmp_path) -> None:
    same = items(tmp_path / "same", 8)
    ((_, asked, shots),) = Benchmark("arc_easy", "en", same, same).subjects()
    assert [item.question[0] for item in asked] == ["5", "6", "7"]
    assert [item.question[0] for item in shots] == ["0", "1", "2", "3", "4"]
    with pytest.raises(ConfigError, match="same: all items are shots of arc_easy; add some"):
        list(Benchmark("arc_easy", "en", same, same, most=5).subjects())


def test_texts_with_templates_in_them_are_texts(tmp_path) -> None:
    file = tmp_path / "items"
    file.write_text(json.dumps({**ITEM, "question": "{{ 1 + 1 }} {% raw %}", "choices": ["{{ask}}", "b"]}))
    ((_, task),) = lm_eval_tasks(Benchmark("hellaswag", "en", file)).items()
    task.build_all_requests()
    assert task.instances[0].args == ("{{ 1 + 1 }} {% raw %}", " {{ask}}")


@pytest.mark.parametrize("question", ["1", "42", "²"])
def test_a_question_of_digits_is_a_text(tmp_path, question) -> None:
    benchmark = Benchmark("hellaswag", "en", items(tmp_path / "items", 1, question=question))
    ((_, task),) = lm_eval_tasks(benchmark).items()
    task.build_all_requests()
    assert task.instances[0].args == (question, " bones")


def scored(name, loaded, benchmarks, folder, **options):
    """Metrics of what the model answers, through the file of its answers."""
    (model, subtokenizers), file = loaded, folder / "answers.parquet"
    write_answers(file, MULTIPLE_CHOICE, ask_multiple_choice(model, subtokenizers, benchmarks, LANGS))
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
def measured(loaded, benchmarks, tmp_path_factory):
    """Metrics by dataset, metric, inference tokenizer and language."""
    name, folder = ModelName("sequential-bpe", "samp-sub1", 2), tmp_path_factory.mktemp("answers")
    rows = scored(name, loaded, benchmarks, folder, resamples=20, seed=1)
    return {(row.dataset, row.metric, row.inference, row.lang): row for row in rows}


@pytest.mark.parametrize("name", ["lang", "full", "full-lang"])
def test_accuracies_are_those_of_lm_evals_own_evaluation(loaded, benchmarks, measured, name) -> None:
    (inference,) = [one for one in inferences(loaded[1], "en", LANGS) if one.name == name]
    cutter = Cutter(loaded[1], inference)
    tasks = {one.task: lm_eval_tasks(one)[""] for one in benchmarks if one.lang == "en"}
    named = {task.task_name: task for task in tasks.values()}
    shots = {key: shot_texts(task) for key, task in named.items()}
    model = InferenceModel(Engine(loaded[0], cutter.chosen_S), cutter, shots, dict.fromkeys(named, "Answer:"))
    found = evaluate(model, named, bootstrap_iters=0)["results"]
    for task, metric in (("hellaswag", "acc_norm"), ("arc_challenge", "acc_mutual_info")):
        own = found[tasks[task].task_name]
        assert measured[task, "accuracy", name, "en"].value == pytest.approx(own[f"{metric},none"])
        assert measured[task, "accuracy_raw", name, "en"].value == pytest.approx(own["acc,none"])


def choice_scores(loaded, lang, context, neutral=None):
    """Log-probabilities of the choices under `lang`, one by one."""
    (inference, *_) = inferences(loaded[1], lang, LANGS)
    pairs = [(context, f" {choice}") for choice in ITEM["choices"]]
    return np.array([nats for nats, _ in adapter(loaded, inference).loglikelihood(asked(pairs))])


def test_accuracy_is_that_of_the_likeliest_choice_per_character(loaded, measured) -> None:
    lengths = [len(choice) for choice in ITEM["choices"]]
    right, raw = [], []
    for n in range(7):
        scores = choice_scores(loaded, "fi", f"{n} dogs see {n * n} cats. How many?")
        right.append((scores / lengths).argmax() == n % 3)
        raw.append(scores.argmax() == n % 3)
    one = measured["hellaswag", "accuracy", "lang", "fi"]
    assert one.value == pytest.approx(np.mean(right))
    assert measured["hellaswag", "accuracy_raw", "lang", "fi"].value == pytest.approx(np.mean(raw))
    assert (one.n, one.unit, one.repeat, one.tokenizer) == (7, "share", 2, "sequential-bpe+fi")
    assert one.low <= one.value <= one.high


def test_pmi_takes_off_what_a_choice_is_worth_by_itself(loaded, tmp_path) -> None:
    (inference, *_) = inferences(loaded[1], "en", LANGS)
    question = "Question: {n} dogs see {m} cats. How many?\nAnswer:"
    choices = ["bones", "the old house", "snow", "a friend of the family", "I", "cats and dogs"]
    shots = [f"{question.format(n=n, m=n * n)} {choices[n % 3]}\n\n" for n in range(5)]
    ours = adapter(loaded, inference, shots)
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
    found = scored(name, loaded, [benchmark], tmp_path, resamples=5)
    values = {one.metric: one.value for one in found if (one.inference, one.lang) == ("lang", "en")}
    assert np.mean(raw) < 1, "else this says nothing"
    assert (values["accuracy"], values["accuracy_raw"]) == (1, np.mean(raw))


def test_mcq_is_the_mean_of_a_languages_tasks_and_all_that_of_languages(measured) -> None:
    for inference in ("lang", "full", "full-lang", "en-lang-union"):
        tasks = [measured[task, "accuracy", inference, "en"] for task in ("hellaswag", "arc_challenge")]
        mcq = {lang: measured["mcq", "accuracy", inference, lang] for lang in (*LANGS, "all")}
        assert mcq["en"].value == pytest.approx(np.mean([one.value for one in tasks]))
        assert mcq["en"].n == 12
        assert mcq["all"].value == pytest.approx((mcq["en"].value + mcq["fi"].value) / 2)
        assert mcq["all"].n == 2
    assert measured["mcq", "chance", "full", "all"].value == pytest.approx(1 / 3)


def test_shots_are_counted_as_they_fitted(measured) -> None:
    assert measured["hellaswag", "shots", "lang", "en"].value == 0
    assert 0 < measured["arc_challenge", "shots", "lang", "en"].value <= 5
    assert measured["arc_challenge", "cut", "lang", "en"].value == 0


def test_subjects_count_alike_however_many_items_they_have(loaded, tmp_path) -> None:
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
        rows = scored(ModelName("sequential-bpe", "mono-only"), loaded, [benchmark], tmp_path, resamples=5)
        values[name] = {(row.inference, row.metric): row.value for row in rows if row.lang == "en"}
    for key, both in values["both"].items():
        assert both == pytest.approx((values["law"][key] + values["art"][key]) / 2), key
