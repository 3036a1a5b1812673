"""What made a file: a `.provenance.json` beside it, and digests of content and code.

A digest of content never depends on time, place or user, so a copied or freshly cloned run keeps its digests.
"""

import ast
import hashlib
import json
import platform
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from modtok.core.io import is_stream, write_json

PACKAGE = Path(__file__).parents[1]
# Beyond this size an input is named by its size and its first and last MiB: a WARC file of CommonCrawl has
# 1 GB, and reading 10,000 of them again only to name them would cost more than the step.
WHOLE_BYTES = 1 << 28
# Module -> distribution. Listed, since asking for the owners of all loaded modules outlasts some steps.
PACKAGES = {
    "brotli": "brotli",
    "datasketch": "datasketch",
    "fasttext": "fasttext-numpy2-wheel",
    "fastwarc": "fastwarc",
    "llvmlite": "llvmlite",
    "matplotlib": "matplotlib",
    "numba": "numba",
    "numpy": "numpy",
    "pandas": "pandas",
    "pyarrow": "pyarrow",
    "resiliparse": "resiliparse",
    "sentencepiece": "sentencepiece",
    "safetensors": "safetensors",
    "tokenizers": "tokenizers",
    "torch": "torch",
    "zstandard": "zstandard",
}


def digest(*parts: str | bytes) -> str:
    """A short stable digest of texts: 32 hex digits of blake2b."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little") + data)
    return state.hexdigest()


def settings_digest(settings: Any) -> str:
    """A digest of JSON-like settings, independent of the order of keys."""
    return digest(json.dumps(settings, sort_keys=True, ensure_ascii=False))


def file_digest(path: Path) -> str:
    """A digest of a file's content (of size, head and tail where the file is larger than WHOLE_BYTES)."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if size <= WHOLE_BYTES:
            return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
        head = file.read(1 << 20)
        file.seek(size - (1 << 20))
        return digest(str(size), head, file.read())


@contextmanager
def provenance(
    output: Path, inputs: Iterable[Path], settings: Mapping[str, Any], seed: int | None = None
) -> Iterator[None]:
    """Record beside `output` what made it, once the block has ended well; `seconds` is its wall time.

    Nothing is written beside a stream. Inputs that are no regular files, which can be read only once, are
    left out.
    """
    start = time.monotonic()
    yield
    if is_stream(output):
        return
    files = (path for path in inputs if path.is_file() or not path.exists())
    record = {
        "settings": dict(settings),
        "settings_digest": settings_digest(dict(settings)),
        "inputs": {name: file_digest(path) for name, path in _short_names(files).items()},
        "seed": seed,
        "versions": _versions(),
        "seconds": round(time.monotonic() - start, 3),
    }
    write_json(output.with_name(output.name + ".provenance.json"), record)


def _short_names(paths: Iterable[Path]) -> dict[str, Path]:
    """Paths by the fewest last parts that tell them apart: no name depends on where the run lies."""
    ordered = sorted({path.absolute() for path in paths})
    depth = 1
    while len(named := {"/".join(path.parts[-depth:]): path for path in ordered}) < len(ordered):
        depth += 1
    return named


def _versions() -> dict[str, str]:
    """Versions of Python and of those PACKAGES that this process has loaded."""
    loaded = {module: package for module, package in PACKAGES.items() if module in sys.modules}
    return {"python": platform.python_version()} | {
        package: metadata.version(package) for package in sorted(loaded.values())
    }


def code_digest(*modules: str, doorways: Sequence[str] = ()) -> str:
    """A digest of modtok modules and all that they import inside modtok; of `doorways` without their imports.

    A rule passes it as a param, since Snakemake does not see an edit of an imported module. Comments,
    docstrings and layout do not count: nothing runs again for them.
    code_digest("tokenization.bpe", doorways=["cli"])
    """
    closure: set[str] = set()
    for module in modules:
        _add_imports(module, closure)
    parts: list[str | bytes] = []
    for name in sorted({*closure, *doorways}):
        parts += [name, _code(name), *_data(name)]
    return digest(*parts)


def _add_imports(module: str, closure: set[str]) -> None:
    if module not in closure:
        closure.add(module)
        for imported in _imports(module):
            _add_imports(imported, closure)


@cache
def _imports(module: str) -> tuple[str, ...]:
    """The modules of modtok that a module names in its import statements, at any depth of the code."""
    names = [
        name
        for node in _nodes(module)
        for name in (
            [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
            if isinstance(node, ast.ImportFrom) and node.module
            else [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    ]
    inside = {name.removeprefix("modtok.") for name in names if name.startswith("modtok.")}
    return tuple(sorted(name for name in inside if _path(name) is not None))


def _data(module: str) -> list[bytes]:
    """Contents of the data files beside a module that are named by a string of it, such as "paper.tsv"."""
    strings = {node.value for node in _nodes(module) if isinstance(node, ast.Constant)}
    beside = sorted(_found(module).parent.iterdir())
    named = [path for path in beside if path.name in strings and path.is_file()]
    return [path.read_bytes() for path in named if path.suffix != ".py"]


@cache
def _nodes(module: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(_source(module))))


def _path(module: str) -> Path | None:
    base = PACKAGE.joinpath(*module.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


@cache
def _code(module: str) -> str:
    """What a module does: its syntax tree, without the strings that stand alone as statements."""
    tree = ast.parse(_source(module))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_text(part)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


@cache
def _source(module: str) -> str:
    return _found(module).read_text(encoding="utf-8")


def _found(module: str) -> Path:
    path = _path(module)
    assert path is not None, f"no module modtok.{module}"
    return path
