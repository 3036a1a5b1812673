"""Rule collect_evaluations: one kind of metrics of all models of a run in one table."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=[], type=Path, help="what evaluate_model wrote")
    parser.add_argument("--out", required=True, type=Path, help="TSV: the long metrics table of the kind")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.io import read_tsv, write_tsv
    from modtok.core.provenance import provenance

    with provenance(args.out, args.models, {}):
        # of files without rows their columns stay, by which tables select
        headers = [file.read_text(encoding="utf-8").partition("\n")[0] for file in args.models]
        columns = headers[0].split("\t") if headers else ["model"]
        write_tsv(args.out, columns, [row for file in args.models for row in read_tsv(file)])


if __name__ == "__main__":
    exit_on_user_error(main)
