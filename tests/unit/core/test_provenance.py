import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from modtok.core import provenance

MEGABYTE = 1 << 20


# --- digests of content ---


def test_a_digest_tells_parts_apart_and_is_the_same_everywhere():
    assert provenance.digest("ab", "c") != provenance.digest("a", "bc") != provenance.digest("abc")
    assert provenance.digest("é") == provenance.digest("é".encode()) == "b44c31f5b735bf217e1d8b92896a12ef"
    assert provenance.digest("\ud800")  # a lone surrogate has a digest as well


def test_the_order_of_settings_does_not_matter_and_their_values_do():
    assert provenance.settings_digest({"a": 1, "b": [1, 2]}) == provenance.settings_digest(
        {"b": [1, 2], "a": 1}
    )
    different = [
        {"a": 1},
        {"a": 2},
        {"a": "1"},
        {"a": None},
        {"a": True},
        {"b": 1},
        {"a": {"a": 1}},
        {"a": [1]},
        {},
    ]
    assert len({provenance.settings_digest(settings) for settings in different}) == len(different)


def test_a_file_is_named_by_its_content_not_by_its_name_or_time(tmp_path):
    for name, content in [("a", b"same"), ("b", b"same"), ("c", b"Same"), ("empty", b"")]:
        (tmp_path / name).write_bytes(content)
    os.utime(tmp_path / "b", (0, 0))
    a, b, c, empty = (provenance.file_digest(tmp_path / name) for name in ("a", "b", "c", "empty"))
    assert a == b
    assert len({a, c, empty}) == 3


@pytest.mark.parametrize(
    ("where", "noticed"),
    [(0, True), (MEGABYTE - 1, True), (MEGABYTE, False), (2 * MEGABYTE + 5, True), (-1, True)],
)
def test_a_big_file_is_named_by_its_size_head_and_tail(tmp_path, monkeypatch, where, noticed):
    monkeypatch.setattr(provenance, "WHOLE_BYTES", 2 * MEGABYTE)
    data = bytearray(3 * MEGABYTE + 5)
    (tmp_path / "before").write_bytes(data)
    data[where] = 1
    (tmp_path / "after").write_bytes(data)
    (tmp_path / "longer").write_bytes(data + b"\0")
    before, after, longer = (
        provenance.file_digest(tmp_path / name) for name in ("before", "after", "longer")
    )
    assert (before != after) == noticed
    assert longer not in (before, after)


def test_a_file_of_just_the_limit_is_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "WHOLE_BYTES", 3 * MEGABYTE)
    data = bytearray(3 * MEGABYTE)
    (tmp_path / "a").write_bytes(data)
    data[len(data) // 2] = 1
    (tmp_path / "b").write_bytes(data)
    assert provenance.file_digest(tmp_path / "a") != provenance.file_digest(tmp_path / "b")


# --- the sidecar ---


def test_the_sidecar_says_what_made_the_output(tmp_path):
    for folder in ("fr", "el"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "counts.tsv").write_text(folder)
    (tmp_path / "config.yaml").write_text("seed: 1")
    inputs = [tmp_path / "fr" / "counts.tsv", tmp_path / "el" / "counts.tsv", tmp_path / "config.yaml"]
    with provenance.provenance(tmp_path / "out.json", [*inputs, inputs[0]], {"budget": 24_000}, seed=1):
        (tmp_path / "out.json").write_text("{}")
    record = json.loads((tmp_path / "out.json.provenance.json").read_text())
    assert record["settings"] == {"budget": 24_000}
    assert record["settings_digest"] == provenance.settings_digest({"budget": 24_000})
    # Names go as deep as needed to tell the inputs apart and not further: none depends on where the run lies.
    names = [f"{tmp_path.name}/config.yaml", "el/counts.tsv", "fr/counts.tsv"]
    assert sorted(record["inputs"]) == sorted(names)
    assert record["inputs"]["el/counts.tsv"] == provenance.file_digest(inputs[1])
    assert record["seed"] == 1
    assert record["seconds"] >= 0
    assert record["versions"]["python"] == platform.python_version()
    assert record["versions"]["pyarrow"] == pa.__version__


def test_inputs_whose_names_differ_are_named_shortly_and_no_input_is_fine(tmp_path):
    (tmp_path / "a").touch()
    with (
        provenance.provenance(tmp_path / "out", [tmp_path / "a"], {}),
        provenance.provenance(tmp_path / "b", [], {}),
    ):
        pass
    assert list(json.loads((tmp_path / "out.provenance.json").read_text())["inputs"]) == ["a"]
    assert json.loads((tmp_path / "b.provenance.json").read_text())["inputs"] == {}


def test_a_block_that_fails_leaves_no_sidecar(tmp_path):
    with pytest.raises(RuntimeError), provenance.provenance(tmp_path / "out", [], {}):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


# --- the digest of code ---

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
    """A folder with a small package named modtok, its digest computed by the real provenance module in it."""
    root = tmp_path / "here" / "modtok"
    for name, source in SOURCES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(source)
    for name in ("provenance.py", "errors.py"):
        shutil.copy(Path(provenance.__file__).with_name(name), root / "core" / name)
    (root / "core" / "io.py").write_text(
        Path(provenance.__file__).with_name("io.py").read_text() + SOURCES["core/io.py"]
    )
    return root


def code_digest(package: Path, *modules: str, **environment: str) -> str:
    code = (
        "from modtok.core import provenance\n"
        f"assert provenance.PACKAGE.samefile({str(package)!r})\n"
        f"print(provenance.code_digest(*{modules}))"
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
    found: set[str] = set()
    provenance._add_imports(module, found)
    return found


def test_pipes_are_neither_read_again_nor_written_beside(tmp_path):
    pipe, out = tmp_path / "pipe", tmp_path / "out"
    os.mkfifo(pipe)
    with provenance.provenance(out, [pipe], {}):
        pass
    assert json.loads((tmp_path / "out.provenance.json").read_text())["inputs"] == {}
    with provenance.provenance(pipe, [], {}):
        pass
    assert not (tmp_path / "pipe.provenance.json").exists()
