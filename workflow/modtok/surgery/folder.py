"""The folder of a tokenizer after surgery: its tokenizer.json anew, all that describes it as it was.

Files that spell the vocabulary a second time are written anew where their form is known (vocab.json,
merges.txt) and left out where it is not, since they would contradict tokenizer.json. Weights are the
checkpoint's business.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from modtok.core.io import atomic, require_other_folder, write_text
from modtok.core.safetensors_file import INDEX
from modtok.surgery.byte_level import ByteLevelBPE
from modtok.tokenization.folders import FILES
from modtok.tokenization.hf_format import TOKENIZER_CONFIG
from modtok.tokenization.loading import tokenizer_file

WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".gguf", ".h5", ".msgpack", ".onnx", ".ckpt", ".npz")
SECOND_VOCABULARIES = ("vocab.json", "merges.txt", "tokenizer.model", "tiktoken.model", "vocab.txt")
TOKENIZER_NAMES = ("tokenizer.json", "tokenizer.json.gz")
CONFIG = "tokenizer_config.json"
OF_BEFORE = {*FILES} - {CONFIG, *SECOND_VOCABULARIES}
"What our commands write of a tokenizer beside it: true of the one before surgery alone."


def write_folder(source: Path, bpe: ByteLevelBPE, out: Path) -> list[str]:
    """Write the tokenizer, with what lies beside the file it came from; return the names of files left out.

    `source`: the folder or file that was read. Only a file of the name tokenizer.json has a folder of its
    own; beside another one a tokenizer_config.json in `out`, come with a model, stays. tokenizer.json comes
    last: it makes the folder whole. Error: `out` is the folder that was read.
    """
    file = tokenizer_file(source)
    require_other_folder(out, file)
    beside = list(files_beside(file)) if file.name in TOKENIZER_NAMES else []
    for path in beside:
        if path.name not in SECOND_VOCABULARIES:
            copy(path, out / path.name)
    names = {path.name for path in beside}
    content = bpe.tokenizer_json()
    _write_second_vocabularies(content["model"], names, out)
    if not (out / CONFIG).is_file():
        write_text(out / CONFIG, json.dumps({"tokenizer_class": TOKENIZER_CONFIG["tokenizer_class"]}) + "\n")
    write_text(out / "tokenizer.json", json.dumps(content, ensure_ascii=False, indent=2) + "\n")
    return sorted(names & {"tokenizer.model", "tiktoken.model", "vocab.txt"})


def files_beside(file: Path) -> Iterator[Path]:
    """The files of a folder, by name, without its tokenizer.json, weights, and what was true OF_BEFORE."""
    for path in sorted(file.parent.iterdir()):
        weights = path.suffix in WEIGHTS or path.name.endswith(INDEX)
        of_before = path.name in OF_BEFORE or path.name.endswith(".provenance.json")
        if path.is_file() and not weights and not of_before and path.name not in TOKENIZER_NAMES:
            yield path


def copy(path: Path, out: Path) -> None:
    """Copy a file's bytes."""
    with atomic(out) as partial:
        shutil.copyfile(path, partial)


def _write_second_vocabularies(model: Mapping[str, Any], names: set[str], out: Path) -> None:
    """The files of GPT-2's slow tokenizer, where the original has them."""
    if "vocab.json" in names:
        write_text(out / "vocab.json", json.dumps(model["vocab"], ensure_ascii=False))
    if "merges.txt" in names:
        merges = (merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"])
        write_text(out / "merges.txt", "#version: 0.2\n" + "".join(f"{merge}\n" for merge in merges))
