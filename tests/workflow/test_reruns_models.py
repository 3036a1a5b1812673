"""What asks models again, and what only scores their answers again: neither more nor less."""

import pytest

from modtok.planning.run import merged
from workflow.runs import SMALL, clone, configure, copy, finish, would_run

pytestmark = pytest.mark.slow

# One small model that is asked all kinds of questions, a few of each.
ASKED = {
    "pretraining": {
        "tokenizers": ["sequential-bpe"],
        "regimes": ["mono-only"],
        "model": "d=16,layers=1,heads=2,hidden=32,context=64",
        "tokens": 2000,
        "batch": 4,
        "accumulation": 1,
    },
    "evaluation": {
        "translation": {"shots": 1, "lines": 2},
        "summarization": {"path": "summaries/{lang}.jsonl", "languages": ["fi"], "shots": 0, "lines": 1},
        "multiple_choice": [
            {"task": "belebele", "languages": ["en", "fi"], "path": "tasks/belebele.{lang}.jsonl"}
        ],
        "routing": {"lines": 4},
    },
}
# A table of each kind of question; the last one is of choices and of what was written.
TABLES = {
    "likelihood": "table_likelihood",
    "generation": "table_off_target",
    "routing": "table_routing",
    "multiple_choice": "table_15",
}
SCORES = {f"score_{kind}" for kind in TABLES}


@pytest.fixture(scope="module")
def asked(once, workflow, finished):
    """The small run, with a model that has answered; not to be changed."""

    def make(folder):
        run = configure(copy(finished, folder), merged(SMALL, ASKED))
        return finish(workflow, run, *TABLES.values())

    return once("asked", make)


@pytest.fixture
def own(workflow, asked, tmp_path):
    """A copy of the workflow and of the run, to be edited: (workflow, run)."""
    return clone(tmp_path / "workflow", workflow), copy(asked, tmp_path / "run")


def again(workflow, run):
    """The rules that would run for the tables, and the tables that they would make."""
    planned = would_run(workflow, run, *TABLES.values())
    return set(planned) - {"table"}, {table.removeprefix("item=") for table in planned.get("table", ())}


EVERY = set(TABLES.values())
GENERATED = {TABLES["generation"], TABLES["multiple_choice"]}


def test_a_second_run_does_nothing(workflow, asked):
    assert again(workflow, asked) == (set(), set())


@pytest.mark.parametrize(
    ("file", "rules", "tables"),
    [
        ("text_metrics.py", {"score_generation"}, GENERATED),
        ("generation_metrics.py", {"score_generation"}, GENERATED),
        ("likelihood_metrics.py", {"score_likelihood"}, {TABLES["likelihood"]}),
        ("routing_metrics.py", {"score_routing"}, {TABLES["routing"]}),
        ("multiple_choice_metrics.py", {"score_multiple_choice"}, {TABLES["multiple_choice"]}),
        ("bootstrap.py", SCORES, EVERY),
        ("compression.py", set(), set()),
        ("inference.py", {"evaluate_model", *SCORES}, EVERY),
        ("tasks/cloze.yaml", {"evaluate_model", *SCORES}, EVERY),
    ],
)
def test_an_edit_of_the_code_asks_again_only_where_asking_uses_it(file, rules, tables, own):
    workflow, run = own
    edited = workflow / "workflow" / "modtok" / "evaluation" / file
    edited.write_text(edited.read_text() + ("EDITED = True\n" if file.endswith(".py") else "# edited\n"))
    assert again(workflow, run) == (rules, tables)


@pytest.mark.parametrize(
    ("change", "rules", "tables"),
    [
        ({"bootstrap": 50}, SCORES, EVERY),
        ({"routing": {"sure": 0.9}}, {"score_routing"}, {TABLES["routing"]}),
        (
            {"translation": {"spbleu": {"path": "config/config.yaml", "sha256": "0" * 64}}},
            {"check_spbleu", "score_generation"},
            GENERATED,
        ),
        ({"routing": {"candidates": 1}}, {"evaluate_model", *SCORES}, EVERY),
        ({"translation": {"lines": 3}}, {"generation_tasks", "evaluate_model", *SCORES}, EVERY),
    ],
    ids=["bootstrap", "sure", "spbleu", "candidates", "lines"],
)
def test_an_edit_of_the_config_asks_again_only_where_asking_needs_it(change, rules, tables, own):
    workflow, run = own
    configure(run, merged(SMALL, merged(ASKED, {"evaluation": change})))
    assert again(workflow, run) == (rules, tables)


def test_a_regime_added_asks_its_own_model_alone(own):
    workflow, run = own
    regimes = {"pretraining": {"regimes": ["mono-only", "samp-full"]}}
    configure(run, merged(SMALL, merged(ASKED, regimes)))
    planned = would_run(workflow, run, *TABLES.values())
    assert planned["evaluate_model"] == {"trained=sequential-bpe+samp-full"}
    assert set(planned) == {"pretrain", "evaluate_model", *SCORES, "table"}
