"""Rule fetch_benchmarks: a task of multiple choice in a language, from the Hugging Face hub to JSON lines."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hub", required=True, help="id of a data set, or a folder of data files")
    parser.add_argument("--name", default="", help="of its configuration")
    parser.add_argument("--split", required=True, help="whose rows are the items")
    parser.add_argument("--shots", default="", help="split whose first rows are the shots")
    parser.add_argument("--out", required=True, type=Path, help="JSONL: the items")
    parser.add_argument("--shots-out", required=True, type=Path, help="JSONL: the shots; empty without any")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.io import write_text
    from modtok.core.provenance import provenance
    from modtok.evaluation.benchmark_files import fetch

    # The output stands for the input, as the hub's cache may lie anywhere.
    settings = {"hub": args.hub, "name": args.name, "split": args.split, "shots": args.shots}
    with provenance(args.out, [args.out, args.shots_out], settings):
        if args.shots:
            fetch(args.hub, args.name, args.shots, args.shots_out)
        else:
            write_text(args.shots_out, "")
        fetch(args.hub, args.name, args.split, args.out)


if __name__ == "__main__":
    exit_on_user_error(main)
