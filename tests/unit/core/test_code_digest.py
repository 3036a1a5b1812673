"""The digest of code changes with what a rule would run, and with nothing else."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from modtok.core import provenance
from modtok.core.code_digest import _closure

SOURCES = {
    "__init__.py": "",
    "core/__init__.py": "",
    "core/io.py": "import os\nimport json, numpy as np\n",
    "core/unused.py": "",
    "corpus/__init__.py": "",
    "corpus/words.py": "from modtok.core import io\nFIGURES = 'figures.tsv'\n",
    "corpus/figures.tsv": "1",
    "corpus/unnamed.tsv": "1",
    "corpus/late.py": "def f():\n    import modtok.corpus.words as words\n    return words\n",
    "corpus/cycle.py": "from modtok.corpus.late import f\nif f:\n    from modtok.corpus.cycle import x\n",
    "steps/__init__.py": "",
    "steps/count.py": "from modtok.corpus.cycle import x\n",
}


@pytest.fixture
def package(tmp_path):
    """A folder with a small package named modtok, its digest computed by the real modules in it."""
    root = tmp_path / "here" / "modtok"
    for name, source in SOURCES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(source)
    for name in ("code_digest.py", "provenance.py", "errors.py"):
        shutil.copy(Path(provenance.__file__).with_name(name), root / "core" / name)
    (root / "core" / "io.py").write_text(
        Path(provenance.__file__).with_name("io.py").read_text() + SOURCES["core/io.py"]
    )
    return root


def code_digest(package: Path, *modules: str, **environment: str) -> str:
    return evaluated(package, f"code_digest.code_digest(*{modules})", **environment)


def evaluated(package: Path, expression: str, **environment: str) -> str:
    """The text of an expression in a process of its own, where modtok is the small package."""
    code = (
        "from modtok.core import code_digest, provenance\n"
        f"assert provenance.PACKAGE.samefile({str(package)!r})\n"
        f"print({expression})"
    )
    env = {**os.environ, "PYTHONPATH": str(package.parent), **environment}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize(
    "edited", ["steps/count.py", "corpus/cycle.py", "corpus/late.py", "corpus/words.py", "corpus/figures.tsv",
     "core/io.py"],
)  # fmt: skip
def test_an_edit_anywhere_in_the_closure_changes_the_digest(package, edited):
    before = code_digest(package, "steps.count")
    with (package / edited).open("a") as file:
        file.write("edited = True\n")
    assert code_digest(package, "steps.count") != before


def test_comments_docstrings_and_layout_do_not(package):
    before = code_digest(package, "steps.count")
    words = package / "corpus/words.py"
    words.write_text(f'"""What it is for."""\n\n\n{words.read_text()}  # why\n')
    assert code_digest(package, "steps.count") == before


def test_an_edit_elsewhere_a_touch_a_move_and_hash_randomisation_do_not(package):
    before = code_digest(package, "steps.count", PYTHONHASHSEED="1")
    for name in ("core/unused.py", "corpus/unnamed.tsv"):
        (package / name).write_text("edited = True\n")
    for file in package.rglob("*.py"):
        os.utime(file, (0, 0))
    assert code_digest(package, "steps.count", PYTHONHASHSEED="2") == before
    moved = shutil.copytree(package, package.parents[1] / "there" / "modtok")
    assert code_digest(moved, "steps.count") == before


def test_several_modules_share_one_digest_in_any_order(package):
    one = code_digest(package, "core.unused", "corpus.words")
    assert (
        one
        == code_digest(package, "corpus.words", "core.unused")
        == code_digest(package, "corpus.words", "core.unused", "core.io")
    )
    assert one != code_digest(package, "corpus.words")


@pytest.mark.parametrize(
    "statement", ["from modtok import corpus", "import modtok.corpus", "from modtok.corpus import *"]
)
def test_every_way_to_import_is_followed(package, statement):
    """Relative imports are not followed; tests/workflow/test_imports.py keeps them out."""
    (package / "core" / "asks.py").write_text(f"{statement}\n")
    before = code_digest(package, "core.asks")
    (package / "corpus" / "__init__.py").write_text("edited = True\n")
    assert code_digest(package, "core.asks") != before


def test_the_digest_of_the_real_package_follows_its_imports():
    assert {"core.io", "core.errors"} <= closure("corpus.ledger")
    assert "core.seeds" not in closure("corpus.ledger")


def closure(module: str) -> set[str]:
    return set(_closure([module], {}, ()))


# --- of some definitions ---

TABLES = """
import os
from modtok.core import unused
from modtok.corpus.late import f
SHARED, other = 1, 2
def table_1(): return helper()
def helper(): return SHARED
def table_2(): return other, os, unused
def table_3(): return f
listed = [table_1, table_2, table_3]
"""
DRAWN = "from modtok.steps.tables import listed, table_1 as first\ndef figure_1(): return first, listed\n"


@pytest.fixture
def tables(package):
    (package / "steps" / "tables.py").write_text(TABLES)
    (package / "steps" / "drawn.py").write_text(DRAWN)
    (package / "steps" / "make.py").write_text("from modtok.steps import drawn, tables\n")
    return package


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("return helper()", "return helper", {"table_1", "figure_1"}),
        ("return SHARED", "return -SHARED", {"table_1", "figure_1"}),
        ("SHARED, other = 1, 2", "SHARED, other = 1, 3", {"table_1", "table_2", "figure_1"}),
        ("return other", "return not other", {"table_2"}),
        ("def table_3(): return f", "def table_3(): return f, 1", {"table_3"}),
        ("def table_3(): return f", "", {"table_3"}),
        ("import os\n", "import os\nprint()\n", {"table_1", "table_2", "table_3", "figure_1"}),
    ],
)
def test_an_edit_changes_the_digest_of_what_uses_it(tables, before, after, changed):
    old = digests(tables)
    (tables / "steps" / "tables.py").write_text(TABLES.replace(before, after))
    new = digests(tables)
    assert {name for name in old if old[name] != new[name]} == changed


def test_an_edit_of_what_a_definition_imports_changes_its_digest(tables):
    old = digests(tables)
    (tables / "corpus" / "figures.tsv").write_text("2")
    new = digests(tables)
    assert {name for name in old if old[name] != new[name]} == {"table_3"}


def digests(package: Path) -> dict[str, str]:
    """The digest of each function, as a rule with one job per function would ask for it."""
    parts = {"table_1": "tables", "table_2": "tables", "table_3": "tables", "figure_1": "drawn"}
    only = {
        name: {"steps.tables": [], "steps.drawn": [], f"steps.{module}": [name]}
        for name, module in parts.items()
    }
    one = "code_digest.code_digest('steps.make', only=own, apart=['steps.tables.listed'])"
    return ast.literal_eval(evaluated(package, f"{{name: {one} for name, own in {only}.items()}}"))
