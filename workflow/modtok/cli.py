"""The commands a person types. Each checks its options, calls the library and prints; it holds no algorithm.

Library modules are imported inside the commands, so that `modtok --help` is quick and a command loads only
what it needs.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from modtok import __version__
from modtok.cli_bpe import bpe, count
from modtok.cli_concatenated import concatenated_bpe
from modtok.cli_export import extract, insert
from modtok.cli_formats import export
from modtok.cli_modular import append, sequential_bpe
from modtok.cli_options import (
    Format,
    Shown,
    SomeLanguages,
    one_each,
)
from modtok.cli_plan import plan
from modtok.cli_surgery import surgery
from modtok.cli_unigram import frequency_unigram, merged_unigram, unigram
from modtok.core.errors import exit_on_user_error, require

if TYPE_CHECKING:
    from modtok.tokenization.loading import LoadedTokenizer

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
train = typer.Typer(help="Train a tokenizer from word counts (see `modtok count`).", no_args_is_help=True)
app.add_typer(train, name="train")
app.add_typer(export, name="export")
app.command(epilog="Example: `modtok count wiki.fi.txt.gz news.fi.jsonl --out fi.parquet`")(count)
train.command(epilog="Example: `modtok train bpe --counts fi=fi.parquet --budget 24000 --out mono-bpe-fi`")(
    bpe
)
train.command(
    epilog="Example: `modtok train sequential-bpe --counts fi=fi.parquet --counts et=et.parquet "
    "--budget 24000 --out sequential-bpe`"
)(sequential_bpe)
app.command(
    epilog="Example: `modtok extract sequential-bpe --langs fr,en --model models/sequential-bpe --out fr-en`"
)(extract)
app.command(epilog="Example: `modtok insert fr-en --model models/sequential-bpe --out with-fr-en`")(insert)
app.command(
    epilog="Example: `modtok append sequential-bpe --counts uk=uk.parquet --budget 24000 --out with-uk`"
)(append)
app.command(
    epilog="Example: `modtok surgery gpt-oss --counts uk.parquet --target-script Cyrillic "
    "--delete-scripts Thai,Hebrew,Arabic --keep-scripts Latin --slots 10000 --out gpt-oss-uk`"
)(surgery)
app.command(epilog="Example: `modtok plan --model d=3072,layers=22 --vocabulary 256000,24000`")(plan)
train.command(
    epilog="Example: `modtok train concatenated-bpe --counts fi=fi.parquet --counts et=et.parquet "
    "--budget 24000 --out concatenated-bpe`"
)(concatenated_bpe)
train.command(
    epilog="Example: `modtok train unigram --counts fi=fi.parquet --budget 24000 --out mono-unigram-fi`"
)(unigram)
train.command(
    epilog="Example: `modtok train merged-unigram --counts fi=fi.parquet --counts et=et.parquet "
    "--budget 24000 --out merged-unigram`"
)(merged_unigram)
train.command(
    epilog="Example: `modtok train frequency-unigram --counts fi=fi.parquet --counts et=et.parquet "
    "--budget 24000 --joint joint-unigram-128000 --out frequency-unigram`"
)(frequency_unigram)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"modtok {__version__}")
        raise typer.Exit


Version = typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")


@app.callback()
def program(version: Annotated[bool, Version] = False) -> None:
    """Modular tokenizers: count words, train, audit and compare tokenizers, encode and decode."""


def main() -> None:
    """The program `modtok`: a user's mistake is one line on stderr and exit code 1."""
    exit_on_user_error(app)


