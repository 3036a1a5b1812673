"""The loop of BPE training as a shared library, so that no compiler need be loaded to train.

Importing numba and loading its cached code costs 0.6 s and 120 MB, as much as training itself. So the
first use on a machine compiles the loop ahead of time, in a child process (some ten seconds), into the
cache folder where numba, too, keeps its code. Without a C compiler to link it, numba compiles inside this
process instead; the results are equal.
"""

import importlib.util
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

from modtok.core.provenance import PACKAGE, digest
from modtok.tokenization.bpe_state import Candidates, Gathered, Merges, Pairs, Table, Tokens, Words

SOURCES = ("adoption.py", "bpe_loop.py", "bpe_state.py", "native_build.py", "pair_index.py", "pair_table.py")
logger = logging.getLogger(__name__)


class Loop(NamedTuple):
    """The entries of adoption and bpe_loop, which say what they do."""

    segment: Callable[..., np.ndarray]
    "(words, tokens, merges) -> frequencies"
    index_pairs: Callable[..., Table]
    "(words, tokens, pairs, table) -> table"
    train: Callable[..., tuple[int, Table]]
    "(steps, words, tokens, pairs, table, gathered, candidates, min_frequency, banned) -> steps taken, table"


@cache
def load_loop() -> Loop:
    """The shared library where there is one or one can be made, else numba's own compiled functions."""
    library = _folder() / f"{_name()}{EXTENSION_SUFFIXES[0]}"
    if library.exists() or _build(library):
        return _of_library(_imported(library))
    return jit_loop()


def jit_loop() -> Loop:
    """The loop as numba compiles it in this process."""
    from modtok.tokenization import adoption, bpe_loop

    return Loop(adoption.segment, bpe_loop.index_pairs, bpe_loop.train)


def _of_library(library: ModuleType) -> Loop:
    """Entries that flatten the arguments, as a library takes arrays and numbers only."""

    def segment(words: Words, tokens: Tokens, merges: Merges) -> np.ndarray:
        return library.segment(*words, *tokens, *merges)

    def index_pairs(words: Words, tokens: Tokens, pairs: Pairs, table: Table) -> Table:
        return Table(*library.index_pairs(*words, *tokens, *pairs, *table))

    def train(
        steps: int,
        words: Words,
        tokens: Tokens,
        pairs: Pairs,
        table: Table,
        gathered: Gathered,
        candidates: Candidates,
        *settings: object,
    ) -> tuple[int, Table]:
        taken, *grown = library.train(
            steps, *words, *tokens, *pairs, *table, *gathered, *candidates, *settings
        )
        return taken, Table(*grown)

    return Loop(segment, index_pairs, train)


def _folder() -> Path:
    """Beside the sources, or the user's cache where that is read-only."""
    beside = Path(__file__).parent / "__pycache__"
    if os.access(beside if beside.exists() else beside.parent, os.W_OK):
        return beside
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "modtok"


def _name() -> str:
    """A module name that changes with the sources and with numpy, whose arrays the library takes apart."""
    sources = [Path(__file__).with_name(name).read_bytes() for name in SOURCES]
    return f"modtok_bpe_{digest(*sources, np.__version__)[:16]}"


def _build(library: Path) -> bool:
    """Compile the library in a child process; whether it worked."""
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        return False
    library.parent.mkdir(parents=True, exist_ok=True)
    aside = library.with_name(f".{os.getpid()}.{library.name}")
    command = [sys.executable, "-W", "ignore", "-m", "modtok.tokenization.native_build", _name(), str(aside)]
    path = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")]))
    built = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    if built.returncode != 0 or not aside.exists():
        reason = (built.stderr.strip().splitlines() or ["no reason given"])[-1]
        logger.warning("could not link the training loop (%s); numba compiles it in the process", reason)
        return False
    aside.replace(library)
    return True


def _imported(library: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(_name(), library)
    assert spec is not None and spec.loader is not None, "the suffix is one of Python's own"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
