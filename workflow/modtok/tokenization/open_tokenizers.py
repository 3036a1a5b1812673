"""Open tokenizers to compare with: from a local file or the Hugging Face hub into a run.

Bytes are kept as they are (only .gz is unpacked). A SentencePiece model stays one: its normalization and
its own segmentation have no exact counterpart in a tokenizer.json.
"""

import shutil
from pathlib import Path

from modtok.core.errors import ConfigError, require
from modtok.core.io import atomic
from modtok.core.texts import open_binary
from modtok.core.tokenizer_names import file_name, is_tokenizer_file
from modtok.tokenization.loading import load


def import_open_tokenizer(source: str, out: Path) -> Path:
    """Copy a tokenizer to `out` once it has loaded; returns the file it came from.

    `source` is a path that ends in .json, .json.gz or .model, or else the id of a model on the hub. Errors: a
    file that is absent or does not load, a hub that cannot be reached, a .model that would be named .json.

    import_open_tokenizer("Qwen/Qwen3-8B", Path("results/tokenizers/open-qwen3/tokenizer.json"))
    """
    require(
        out.name == file_name(source),
        f"{source} cannot be written as {out.name}: its file in a run is {file_name(source)}",
        ConfigError,
    )
    path = Path(source) if is_tokenizer_file(source) else _download(source)
    require(
        path.is_file(),
        f"open_tokenizers: no file {path}; give the path of a tokenizer.json or .model",
        ConfigError,
    )
    load(path)
    with atomic(out) as partial, open_binary(path) as original, partial.open("wb") as copy:
        shutil.copyfileobj(original, copy)
    return path


def _download(hub_id: str) -> Path:
    from huggingface_hub import errors, hf_hub_download

    try:
        return Path(hf_hub_download(hub_id, "tokenizer.json"))
    except (
        errors.HfHubHTTPError,
        errors.HFValidationError,
        errors.OfflineModeIsEnabled,
        OSError,
        ValueError,
    ) as error:
        reason = str(error).strip().partition("\n")[0]
        raise ConfigError(
            f"open_tokenizers: no tokenizer.json of '{hub_id}' from the Hugging Face hub ({reason}); "
            "check the name, the network and, for a gated model, `hf auth login`, or name a local file: "
            "{name: path/to/tokenizer.json}"
        ) from error
