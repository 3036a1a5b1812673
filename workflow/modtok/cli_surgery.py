"""The command that gives rows of a byte-level BPE vocabulary to another writing system."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from modtok.cli_options import Format, MinFrequency, Shown, one_each
from modtok.core.errors import ConfigError, require

if TYPE_CHECKING:
    from modtok.surgery.byte_level import ByteLevelBPE
    from modtok.surgery.request import Request, Surgery
    from modtok.surgery.selection import Policy


class PairOrder(StrEnum):
    """Which two pieces of a token are joined first."""

    first = "first"
    frequency = "frequency"


class NewRows(StrEnum):
    """How a new token's rows of a model start."""

    mean = "mean"
    overall = "overall"
    random = "random"


Tokenizer = Annotated[
    Path, typer.Argument(metavar="TOKENIZER", help="Byte-level BPE: tokenizer.json(.gz), or its folder.")
]
Targets = Annotated[
    str,
    typer.Option(
        "--target-script", metavar="Cyrillic", help="What rows go to, by Unicode's name; or several."
    ),
]
Deleted = Annotated[
    str, typer.Option("--delete-scripts", metavar="Han,Thai", help="Where rows come from, in this order.")
]
Kept = Annotated[
    str, typer.Option("--keep-scripts", metavar="Latin", help="A token with a character of these stays.")
]
Slots = Annotated[str, typer.Option(metavar="N|max", help="Rows to give.")]
TargetCounts = Annotated[
    list[Path] | None,
    typer.Option("--counts", metavar="COUNTS", help="Word counts to train a donor on; several add up."),
]
Donors = Annotated[
    list[Path] | None,
    typer.Option(
        "--donor", metavar="TOKENIZER", help="Where tokens come from; of several, one of each in turn."
    ),
]
Out = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Folder to write to; not needed with --dry-run.")
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        "--model", metavar="CHECKPOINT", help="Its model, a folder with safetensors; goes to --out, too."
    ),
]
Rows = Annotated[
    NewRows,
    typer.Option("--new-rows", help="The model's rows of new tokens: mean of the old pieces' rows, …."),
]
KeepCounts = Annotated[
    list[str] | None,
    typer.Option(
        "--keep-counts", metavar="LANG=COUNTS", help="Take rows by least use in these, not by script."
    ),
]
Spared = Annotated[
    list[str] | None,
    typer.Option(
        "--spare", metavar="LANG=COUNTS", help="Other languages of the script for the donor to learn."
    ),
]
Share = Annotated[float, typer.Option("--spare-share", help="Their share of the donor's text, 0 to 1.")]
Reset = Annotated[bool, typer.Option(help="Delete all rows with a character of the target script first.")]
Order = Annotated[
    PairOrder,
    typer.Option("--pair-order", help="Of a token's pieces join the first two, or the most frequent."),
]
Seed = Annotated[int, typer.Option(min=0, help="For --new-rows random.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")]
Texts = Annotated[
    list[str] | None,
    typer.Option("--text", metavar="NAME=FILE", help="Report the tokens of a text before and after; repeat."),
]


def surgery(
    tokenizer: Tokenizer,
    target_script: Targets,
    slots: Slots,
    counts: TargetCounts = None,
    donor: Donors = None,
    delete_scripts: Deleted = "",
    keep_scripts: Kept = "",
    out: Out = None,
    model: Checkpoint = None,
    new_rows: Rows = NewRows.mean,
    keep_counts: KeepCounts = None,
    spare: Spared = None,
    spare_share: Share = 0.25,
    reset: Reset = True,
    pair_order: Order = PairOrder.first,
    min_frequency: MinFrequency = 2,
    seed: Seed = 1,
    dry_run: DryRun = False,
    text: Texts = None,
    form: Shown = Format.table,
) -> None:
    """Give rows of a vocabulary to a writing system: same size, same ids for all tokens that stay.

    Reports rows by script, slots, the audit, and tokens of words and texts before and after; changes.json in
    the new folder says what became of each row.
    """
    from modtok.reporting.printing import print_rows
    from modtok.surgery.byte_level import read_byte_level
    from modtok.surgery.request import Request, Surgery

    require(dry_run or out is not None, "--out: name a folder, or ask for a --dry-run", ConfigError)
    bpe = read_byte_level(tokenizer)
    _check_places(bpe, tokenizer, model, None if dry_run else out)
    policy = _policy(target_script, delete_scripts, keep_scripts, reset, by_use=bool(keep_counts))
    others, kept = one_each("--spare", spare or []), one_each("--keep-counts", keep_counts or [])
    by_frequency, rows = pair_order is PairOrder.frequency, _slots(slots)
    given = (counts or (), donor or (), others, spare_share, kept, min_frequency, by_frequency)
    asked = Surgery(bpe, Request(policy, rows, *given))
    report = _report(asked, list(one_each("--text", text or []).items()))
    if out is not None and not dry_run:
        _write(asked, tokenizer, model, out, new_rows, seed)
    print_rows(report, form.value, sys.stdout)


