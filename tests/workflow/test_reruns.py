"""What runs again after which edit of the code, neither more nor less; nothing after a touch or a move."""

import os
import re

import pytest

from workflow.reruns import COMPARED, COUNTED, EXTRACTED, TOKENIZED, TRAINED, UNIGRAM
from workflow.runs import copy, finish, would_run

pytestmark = pytest.mark.slow


# --- nothing ---


def test_a_second_run_does_nothing(workflow, finished):
    assert would_run(workflow, finished) == {}


def test_a_copy_of_workflow_and_run_in_another_place_does_nothing(own):
    assert would_run(*own) == {}


def test_a_run_started_in_another_folder_does_nothing(own, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    assert would_run(*own, cwd=tmp_path / "elsewhere") == {}


def test_touched_files_do_nothing(own, inputs, tmp_path):
    workflow, run = own
    for link in [path for path in run.iterdir() if path.is_symlink()]:
        link.unlink()
        copy(inputs / link.name, link)
    for path in (path for folder in own for path in folder.rglob("*")):
        if path.is_file() and ".snakemake" not in path.parts:
            os.utime(path)
    assert would_run(workflow, run) == {}


def test_a_real_second_run_writes_nothing(workflow, finished, tmp_path):
    run = copy(finished, tmp_path / "run")
    before = {path: path.stat().st_mtime_ns for path in (run / "results").rglob("*")}
    finish(workflow, run)
    assert {path: path.stat().st_mtime_ns for path in (run / "results").rglob("*")} == before


# --- edits of the code ---


@pytest.mark.parametrize(
    ("file", "rules"),
    [
        ("reporting/tables.py", set()),  # no table uses what was added
        ("reporting/paper.tsv", {"table", "figure", "page"}),
        ("reporting/page.html.jinja", {"page"}),
        ("evaluation/compression.py", COMPARED),
        ("cli_export.py", {"extract_subtokenizer"}),
        ("tokenization/bpe.py", {*TRAINED - UNIGRAM, *COUNTED, *COMPARED}),
        ("tokenization/unigram.py", {*TRAINED, *COUNTED, *COMPARED}),
        ("tokenization/word_counts.py", TOKENIZED),
        ("corpus/mixture.py", {"mixture"}),
        ("corpus/extraction.py", EXTRACTED),
    ],
)
def test_an_edit_of_the_code_runs_what_uses_it(file, rules, own):
    workflow, run = own
    edit(workflow, file)
    assert set(would_run(workflow, run)) == rules


EDITS = {".py": "EDITED = True\n", ".jinja": "{# edited #}\n", ".tsv": "item\trow\tcolumn\t0\tedited\n"}


def edit(workflow, file, added=EDITS):
    path = workflow / "workflow" / "modtok" / file
    path.write_text(path.read_text() + added[path.suffix])


def test_an_edit_of_a_table_or_figure_makes_it_again_alone(own):
    workflow, run = own
    functions = {
        "tables": ["table_1", "table_7"],
        "model_tables": ["table_memory"],
        "tokenizer_figures": ["figure_2"],
        "corpus_figures": ["figure_funnel"],
    }
    for module, names in functions.items():
        for name in names:
            edit_function(workflow / "workflow" / "modtok" / "reporting" / f"{module}.py", name)
    assert would_run(workflow, run) == {
        "table": {"item=table_1", "item=table_7", "item=table_memory"},
        "figure": {"item=figure_2", "item=figure_funnel"},
        "page": {""},
    }


def test_an_edit_of_a_helper_makes_the_tables_again_that_use_it(own):
    workflow, run = own
    edit_function(workflow / "workflow" / "modtok" / "reporting" / "tables.py", "_nsl_table")
    names = ("table_1", "table_1_full", "table_2", "table_10", "table_11", "table_12")
    assert would_run(workflow, run) == {"table": {f"item={name}" for name in names}, "page": {""}}


def test_another_caption_makes_its_own_table_again(own):
    workflow, run = own
    items = workflow / "workflow" / "modtok" / "reporting" / "items.py"
    declared = items.read_text()
    before = "Percent of the tokens"
    assert declared.count(before) == 1
    items.write_text(declared.replace(before, "Share, in percent, of the tokens"))
    assert would_run(workflow, run) == {"table": {"item=table_foreign"}, "page": {""}}


def edit_function(file, name):
    """Put a statement before the last one of a function, which returns."""
    before, start, after = file.read_text().partition(f"\ndef {name}(")
    body, returns, rest = re.split(r"(\n    return )", after, maxsplit=1)
    assert start and "\ndef " not in body
    file.write_text(f"{before}{start}{body}\n    edited = True{returns}{rest}")


def test_comments_and_docstrings_run_nothing(own):
    workflow, run = own
    for file in ("core/io.py", "corpus/extraction.py", "tokenization/bpe_loop.py", "reporting/tables.py"):
        edit(workflow, file, {".py": '\n\n# edited\n"""edited"""\n'})
    assert would_run(workflow, run) == {}


def test_an_edit_of_bpe_spares_unigram(own):
    workflow, run = own
    edit(workflow, "tokenization/bpe.py")
    planned = would_run(workflow, run)
    assert planned["train_monolingual"] == {"model=bpe, lang=en", "model=bpe, lang=fi"}
    counted = ("mono-bpe-en", "mono-bpe-fi", "joint-bpe-500")
    assert planned["count_tokens"] == {f"tokenizer={name}" for name in counted}
