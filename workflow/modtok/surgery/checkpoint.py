"""The rows of a model after surgery: new tokens' initialised, all others bit for bit (safetensors only).

A file of weights is copied, and in the copy only the rows of new tokens are written over: no other byte can
change, nothing of the size of a model is ever in memory, and neither torch nor the model's code is needed.
"""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from modtok.core.errors import ConfigError, require
from modtok.core.io import atomic, require_other_folder
from modtok.core.safetensors_file import (
    INDEX,
    SINGLE,
    STORED,
    Matrix,
    loaded_files,
    refuse_other_weights,
    tensors,
)
from modtok.core.seeds import derive
from modtok.surgery.folder import CONFIG, SECOND_VOCABULARIES, copy, files_beside

Initialisation = Literal["mean", "overall", "random"]
"A new token's row: mean of the rows of its old segmentation; mean of all rows; drawn as all rows are spread."
# Names, from their ends, of what transformers' models have a row in for each token.
EMBEDDINGS = ("embed_tokens.weight", "wte.weight", "word_embeddings.weight", "embed_in.weight")
OUTPUTS = ("lm_head.weight", "lm_head.bias", "embed_out.weight")
CHUNK = 4096
"Rows read at once where all are read."
OldIds = Mapping[int, Sequence[int]]
"New token's id -> ids that its bytes had before."


def write_checkpoint(
    source: Path, out: Path, was: OldIds, how: Initialisation = "mean", seed: int = 1
) -> list[str]:
    """Write a model's folder with new rows for new tokens; return the names of the matrices that have them.

    `was`: changes.json's `was` by id. Of the weights those are written that transformers loads; files beside
    them are copied, the tokenizer's vocabulary not. Errors: those of check_checkpoint.

    write_checkpoint(Path("qwen3"), Path("qwen3-uk"), {row["id"]: row["was"] for row in changes["inserted"]})
    """
    require(
        how in get_args(Initialisation), f"rows {how!r}: not one of {get_args(Initialisation)}", ConfigError
    )
    largest = max((number for new, old in was.items() for number in (new, *old)), default=0)
    found = check_checkpoint(source, out, largest)
    beside = (path for path in files_beside(source / CONFIG) if path.name not in SECOND_VOCABULARIES)
    sharded = () if (source / SINGLE).is_file() else (source / f"model{INDEX}",)
    for path in (*beside, *sharded):
        copy(path, out / path.name)
    for file, matrices in found.items():
        with atomic(out / file.name) as partial:
            shutil.copyfile(file, partial)
            for matrix in matrices:
                _write_rows(matrix, file, partial, was, how, derive(seed, matrix.name))
    return sorted(matrix.name for matrices in found.values() for matrix in matrices)


def check_checkpoint(source: Path, out: Path | None, largest: int) -> dict[Path, list[Matrix]]:
    """The matrices of a model that have a row for each token, by file; `largest`: of the tokens' ids.

    Errors: no safetensors, no embedding, fewer rows than ids, numbers of a format that is not read; `out` is
    the model's folder, or holds weights that would be loaded with those to come, or in place of them.
    """
    files = loaded_files(source)
    if out is not None:
        require_other_folder(out, source)
        refuse_other_weights(out, [file.name for file in files])
    found = {file: _with_rows(tensors(file)) for file in files}
    _check(source, found, largest)
    return found


def _with_rows(found: Mapping[str, Matrix]) -> list[Matrix]:
    """The tensors with a row for each token, by their names."""
    ends = (*EMBEDDINGS, *OUTPUTS)
    return [
        matrix
        for name, matrix in sorted(found.items())
        if any(name == end or name.endswith(f".{end}") for end in ends)
    ]


def _check(source: Path, found: Mapping[Path, Sequence[Matrix]], largest: int) -> None:
    matrices = [matrix for own in found.values() for matrix in own]
    embedded = any(matrix.name.endswith(EMBEDDINGS) for matrix in matrices)
    require(embedded, f"{source}: no embedding matrix; known names end in {', '.join(EMBEDDINGS)}")
    for matrix in matrices:
        name = f"{source}: {matrix.name}"
        read = matrix.dtype in STORED
        require(
            read, f"{name} holds {matrix.dtype}, not one of {', '.join(STORED)}; take the unquantised model"
        )
        rows = matrix.shape[0] if matrix.shape else 0
        require(rows > largest, f"{name} has {rows} rows, and the tokenizer the id {largest}: not its model")


def _write_rows(
    matrix: Matrix, source: Path, copied: Path, was: OldIds, how: Initialisation, seed: int
) -> None:
    """Write the rows of new tokens into the copy; what is read comes from the original."""
    old, new = matrix.rows(source), matrix.rows(copied, "r+")
    centre, spread = _spread(matrix, old) if how != "mean" else (np.zeros(0), np.zeros(0))
    generator = np.random.default_rng(seed)
    for number, ids in sorted(was.items()):
        if how == "mean":
            row = matrix.numbers(old[list(ids)]).mean(axis=0)
        else:
            row = centre if how == "overall" else generator.normal(centre, spread)
        new[number] = matrix.stored(row)
    new.flush()  # type: ignore[attr-defined]


def _spread(matrix: Matrix, old: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each column over all rows."""
    total, squares = np.zeros(old.shape[1]), np.zeros(old.shape[1])
    for start in range(0, len(old), CHUNK):
        rows = matrix.numbers(old[start : start + CHUNK])
        total += rows.sum(axis=0)
        squares += (rows**2).sum(axis=0)
    mean = total / len(old)
    return mean, np.sqrt(np.maximum(squares / len(old) - mean**2, 0))
