"""A model of some languages, taken out of one of all; and its rows put back (paper sections 5.2 and 6).

Any model's folder of transformers whose embedding is `model.embed_tokens.weight` and whose output matrix is
`lm_head.weight`, or tied to it, as Llama's, Mistral's and Qwen's: safetensors, one file or shards. What is
taken out has the rows of its ids and all else of the model byte for byte, so its logits are the full model's
on those rows. Nothing here needs torch but `verify`; nothing is unpickled, and no code of a model runs.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from modtok.core.errors import DataError, require
from modtok.core.io import require_other_folder, write_json
from modtok.core.new_files import new_files
from modtok.core.provenance import file_digest
from modtok.core.safetensors_file import (
    INDEX,
    SINGLE,
    Matrix,
    NewTensor,
    loaded_files,
    refuse_other_weights,
    replaced,
    taken,
    tensors,
    whole,
    write_tensors,
)
from modtok.modelling.architecture import CONFIG, EMBEDDING, OUTPUT, check_tokenizer, read_config
from modtok.tokenization.modular import Modular

GENERATION = "generation_config.json"
FULL_IDS = "full_ids.npy"
# What lies beside a full model's weights and is as true of it when rows have been put back.
KEPT = ("tokenizer*", "modules.json", "special_tokens_map.json", "chat_template*", GENERATION)


@dataclass(frozen=True)
class Checkpoint:
    """A model's folder, its tensors unread."""

    folder: Path
    config: Mapping[str, Any]
    files: Mapping[Path, Mapping[str, Matrix]]
    "by file, tensors by name"

    @classmethod
    def open(cls, folder: Path) -> "Checkpoint":
        """Errors: no model, no safetensors, no embedding, tables of other sizes than the config says."""
        config = read_config(folder)
        checkpoint = cls(folder, config, {file: tensors(file) for file in loaded_files(folder)})
        require(EMBEDDING in checkpoint.places, f"{folder}: no {EMBEDDING}, so not a model of Llama's type")
        for name, (_, matrix) in checkpoint.tables.items():
            for said, size in zip(("vocab_size", "hidden_size"), matrix.shape, strict=False):
                other = f"{folder}: {name} has the shape {matrix.shape}, and {said} is {config.get(said)}"
                require(size == config.get(said), f"{other}; take the config.json that belongs to it")
        checkpoint._check_layers()
        return checkpoint

    def _check_layers(self) -> None:
        """Error: more layers than the config says, which transformers would leave out without a word."""
        found = {int(name.split(".")[2]) for name in self.places if re.match(r"model\.layers\.\d+\.", name)}
        said = self.config.get("num_hidden_layers", len(found))
        other = f"{self.folder}: {len(found)} layers in the weights, and num_hidden_layers is {said}"
        require(len(found) <= said, f"{other}; take the config.json that belongs to them")

    @cached_property
    def places(self) -> dict[str, tuple[Path, Matrix]]:
        """File and place of each tensor by name."""
        return {name: (file, matrix) for file, own in self.files.items() for name, matrix in own.items()}

    @property
    def tables(self) -> dict[str, tuple[Path, Matrix]]:
        """Those that have a row for each token."""
        return {name: self.places[name] for name in (EMBEDDING, OUTPUT) if name in self.places}

    @property
    def rows(self) -> int:
        """Tokens that the model has rows for."""
        return self.tables[EMBEDDING][1].shape[0]

    @property
    def about(self) -> dict[str, Any]:
        """What modtok has written down of the model."""
        about = self.config.get("modtok", {})
        return dict(about) if isinstance(about, dict) else {}

    @property
    def size_bytes(self) -> int:
        """Bytes of all tensors."""
        return sum(matrix.size_bytes for _, matrix in self.places.values())

    @property
    def parameters(self) -> int:
        return sum(int(np.prod(matrix.shape)) for _, matrix in self.places.values())


def check_extraction(source: Path, tokenizer: Path, modular: Modular, out: Path) -> Checkpoint:
    """The model that rows are to be taken from, before anything is written.

    Errors: those of Checkpoint.open, a model of another tokenizer, `out` a folder that is read from or one
    that holds other weights.

    check_extraction(Path("sequential-bpe+samp-sub2"), folder, Modular.load(folder), Path("fr-en")).rows
    """
    full = Checkpoint.open(source)
    _check_folder(out, full, source, tokenizer)
    check_tokenizer(full.about, tokenizer / "tokenizer.json")
    few = f"{source}: {full.rows:,} rows for the {modular.size:,} tokens of {tokenizer}, so not its model"
    require(full.rows >= modular.size, few)
    return full


def extract_model(
    source: Path, tokenizer: Path, modular: Modular, langs: Sequence[str], out: Path
) -> Checkpoint:
    """Write a folder that transformers loads: the tokenizer of some languages, and the model's rows for it.

    `tokenizer` is the folder that `modular` was read from. Errors: those of check_extraction and Modular.ids.

    extract_model(Path("sequential-bpe+samp-sub2"), folder, Modular.load(folder), ["fr", "en"], Path("fr-en"))
    """
    full, ids = check_extraction(source, tokenizer, modular, out), modular.ids(langs)
    modular.write_subtokenizer(out, langs)
    made = {
        "tokenizer": "+".join([str(full.about.get("tokenizer", tokenizer.resolve().name)), *langs]),
        "tokenizer_digest": file_digest(out / "tokenizer.json"),
        "full_tokenizer_digest": file_digest(tokenizer / "tokenizer.json"),
        "langs": list(langs),
    }
    config = {**_with_ids(full.config, ids), "vocab_size": len(ids), "modtok": {**full.about, **made}}
    if (source / GENERATION).is_file():
        write_json(out / GENERATION, _with_ids(read_config(source, GENERATION), ids))
    _write(
        full, out, {name: taken(matrix, file, ids) for name, (file, matrix) in full.tables.items()}, config
    )
    return Checkpoint.open(out)


