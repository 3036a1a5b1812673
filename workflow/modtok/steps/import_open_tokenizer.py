"""Rule import_open_tokenizer: an open tokenizer, from a local file or the Hugging Face hub, into the run."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--source", required=True, help="path of .json, .json.gz or .model, else an id on the hub"
    )
    parser.add_argument(
        "--out", required=True, type=Path, help="tokenizer.json; tokenizer.model for a .model"
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.provenance import provenance
    from modtok.tokenization.open_tokenizers import import_open_tokenizer

    # The output stands for the input: it has its bytes, unpacked, and the hub's cache may lie anywhere.
    with provenance(args.out, [args.out], {"source": args.source}):
        import_open_tokenizer(args.source, args.out)


if __name__ == "__main__":
    exit_on_user_error(main)
