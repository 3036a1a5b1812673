"""Rule filter_quality: the documents of one language that its classifier lets pass, with their scores."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lang", required=True)
    parser.add_argument("--documents", required=True, type=Path, help="parquet, deduplicated")
    parser.add_argument("--model", type=Path, help="fastText .bin; without it every document passes unscored")
    parser.add_argument("--threshold", type=float, default=0.5, help="score from 0 to 1")
    parser.add_argument("--out", required=True, type=Path, help="parquet")
    parser.add_argument("--ledger", required=True, type=Path, help="TSV")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.provenance import provenance
    from modtok.corpus.quality import QualityModel, filter_quality

    inputs = [args.documents] if args.model is None else [args.documents, args.model]
    settings = {"lang": args.lang, "threshold": None if args.model is None else args.threshold}
    with provenance(args.out, inputs, settings):
        model = None if args.model is None else QualityModel(args.model)
        filter_quality(args.documents, args.out, args.lang, model, args.threshold).write(args.ledger)


if __name__ == "__main__":
    exit_on_user_error(main)
