"""The command that says beforehand what a vocabulary costs a model, and what a whole run will take."""

import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from modtok.cli_options import Format, Shown
from modtok.core.errors import ConfigError, require

if TYPE_CHECKING:
    from modtok.evaluation.memory import Cost, Vocabulary


class Numbers(StrEnum):
    """Types of numbers that weights and caches are kept in."""

    bfloat16 = "bfloat16"
    float32 = "float32"


Document = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A text whose tokens are counted instead, by each tokenizer."),
]
NumbersKept = Annotated[Numbers, typer.Option(help="What weights and KV-cache are kept in.")]
RunFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Folder of a run instead: what its config will take, by rule, on this machine."
    ),
]
Profile = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="With --run: profile that it will be started with, as workflow/profiles/slurm.",
    ),
]


def plan(
    vocabulary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="256000,24000",
            help="Sizes, tokenizers, or FOLDER+fr+en for some languages; the first is compared with.",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="d=3072,layers=22",
            help="A name of models.tsv, or a shape; repeat for more. Default: all of models.tsv.",
        ),
    ] = None,
    tokens: Annotated[
        str, typer.Option(metavar="N", help="Tokens of a document; one number, or one for each vocabulary.")
    ] = "4096",
    document: Document = None,
    numbers: NumbersKept = Numbers.bfloat16,
    run: RunFolder = None,
    profile: Profile = None,
    form: Shown = Format.table,
) -> None:
    """What vocabularies cost a model: parameters, memory, KV-cache of a document, forward cost.

    Exact arithmetic for decoders of the Llama type, embeddings untied and tied. What is saved, and
    relative_cost, compare with the first vocabulary.

    With --run: time of one core, memory, disk and GPU time of a run, by rule, from 1 % of its text and
    the speed of this machine, and below it what will not fit, or not into what jobs ask for. TSV and JSON
    say what each figure is made of, too. Takes half a minute and starts nothing.
    """
    from modtok.reporting.printing import print_rows

    one = "plan: give --vocabulary, for what it costs a model, or --run, for what a run will take"
    require(bool(vocabulary) != (run is not None), one, ConfigError)
    require(run is not None or profile is None, "plan: --profile goes with --run", ConfigError)
    if run:
        _print_run(run, profile, form)
    else:
        rows = _costs(vocabulary or [], model, tokens, document, numbers, form is Format.table)
        print_rows(rows, form.value, sys.stdout)


Rows = list[Mapping[str, object]]


def _print_run(run: Path, profile: Path | None, form: Format) -> None:
    from modtok.planning.forecast import forecast_run
    from modtok.planning.rows import readable, remarks
    from modtok.reporting.printing import print_lines, print_rows

    rows, shown = forecast_run(run, profile=profile), form is Format.table
    print_rows(readable(rows) if shown else list(map(vars, rows)), form.value, sys.stdout, keep_names=True)
    if shown:
        print_lines(remarks(rows), sys.stdout)


def _costs(
    vocabulary: list[str],
    model: list[str] | None,
    tokens: str,
    document: Path | None,
    numbers: Numbers,
    shown: bool,
) -> Rows:
    from modtok.core.model_shapes import find_shape, packaged_shapes
    from modtok.evaluation.memory import BYTES, costs

    shapes = dict(map(find_shape, model)) if model else packaged_shapes()
    chosen = _vocabularies(vocabulary, tokens, document)
    planned = costs(shapes, chosen, BYTES[numbers.value])
    return [_readable(cost) if shown else vars(cost) for cost in planned]


def _vocabularies(texts: list[str], tokens: str, document: Path | None) -> "list[Vocabulary]":
    from modtok.evaluation.vocabularies import read_vocabulary

    names = [name for text in texts for name in text.split(",") if name]
    require(bool(names), "--vocabulary: name at least one, as in 256000,24000", ConfigError)
    lengths = _lengths(tokens, len(names))
    return [read_vocabulary(name, length, document) for name, length in zip(names, lengths, strict=True)]


def _lengths(tokens: str, vocabularies: int) -> list[int]:
    """The tokens of a document for each vocabulary."""
    parts = tokens.split(",")
    for part in parts:
        is_number = part.isascii() and part.isdecimal() and 1 <= int(part) <= 10**9
        require(is_number, f"--tokens {tokens}: give numbers from 1 to 1,000,000,000", ConfigError)
    fits = len(parts) in (1, vocabularies)
    require(
        fits, f"--tokens: {len(parts)} numbers for {vocabularies} vocabularies; give one each", ConfigError
    )
    return [int(part) for part in parts * (vocabularies if len(parts) == 1 else 1)]


def _readable(cost: "Cost") -> dict[str, object]:
    """A row for the eye: what belongs together in one column, decimal units."""
    return {
        "model": cost.model,
        "vocabulary": cost.vocabulary,
        "size": f"{cost.size:,}",
        "embeddings": cost.embeddings,
        "output parameters": f"{cost.output_parameters:,}" + _change(cost.output_saved_percent),
        "all parameters": f"{cost.parameters:,}" + _change(cost.parameters_saved_percent),
        "weights": _size(cost.weights_bytes),
        "tokens": f"{cost.tokens:,}",
        "KV-cache": f"{cost.kv_cache_bytes / 1e6:,.1f} MB" + _change(cost.kv_cache_saved_percent),
        "relative cost": f"{cost.relative_cost:.2f}",
    }


def _change(saved_percent: float) -> str:
    return f" ({-saved_percent:+.1f} %)" if saved_percent else ""


def _size(size_bytes: float) -> str:
    """A size as people say it. _size(473_472) -> "0.47 MB"."""
    unit, name = (1e9, "GB") if size_bytes >= 1e9 else (1e6, "MB")
    return f"{size_bytes / unit:,.2f} {name}"
