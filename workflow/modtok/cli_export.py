"""The commands that take languages out of a modular tokenizer and its model, and put a model's rows back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from modtok.cli_options import Languages, ModularFolder, OutFolder
from modtok.core.errors import ConfigError, require

if TYPE_CHECKING:
    import numpy as np

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
    folder loads in transformers (AutoModelForCausalLM, AutoTokenizer). If --verify fails, nothing is written.
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
            _extract_model(model, directory, modular, chosen, out, verify)
    print(f"{out}: {len(modular.ids(chosen)):,} tokens")


def _extract_model(
    model: Path, directory: Path, modular: "Modular", langs: list[str], out: Path, verify: bool
) -> None:
    from modtok.core.new_files import new_files
    from modtok.core.provenance import provenance
    from modtok.modelling.architecture import CONFIG
    from modtok.modelling.export import check_extraction, extract_model
    from modtok.tokenization.folders import make_way

    full = check_extraction(model, directory, modular, out)
    with new_files(out, whole=CONFIG) as folder:
        with provenance(folder / CONFIG, full.files, {"langs": langs}):
            part = extract_model(model, directory, modular, langs, folder)
        if verify:
            _verify(model, folder, modular.ids(langs), out)
        make_way(out)
    print(f"{out}: {part.parameters:,} parameters, {part.size_bytes:,} bytes of weights")


def _verify(model: Path, folder: Path, ids: "np.ndarray", out: Path) -> None:
    from modtok.modelling.verification import verify

    verified = verify(model, folder, ids)
    remedy = "without --verify it is written, to look for the cause"
    require(verified.ok, f"{out}: not written, since its {verified}; {remedy}")
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
