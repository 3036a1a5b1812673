"""Rule check_benchmarks: the files of multiple choice, read before models train; a list with checksums."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--benchmarks",
        required=True,
        type=json.loads,
        help="JSON: task, lang, path, shots_path, lines of each",
    )
    parser.add_argument("--out", required=True, type=Path, help="TSV: what the files hold")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.provenance import provenance
    from modtok.evaluation.benchmark_files import list_benchmarks

    paths = (entry[key] for entry in args.benchmarks for key in ("path", "shots_path") if entry[key])
    with provenance(args.out, [Path(path) for path in paths], {}):
        list_benchmarks(args.out, args.benchmarks)


if __name__ == "__main__":
    exit_on_user_error(main)
