"""What made a file: a `.provenance.json` beside it, and digests of content.

A digest of content never depends on time, place or user, so a copied or freshly cloned run keeps its digests.
"""

import hashlib
import json
import platform
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
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
