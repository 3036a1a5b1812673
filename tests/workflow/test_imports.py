"""Who may import whom, and how long code may be: the walls of the house, checked by reading the sources.

core <- corpus, tokenization, modelling <- surgery <- evaluation; reporting stands on core alone; steps and
cli may use everything, inside their functions, so that `--help` and a dry run load nothing heavy.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "workflow" / "modtok"

# Package -> the other packages of modtok that it may import.
LIBRARY = {
    "core": set(),
    "corpus": {"core"},
    "tokenization": {"core"},
    "modelling": {"core"},
    "surgery": {"core", "tokenization"},
    "evaluation": {"core", "corpus", "tokenization", "modelling", "surgery"},
    "planning": {"core", "corpus", "tokenization", "modelling", "surgery", "evaluation"},
    "reporting": {"core"},
}
COMMANDS = {
    "__main__",
    "cli",
    "cli_bpe",
    "cli_concatenated",
    "cli_export",
    "cli_formats",
    "cli_modular",
    "cli_options",
    "cli_plan",
    "cli_surgery",
    "cli_unigram",
}
DOORWAYS = {"steps", *COMMANDS}
# Batches and export need the sets of ids of a modular tokenizer, and batches encoders; nothing else of it.
EXCEPTIONS = {
    ("modelling.batches", "tokenization.modular"),
    ("modelling.batches", "tokenization.loading"),
    ("modelling.batches", "tokenization.sampling"),
    ("modelling.export", "tokenization.modular"),
}
# Package -> the third-party packages that it may import; others may import any.
THIRD_PARTY = {"core": {"numpy", "pyarrow"}, "reporting": {"pandas", "matplotlib", "numpy", "jinja2", "rich"}}
# What a doorway may import at its top besides the standard library and modules that load nothing else.
LIGHT = {name: {"typer"} for name in COMMANDS}

MODULE_LINES, STEP_LINES, FUNCTION_LINES = 300, 60, 45


@dataclass(frozen=True)
class Import:
    name: str
    "dotted; for `from a import b` both `a` and `a.b` where that is a module, else `a`"
    line: int
    at_top: bool
    "runs when the module is imported"


def module_name(path: Path) -> str:
    """Dotted name below modtok; a package is named like its folder, modtok itself is the empty name."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
EVERY_MODULE = pytest.mark.parametrize("module", SOURCES)


def is_module(name: str) -> bool:
    return name.removeprefix("modtok").removeprefix(".") in SOURCES


def imports_of(source: str) -> Iterator[Import]:
    tree = ast.parse(source)
    lazy = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or is_type_checking(node)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        for name in imported_names(node):
            yield Import(name, node.lineno, node not in lazy)


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imported_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = "." * node.level + (node.module or "")
        submodules = [name for alias in node.names if is_module(name := f"{base}.{alias.name}")]
        # `from modtok.core import io, seeds` needs the two modules; the package itself is only their folder.
        return submodules if len(submodules) == len(node.names) else [*submodules, base]
    return []


def inside(name: str) -> str | None:
    """The name below modtok, None for a module of others."""
    return name.removeprefix("modtok").removeprefix(".") if name.split(".")[0] == "modtok" else None


def wrong_arrows(module: str, source: str) -> list[str]:
    return [
        f"line {found.line}: {found.name}"
        for found in imports_of(source)
        if not may_import(module, found.name)
    ]


def may_import(module: str, name: str) -> bool:
    package, target = module.partition(".")[0], inside(name)
    top = name.partition(".")[0]
    if top in ("", "snakemake"):  # relative imports are not followed by code_digest
        return False
    if target is None:
        return top in sys.stdlib_module_names or package not in THIRD_PARTY or top in THIRD_PARTY[package]
    if package in DOORWAYS or target == "":
        return True
    allowed = {package, *LIBRARY[package]}
    return target.partition(".")[0] in allowed or (module, target) in EXCEPTIONS


def heavy_imports(module: str, source: str) -> list[str]:
    """What the module itself loads at its top and is heavy, or leads to what is."""
    allowed = LIGHT.get(module.partition(".")[0], set())
    at_top = (found for found in imports_of(source) if found.at_top and found.name not in allowed)
    return [f"line {found.line}: {found.name}" for found in at_top if is_heavy(found.name)]


@cache
def is_heavy(name: str) -> bool:
    """Whether importing a module loads anything besides the standard library and light modules of modtok."""
    module = inside(name)
    if module is None:
        return name.partition(".")[0] not in sys.stdlib_module_names
    return bool(heavy_imports(module, SOURCES[module].read_text())) if module in SOURCES else True


def graph() -> dict[str, set[str]]:
    """Module -> the modules of modtok that it imports, at its top or later."""
    targets = {module: map(inside, names_in(path)) for module, path in SOURCES.items()}
    return {module: {target for target in found if target} - {module} for module, found in targets.items()}


def names_in(path: Path) -> set[str]:
    return {found.name for found in imports_of(path.read_text())}


