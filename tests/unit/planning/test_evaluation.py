"""What evaluating models takes, against operations counted by hand, and what questions are found."""

import json
from dataclasses import replace

import pytest

from modtok.core.languages import read_languages
from modtok.planning.evaluation import (
    CHOICE_BYTES,
    FILES_MB,
    ITEM_BYTES,
    LINE_BYTES,
    OUTPUT_BYTES,
    REQUEST_S,
    ROUTED_BYTES,
    START_S,
    estimate_evaluation,
)
from modtok.planning.models import BYTES_A_TOKEN, GPU_OPERATIONS
from modtok.planning.questions import TYPICAL, Documents, Questions, find_documents, find_questions
from modtok.planning.run import WORKFLOW, Job, merged
from modtok.planning.sample import Text
from modtok.planning.speed import Speed, operations, settings
from modtok.planning.workload import Parallel, Workload
from unit.planning.forecasts import changed_config

LANGS = ["en", "fi"]
CHANGES = {
    "languages": LANGS,
    "tokenizers": {"budget": 1000, "joint_sizes": [3000]},
    "pretraining": {"model": "d=128,layers=2,heads=4,context=400"},
    "evaluation": {
        "parallel": [{"name": "set", "path": "set"}],
        "translation": {"shots": 5, "lines": 10},
        "routing": {"lines": "all"},
    },
}
TOKENS = 0.09e6 / BYTES_A_TOKEN
"of a language's lines"


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return changed_config(tmp_path_factory.mktemp("run"), CHANGES)


@pytest.fixture
def work(config):
    texts, parallel = dict.fromkeys(LANGS, Text()), dict.fromkeys(LANGS, Parallel(1000, 0.09))
    return Workload(config, texts, parallel=parallel, scripts=dict.fromkeys(LANGS, "Latn"))


def wanted(work, trained="joint-unigram-3000+baseline"):
    """Operations of a job."""
    found = estimate_evaluation(Job("evaluate_model", {"trained": trained}), work, Speed(1e9))
    return found.gpu_seconds * GPU_OPERATIONS


def of(work, read, predicted, rows=3000):
    shape = settings(work.config).shape
    return read * operations(shape, 0) + predicted * (operations(shape, rows) - operations(shape, 0))


def test_a_joint_model_reads_each_line_once_and_writes_translations_to_their_limit(work):
    source, most = 90 / BYTES_A_TOKEN, (100 + 2 * 90) / BYTES_A_TOKEN
    expected = 2 * of(work, TOKENS, TOKENS) + 10 * of(work, source + most, most)
    assert wanted(work) == pytest.approx(expected)


def test_seconds_are_those_of_operations_and_of_lm_evals_requests(work):
    job, asked = Job("evaluate_model", {"trained": "joint-unigram-3000+baseline"}), [Questions(100, 5, 90, 9)]
    plain, more = (
        estimate_evaluation(job, own, Speed(1e9)) for own in (work, replace(work, questions={"fi": asked}))
    )
    assert plain.seconds == pytest.approx(START_S + plain.gpu_seconds * GPU_OPERATIONS / 1e9)
    assert more.seconds == pytest.approx(START_S + more.gpu_seconds * GPU_OPERATIONS / 1e9 + 500 * REQUEST_S)


@pytest.mark.parametrize(
    ("task", "times"),
    [
        (Questions(100, 5, 90, 9), 5),
        (Questions(100, 5, 90, 9, shots=False), 1),
        (Questions(100, 3, 90, 9, shots=False), 3),
    ],
    ids=["shots are shared", "the question is", "too few to share"],
)
def test_questions_are_read_before_each_choice_unless_choices_share_them(task, times, work):
    asked = replace(work, questions={"fi": [task]})
    predicted = 100 * task.choices * 2
    assert wanted(asked) - wanted(work) == pytest.approx(of(work, 100 * times * 20 + predicted, predicted))


