"""Rule shuffle_documents: the documents of a language in the order in which models read them."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lang", required=True)
    parser.add_argument(
        "--documents", required=True, type=Path, help="parquet, jsonl or text, .gz and .zst, too"
    )
    parser.add_argument("--seed", required=True, type=int)
    parser.add_argument("--out", required=True, type=Path, help="UTF-8, each document ended by the byte 0xFF")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.provenance import provenance
    from modtok.core.seeds import derive
    from modtok.modelling.shuffled_text import write_shuffled

    with provenance(args.out, [args.documents], {"lang": args.lang}, args.seed):
        write_shuffled(args.documents, args.out, derive(args.seed, "documents", args.lang))


if __name__ == "__main__":
    exit_on_user_error(main)