def insert_model(part: Path, source: Path, out: Path) -> Checkpoint:
    """Write the full model with what a part of it has learned: the part's rows, and its body.

    Rows of other tokens, and all else of the full model's folder, stay as they are. The body is the part's,
    since its rows go with it; so what is taken out of the result for the same languages is the part again.
    Errors: those of Checkpoint.open, a part without full_ids.npy, or of another model.

    insert_model(Path("fr-en"), Path("sequential-bpe+samp-sub2"), Path("with-fr-en"))
    """
    own, full = Checkpoint.open(part), Checkpoint.open(source)
    _check_folder(out, full, part, source)
    ids = _read_ids(own, full)
    _check_same_model(own, full)
    new = {name: whole(matrix, file) for name, (file, matrix) in own.places.items()}
    for name, (file, matrix) in full.tables.items():
        rows_file, rows = own.tables[name]
        new[name] = replaced(matrix, file, ids, rows.raw_rows(rows_file))
    inserted = [*full.about.get("inserted", []), own.about.get("langs", len(ids))]
    with new_files(out, whole=CONFIG) as folder:
        for path in sorted(path for pattern in KEPT for path in source.glob(pattern) if path.is_file()):
            (folder / path.name).write_bytes(path.read_bytes())
        _write(full, folder, new, {**full.config, "modtok": {**full.about, "inserted": inserted}})
    return Checkpoint.open(out)


def _check_folder(out: Path, full: Checkpoint, *sources: Path) -> None:
    require_other_folder(out, *sources)
    refuse_other_weights(out, {file.name for file in full.files})


def _with_ids(config: Mapping[str, Any], ids: np.ndarray) -> dict[str, Any]:
    """A config whose ids of special tokens are dense; those of tokens that are left out are null."""
    dense = {int(number): place for place, number in enumerate(ids)}

    def translated(value: Any) -> Any:
        if isinstance(value, list):
            return [place for place in map(translated, value) if place is not None] or None
        return dense.get(value) if isinstance(value, int) else None

    return {key: translated(value) if key.endswith("_token_id") else value for key, value in config.items()}


def _write(full: Checkpoint, out: Path, new: Mapping[str, NewTensor], config: Mapping[str, Any]) -> None:
    """Write a model in the files of another: new tensors, all others as they are there."""
    write_json(out / CONFIG, config)
    total = 0
    for file, own in full.files.items():
        written = {name: new.get(name) or whole(matrix, file) for name, matrix in own.items()}
        total += sum(tensor.size_bytes for tensor in written.values())
        start = min((matrix.offset for matrix in own.values()), default=0)
        write_tensors(out / file.name, written, start)
    if not (full.folder / SINGLE).is_file():
        names = {name: file.name for name, (file, _) in full.places.items()}
        write_json(out / f"model{INDEX}", {"metadata": {"total_size": total}, "weight_map": names})


def _read_ids(own: Checkpoint, full: Checkpoint) -> np.ndarray:
    """The full tokenizer's id of each row of a part."""
    file = own.folder / FULL_IDS
    lost = f"{own.folder}: no {FULL_IDS}; copy it from the folder that modtok extract wrote"
    require(file.is_file(), lost)
    try:
        ids = np.load(file, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise DataError(
            f"{file}: not an array of ids ({error}); copy it from the extracted folder"
        ) from error
    fits = ids.shape == (own.rows,) and np.issubdtype(ids.dtype, np.integer)
    require(
        fits, f"{file}: {ids.dtype} {ids.shape}, and the model has {own.rows} rows; it is of another model"
    )
    in_order = bool((np.diff(ids) > 0).all()) and ids[0] >= 0 and ids[-1] < full.rows
    require(in_order, f"{file}: its ids are not sorted, or not of the {full.rows:,} of {full.folder}")
    return ids.astype(np.int64)


def _check_same_model(own: Checkpoint, full: Checkpoint) -> None:
    digests = own.about.get("full_tokenizer_digest"), full.about.get("tokenizer_digest")
    other = f"{own.folder}: it was taken out of a model of another tokenizer than {full.folder}"
    require(None in digests or digests[0] == digests[1], other)
    for name in sorted({*own.places, *full.places}):
        kinds = [_kind(one, name) for one in (own, full)]
        remedy = (
            "save both in the same numbers, with transformers"
            if None not in kinds
            else "it is of another model"
        )
        said = " and ".join(str(kind or "absent") for kind in kinds)
        require(kinds[0] == kinds[1], f"{name}: {said} in {own.folder} and {full.folder}; {remedy}")


def _kind(one: Checkpoint, name: str) -> tuple[str, tuple[int, ...]] | None:
    """Numbers and shape of a tensor, rows of tokens aside."""
    if name not in one.places:
        return None
    matrix = one.places[name][1]
    return matrix.dtype, matrix.shape[1:] if name in (EMBEDDING, OUTPUT) else matrix.shape