def test_summaries_have_no_more_than_the_context(work):
    asked = replace(work, documents={"fi": Documents(7, 1e6)})
    most = 600 / BYTES_A_TOKEN
    assert wanted(asked) - wanted(work) == pytest.approx(7 * of(work, 200 + most, most))


def test_a_modular_model_is_asked_by_each_inference_tokenizer(work):
    asked = replace(work, questions={lang: [Questions(100, 2, 90, 9)] for lang in LANGS})
    name = "sequential-bpe+mono-only"
    more = wanted(asked, name) - wanted(work, name)
    full = work.modular_tokens(LANGS)
    rows = [1000, full, 1000] * 2 + [full]  # the union is of both languages; English has none
    assert more == pytest.approx(sum(of(work, 100 * 2 * 22, 100 * 2 * 2, own) for own in rows))


def disk(work, trained):
    """Bytes on disk of a job's answers, without what files take by themselves."""
    found = estimate_evaluation(Job("evaluate_model", {"trained": trained}), work, Speed(1e9))
    return 1e6 * (found.disk_mb - FILES_MB)


def test_answers_take_disk_by_their_rows_and_what_is_written_by_its_text(work):
    lines, translations = 2 * 1000 * LINE_BYTES, ITEM_BYTES + 90 + 90
    output = OUTPUT_BYTES + 100 + 2 * 90
    assert disk(work, "joint-unigram-3000+baseline") == pytest.approx(lines + 10 * (translations + output))
    # Four ways to read Finnish, three to read English; all lines are routed in four ways.
    modular = (4 + 3) / 2 * lines + 10 * (translations + 4 * output) + 2 * 1000 * 4 * ROUTED_BYTES
    assert disk(work, "sequential-bpe+mono-only") == pytest.approx(modular)


def test_more_questions_and_documents_take_more_disk(work):
    name = "joint-unigram-3000+baseline"
    asked = replace(work, questions={"fi": [Questions(14042, 4, 270, 40)]})
    assert disk(asked, name) - disk(work, name) == pytest.approx(14042 * 4 * CHOICE_BYTES)
    asked = replace(work, documents={"fi": Documents(5000, 2500)})
    text = ITEM_BYTES + 2500 + OUTPUT_BYTES + 600  # the limit, of which half the context holds all
    assert disk(asked, name) - disk(work, name) == pytest.approx(5000 * text)


def test_questions_are_counted_in_files_and_typical_without_them(config, tmp_path):
    item = {"question": "ä" * 10, "choices": ["a", "bcd"], "gold": 0}
    (tmp_path / "piqa.fi.jsonl").write_text("".join(json.dumps(item) + "\n" for _ in range(300)))
    (tmp_path / "sum.en.jsonl").write_text('{"document": "a", "summary": "b"}\n' * 30)
    entries = [
        {"task": "piqa", "languages": ["fi", "sv"], "path": "piqa.{lang}.jsonl", "shots": "shots.jsonl"},
        {"task": "belebele", "languages": "all", "hub": {"id": "some/set", "split": "test"}, "lines": 50},
    ]
    section = {"path": "sum.{lang}.jsonl", "languages": LANGS, "shots": 5, "shots_from": None, "lines": 1000}
    asked = merged(config, {"evaluation": {"multiple_choice": entries, "summarization": section}})
    languages = read_languages(WORKFLOW / "config" / "languages.tsv")
    belebele = replace(TYPICAL["belebele"], items=50, shots=False)
    assert find_questions(tmp_path, asked, languages) == {
        "fi": [Questions(300, 2, 20, 2), belebele],
        "en": [belebele],
    }
    documents = find_documents(tmp_path, asked)
    assert documents["en"] == Documents(25, 33)
    assert documents["fi"].items == 1000, "no such file yet"


def test_every_task_has_typical_counts():
    forms = (WORKFLOW / "workflow/modtok/evaluation/tasks").glob("*.yaml")
    assert set(TYPICAL) == {form.stem for form in forms} - {"cloze", "words"}
