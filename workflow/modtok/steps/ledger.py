"""Rule ledger: the ledger of the whole run, in which every record of a stage is accounted for."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import named


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fragments", required=True, nargs="+", type=Path, help="the ledgers of all jobs")
    parser.add_argument("--labels", required=True, nargs="+", type=named, metavar="LANG=LABEL,LABEL")
    parser.add_argument("--out", required=True, type=Path, help="TSV")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.corpus.funnel import run_ledger

    labels = {lang: names.split(",") for lang, names in args.labels}
    run_ledger(args.fragments, labels).write(args.out)


if __name__ == "__main__":
    exit_on_user_error(main)
