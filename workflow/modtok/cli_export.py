"""The commands that take languages out of a modular tokenizer and its model, and put a model's rows back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from modtok.cli_options import Languages, ModularFolder, OutFolder
from modtok.core.errors import ConfigError, DataError, require

if TYPE_CHECKING:
    from modtok.tokenization.modular import Modular

FullModel = typer.Option(
    metavar="CHECKPOINT", help="Folder of a model over the full tokenizer: config.json and safetensors."
)


def extract(
    directory: ModularFolder,
    langs: Languages,
    out: OutFolder,
    model: Annotated[Path | None, FullModel] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare the logits of both models, through transformers.")
    ] = False,
) -> None:
    """Take the tokenizer of some languages out of a modular one, and a model's rows for it.

    Its ids are dense, from 0; full_ids.npy beside it holds the full tokenizer's id of each. With --model the
    folder loads in transformers (AutoModelForCausalLM, AutoTokenizer).
    """
    from modtok.core.io import require_other_folder
    from modtok.core.provenance import provenance
    from modtok.core.safetensors_file import refuse_other_weights
    from modtok.tokenization.folders import make_way
    from modtok.tokenization.modular import Modular

    require_other_folder(out, directory)
    chosen = langs.split(",")
    require(model is not None or not verify, "--verify: no model to verify; give --model", ConfigError)
    inputs = [directory / "tokenizer.json", directory / "modules.json"]
    with provenance(out / "tokenizer.json", inputs, {"langs": chosen}):
        modular = Modular.load(directory)
        modular.ids(chosen)
        if model is None:
            refuse_other_weights(out)
            make_way(out)
            modular.write_subtokenizer(out, chosen)
        else:
            _extract_model(model, directory, modular, chosen, out)
    print(f"{out}: {len(modular.ids(chosen)):,} tokens")
    if model is not None and verify:
        _verify(model, out, modular, chosen)


def _extract_model(model: Path, directory: Path, modular: "Modular", langs: list[str], out: Path) -> None:
    from modtok.core.provenance import provenance
    from modtok.modelling.architecture import CONFIG
    from modtok.modelling.export import check_extraction, extract_model
    from modtok.tokenization.folders import make_way

    full = check_extraction(model, directory, modular, out)
    make_way(out)
    with provenance(out / CONFIG, full.files, {"langs": langs}):
        part = extract_model(model, directory, modular, langs, out)
    print(f"{out}: {part.parameters:,} parameters, {part.size_bytes:,} bytes of weights")


def _verify(model: Path, out: Path, modular: "Modular", langs: list[str]) -> None:
    from modtok.modelling.verification import verify

    verified = verify(model, out, modular.ids(langs))
    if not verified.ok:
        raise DataError(f"{out}: {verified}; do not use it before the cause is known")
    print(f"{out}: {verified}")


def insert(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="Model that modtok extract wrote, trained further since.")
    ],
    model: Annotated[Path, FullModel],
    out: OutFolder,
) -> None:
    """Put what an extracted model has learned back into the full one: its rows, and its body.

    Rows of other tokens stay bit for bit what they were. Taking the same languages out of the result gives
    the extracted model again.
    """
    from modtok.core.provenance import provenance
    from modtok.modelling.architecture import CONFIG
    from modtok.modelling.export import Checkpoint, insert_model

    files = [file for folder in (directory, model) for file in Checkpoint.open(folder).files]
    with provenance(out / CONFIG, files, {}):
        full = insert_model(directory, model, out)
    print(f"{out}: {full.parameters:,} parameters, {full.size_bytes:,} bytes of weights")