@app.command(epilog="Example: `modtok audit llama3/tokenizer.json --format json`")
def audit(
    tokenizer: Annotated[
        Path, typer.Argument(metavar="TOKENIZER", help="tokenizer.json(.gz), or its folder.")
    ],
    form: Shown = Format.table,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 where a check fails.")] = False,
) -> None:
    """Is every merge in order, every token reachable, every byte there, every text given back?

    Unreachable tokens are vocabulary that text can never produce. Exit code 0 whatever is found, but with
    --strict.
    """
    from modtok.reporting.printing import print_rows
    from modtok.tokenization.audit import audit as audit_tokenizer

    report = audit_tokenizer(tokenizer)
    print_rows(report.rows(), form.value, sys.stdout)
    failed = ", ".join(finding.check for finding in report.findings if not finding.ok)
    require(not (strict and failed), f"{tokenizer}: these checks failed: {failed}; see the report")


@app.command(
    epilog="Example: `modtok compare --parallel flores200 --langs en,fi gemma3.tokenizer.json mono-bpe-fi`"
)
def compare(
    tokenizers: Annotated[
        list[Path], typer.Argument(metavar="TOKENIZER…", help="Folders, tokenizer.json(.gz) or .model.")
    ],
    parallel: Annotated[
        Path, typer.Option(metavar="DIR", help="Parallel set: folder, zip or tar of eng_Latn.devtest …")
    ],
    langs: Annotated[str, typer.Option(metavar="fr,en", help="Languages, by code.")],
    reference: Annotated[
        list[str] | None,
        typer.Option(metavar="LANG=TOKENIZER", help="What NSL divides by; repeat per language."),
    ] = None,
    form: Shown = Format.table,
) -> None:
    """NSL, fertility, tokens per character, bytes per token, parity and Gini of any tokenizers."""
    from modtok.core.languages import packaged_languages, select
    from modtok.evaluation.comparison import compare as compare_tokenizers
    from modtok.reporting.comparison import print_metrics

    flores = {language.code: language.flores for language in select(packaged_languages(), langs.split(","))}
    references = one_each("--reference", reference or [])
    if without := ", ".join(lang for lang in flores if lang not in references):
        print(f"no --reference for {without}: nsl, and its mean, leave them out", file=sys.stderr)
    print_metrics(compare_tokenizers(parallel, flores, tokenizers, references), form.value, sys.stdout)


@app.command(epilog="Example: `echo 'hyvää päivää' | modtok encode mono-bpe-fi`")
def encode(
    tokenizer: Annotated[
        Path, typer.Argument(metavar="DIR", help="Tokenizer: folder, tokenizer.json(.gz) or .model.")
    ],
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Print the tokens, as JSON strings, in place of ids.")
    ] = False,
    langs: SomeLanguages = None,
) -> None:
    """Standard input to standard output: a line of text becomes a line of ids.

    With --langs text is cut by the tokenizer of these languages, and the ids are those of DIR, the full
    tokenizer; an extracted folder (`modtok extract`) gives dense ids.
    """
    from modtok.core.texts import STDIN, open_binary
    from modtok.tokenization.streams import encode_lines

    encode_lines(_loaded(tokenizer, langs), open_binary(STDIN), sys.stdout.buffer, tokens=tokens)


@app.command(epilog="Example: `echo 'hyvää päivää' | modtok encode mono-bpe-fi | modtok decode mono-bpe-fi`")
def decode(
    tokenizer: Annotated[
        Path, typer.Argument(metavar="DIR", help="Tokenizer: folder, tokenizer.json(.gz) or .model.")
    ],
    langs: SomeLanguages = None,
) -> None:
    """Standard input to standard output: a line of ids becomes a line of text.

    Ids are those of DIR, with --langs too; it then refuses ids that are not in the languages' sets.
    """
    from modtok.core.texts import STDIN, open_binary
    from modtok.tokenization.streams import decode_lines

    decode_lines(_loaded(tokenizer, langs), open_binary(STDIN), sys.stdout.buffer)


def _loaded(tokenizer: Path, langs: str | None) -> "LoadedTokenizer":
    from modtok.tokenization.loading import load
    from modtok.tokenization.subtokenizer import load_subtokenizer

    return load(tokenizer) if langs is None else load_subtokenizer(tokenizer, langs.split(","))