# Kinds of what models are asked, each with its step and module of scoring.
KINDS = ("likelihood", "multiple_choice", "generation", "routing")
SCORING = {
    "evaluation.bootstrap",
    "evaluation.compression",
    "evaluation.model_metrics",
    "evaluation.text_metrics",
    *(f"evaluation.{kind}_metrics" for kind in KINDS),
}


def reached(module: str) -> set[str]:
    """What a module leads to, at any remove: what is in the digest of a rule whose step it is."""
    arrows, found, waiting = graph(), set(), [module]
    while waiting:
        new = arrows[waiting.pop()] - found
        found |= new
        waiting += new & arrows.keys()
    return found


@pytest.mark.parametrize("step", ["evaluate_model", "generation_tasks", "check_benchmarks"])
def test_models_are_asked_without_what_scores_their_answers(step):
    """Else an edit of a metric would ask all models again."""
    assert reached(f"steps.{step}") & SCORING == set()


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_scored_without_models_and_without_other_kinds(kind):
    found = reached(f"steps.score_{kind}")
    assert f"evaluation.{kind}_metrics" in found
    others = {f"evaluation.{other}_metrics" for other in KINDS if other != kind}
    assert found & {*others, "modelling.checkpoint", "evaluation.inference"} == set()


@EVERY_MODULE
def test_imports_go_one_way(module):
    package = module.partition(".")[0]
    assert package in {*LIBRARY, *DOORWAYS, ""}, (
        f"say in this test who may import {package} and whom it may import"
    )
    if package:
        assert wrong_arrows(module, SOURCES[module].read_text()) == []


@EVERY_MODULE
def test_what_is_imported_from_modtok_exists(module):
    assert {
        name for name in names_in(SOURCES[module]) if inside(name) is not None and not is_module(name)
    } == set()


def test_no_module_imports_itself_in_a_circle():
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize("module", [name for name in SOURCES if name.partition(".")[0] in DOORWAYS])
def test_a_doorway_loads_nothing_heavy_before_it_is_used(module):
    assert heavy_imports(module, SOURCES[module].read_text()) == []


@pytest.mark.parametrize("package", [name for name, path in SOURCES.items() if path.name == "__init__.py"])
def test_a_package_file_holds_its_docstring_only(package):
    """What is in `__init__.py` runs at each import below it and is in no digest of code."""
    docstring, *rest = ast.parse(SOURCES[package].read_text()).body
    assert isinstance(docstring, ast.Expr)
    assert [ast.unparse(node).partition(" ")[0] for node in rest] == ([] if package else ["__version__"])


@EVERY_MODULE
def test_modules_and_functions_fit_on_a_few_screens(module):
    source = SOURCES[module].read_text()
    limit = STEP_LINES if module.startswith("steps.") else MODULE_LINES
    assert len(source.splitlines()) <= limit
    functions = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    lengths = {node.name: node.end_lineno - node.lineno + 1 for node in functions}
    assert {name: length for name, length in lengths.items() if length > FUNCTION_LINES} == {}


# --- the checks themselves find what they are for ---


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("core.io", "import json, numpy as np\nimport pyarrow.parquet as pq\nfrom modtok.core import io", 0),
        ("core.io", "import pandas", 1),
        ("core.io", "def f():\n    from modtok.corpus import ledger", 1),
        ("corpus.quality", "import fasttext\nfrom modtok.core import io, seeds", 0),
        ("corpus.quality", "from modtok.tokenization.pretokenization import split", 1),
        ("corpus.quality", "from .ledger import Ledger", 1),
        ("corpus.quality", "from . import ledger", 1),
        ("corpus.quality", "if True:\n    from snakemake.io import expand", 1),
        ("modelling.batches", "from modtok.tokenization.modular import x", 0),
        ("modelling.batches", "from modtok.tokenization.bpe import x", 1),
        ("modelling.training", "from modtok.tokenization.modular import x", 1),
        ("evaluation.compression", "from modtok.tokenization import bpe\nfrom modtok.core import io", 0),
        ("evaluation.compression", "from modtok.reporting import tables", 1),
        ("reporting.tables", "import pandas as pd\nimport matplotlib.pyplot\nfrom modtok.core import io", 0),
        ("reporting.tables", "import torch\nimport tokenizers\nfrom modtok.evaluation import compression", 3),
        ("steps.count", "from modtok.reporting import tables\nimport torch", 0),
        ("steps.count", "import snakemake", 1),
        ("tokenization.bpe", "from modtok.steps.count import main", 1),
    ],
)  # fmt: skip
def test_an_arrow_that_runs_the_wrong_way_is_found(module, source, found):
    assert len(wrong_arrows(module, source)) == found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import argparse\nfrom pathlib import Path\nfrom modtok.core.errors import exit_on_user_error", 0),
        ("def main():\n    import torch\n    from modtok.core import io", 0),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy", 0),
        ("from modtok.core.errors import require\nfrom modtok.core import seeds", 0),
        ("import numpy", 1),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None", 1),
        ("from modtok.core.texts import read_texts", 1),
        ("class Options:\n    from modtok.core import texts", 1),
    ],
)
def test_a_heavy_import_at_the_top_is_found(source, found):
    assert len(heavy_imports("steps.count", source)) == found
