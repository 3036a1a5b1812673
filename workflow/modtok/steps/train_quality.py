"""Rule train_quality: the quality classifier of one language, and how it does on held-out documents."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lang", required=True)
    parser.add_argument("--positive", required=True, nargs="+", metavar="GLOB", help="high-quality text")
    parser.add_argument(
        "--negative", nargs="+", metavar="GLOB", help="low-quality text in place of --documents"
    )
    parser.add_argument("--documents", required=True, type=Path, help="parquet: pages to draw at random")
    parser.add_argument("--seed", required=True, type=int)
    parser.add_argument("--out-model", required=True, type=Path, help="fastText .bin")
    parser.add_argument("--out-report", required=True, type=Path, help="TSV: lang, metric, value, n")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.provenance import provenance
    from modtok.core.seeds import derive
    from modtok.corpus.quality_training import matching_files, random_pages, train_classifier

    positive = matching_files(args.lang, args.positive)
    negative = matching_files(args.lang, args.negative) if args.negative else random_pages(args.documents)
    settings = {"lang": args.lang, "positive": args.positive, "negative": args.negative}
    inputs = [*positive.paths, *negative.paths]
    with provenance(args.out_model, inputs, settings, args.seed):
        seed = derive(args.seed, "train_quality", args.lang)
        report = train_classifier(args.lang, positive, negative, seed, args.out_model)
        report.write(args.out_report, args.lang)


if __name__ == "__main__":
    exit_on_user_error(main)
