"""Rule check_spbleu: whether spBLEU's SentencePiece model is the one that the config names."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, type=Path)
    parser.add_argument("--sha256", required=True)
    parser.add_argument("--out", required=True, type=Path, help="TSV: name and checksum of the file")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.io import write_tsv
    from modtok.evaluation.spbleu import check_spbleu

    check_spbleu(args.model, args.sha256)
    write_tsv(args.out, ["file", "sha256"], [{"file": args.model.name, "sha256": args.sha256}])


if __name__ == "__main__":
    exit_on_user_error(main)
