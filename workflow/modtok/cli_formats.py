"""The commands that write tokenizers and models for the programs that serve them."""

from pathlib import Path
from typing import Annotated

import typer

from modtok.cli_options import Languages, ModularFolder

export = typer.Typer(help="Write what llama.cpp, SGLang and vLLM read.", no_args_is_help=True)


@export.command(
    epilog="Example: `modtok export token-map sequential-bpe --langs fr,en --out fr-en.pt`, then "
    "`python -m sglang.launch_server --speculative-token-map fr-en.pt …`"
)
def token_map(
    directory: ModularFolder,
    langs: Languages,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help=".pt: ids for SGLang; .safetensors: d2t and t2d of EAGLE-3 drafts."
        ),
    ],
) -> None:
    """The tokens of some languages as the token map of a speculative decoder's draft model.

    The draft then computes the logits of these languages alone; the target model decides as before.
    """
    from modtok.core.provenance import provenance
    from modtok.tokenization.modular import Modular
    from modtok.tokenization.token_map import write_token_map

    chosen = langs.split(",")
    with provenance(out, [directory / "tokenizer.json", directory / "modules.json"], {"langs": chosen}):
        modular = Modular.load(directory)
        ids = modular.ids(chosen)
        write_token_map(out, ids, modular.size)
    print(f"{out}: {len(ids):,} of {modular.size:,} tokens")


@export.command(epilog="Example: `modtok export gguf fr-en --out fr-en.gguf`")
def gguf(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="Tokenizer's folder, such as modtok extract wrote.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="GGUF file to write.")],
) -> None:
    """A tokenizer as a GGUF file for llama.cpp, with the model's weights where the folder has a model.

    Byte-level BPE whose words were cut by gpt2: llama.cpp knows no other of ours.
    """
    from modtok.core.provenance import provenance
    from modtok.modelling.architecture import CONFIG
    from modtok.modelling.export import Checkpoint
    from modtok.modelling.gguf_file import write_gguf
    from modtok.tokenization.gguf_vocabulary import gguf_fields
    from modtok.tokenization.loading import read_tokenizer_json, tokenizer_file

    file = tokenizer_file(directory)
    fields = gguf_fields(read_tokenizer_json(file), str(directory))
    model = Checkpoint.open(directory) if (directory / CONFIG).is_file() else None
    with provenance(out, [file, *(model.files if model else ())], {}):
        write_gguf(out, directory.resolve().name, fields, model)
    weights = f", {model.parameters:,} parameters" if model else ", no model"
    print(f"{out}: {len(fields['tokenizer.ggml.tokens']):,} tokens{weights}")