def _check_places(bpe: "ByteLevelBPE", source: Path, model: Path | None, out: Path | None) -> None:
    """Say at once what would otherwise be said after the work."""
    from modtok.core.io import require_other_folder
    from modtok.core.safetensors_file import refuse_other_weights
    from modtok.surgery.checkpoint import check_checkpoint

    if out is not None:
        require_other_folder(out, source)
    if model is not None:
        check_checkpoint(model, out, max(bpe.surfaces))
    elif out is not None:
        refuse_other_weights(out)


def _slots(slots: str) -> int | None:
    number = slots.isascii() and slots.isdigit()
    require(number or slots == "max", f"--slots {slots}: neither a number nor `max`", ConfigError)
    return int(slots) if number else None


def _policy(targets: str, delete: str, keep: str, reset: bool, by_use: bool) -> "Policy":
    from modtok.surgery.scripts import check_names
    from modtok.surgery.selection import Policy

    names = [
        check_names(option, list(filter(None, value.split(","))))
        for option, value in (
            ("--target-script", targets),
            ("--delete-scripts", delete),
            ("--keep-scripts", keep),
        )
    ]
    return Policy(names[0], names[1] or (names[0] if by_use else ()), names[2], reset)


def _report(asked: "Surgery", texts: list[tuple[str, Path]]) -> list[dict[str, object]]:
    """What is reported. Error, our own fault: an audit that finds anything broken."""
    from modtok.surgery.forecast import audit_rows, script_rows, text_rows, vocabulary_rows, word_rows
    from modtok.surgery.verification import verify

    done = asked.operation
    found = verify(done.before, done.after)
    assert found.ok, (
        f"surgery broke {found.newly_broken[:5]}, inserted in vain {found.inserted_unreachable[:5]}"
    )
    return [
        *script_rows(asked.scripts, asked.chosen, done),
        *vocabulary_rows(asked.chosen, done),
        *audit_rows(found),
        *word_rows(done, asked.corpora),
        *text_rows(done, texts),
    ]


def _write(
    asked: "Surgery", source: Path, model: Path | None, out: Path, new_rows: NewRows, seed: int
) -> None:
    """The checkpoint first, the tokenizer last: it makes the folder whole."""
    from modtok.core.provenance import provenance
    from modtok.core.safetensors_file import loaded_files
    from modtok.surgery.changes import CHANGES, changes, write_changes
    from modtok.surgery.checkpoint import write_checkpoint
    from modtok.surgery.folder import write_folder
    from modtok.tokenization.folders import make_way
    from modtok.tokenization.loading import tokenizer_file

    content = changes(asked.operation, asked.scripts)
    request = asked.request
    inputs = [
        *map(tokenizer_file, (source, *request.donors)),
        *(loaded_files(model) if model is not None else ()),
        *request.counts,
        *request.spared.values(),
        *request.keep_counts.values(),
    ]
    with provenance(out / "tokenizer.json", inputs, _settings(request, new_rows), seed):
        make_way(out)
        if model is not None:
            was = {row["id"]: row["was"] for row in content["inserted"]}
            written = write_checkpoint(model, out, was, new_rows.value, seed)
            print(f"{out}: {len(was):,} rows anew in {', '.join(written)}", file=sys.stderr)
        write_changes(out / CHANGES, content)
        left_out = write_folder(source, asked.operation.after, out)
    if left_out:
        print(f"{out}: left out, as they hold the old vocabulary: {', '.join(left_out)}", file=sys.stderr)


def _settings(request: "Request", new_rows: NewRows) -> dict[str, object]:
    named = {**vars(request), "policy": vars(request.policy), "new_rows": new_rows.value}
    paths = ("counts", "donors")
    mapped = ("spared", "keep_counts")
    listed = {key: [str(path) for path in named[key]] for key in paths}
    return named | listed | {key: {lang: str(path) for lang, path in named[key].items()} for key in mapped}
