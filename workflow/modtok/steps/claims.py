"""Rule claims: what this run says to each claim of the paper on tokenizers, on each parallel set."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_resampling


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--token-counts", required=True, nargs="+", type=Path, help="what count_tokens wrote")
    parser.add_argument(
        "--subtokenizer-counts", required=True, nargs="+", type=Path, help="what count_subtokenizers wrote"
    )
    parser.add_argument("--combinations", required=True, type=Path, help="what measure_combinations wrote")
    parser.add_argument("--datasets", required=True, nargs="+", help="names of the parallel sets")
    add_resampling(parser)
    parser.add_argument("--out", required=True, type=Path, help="TSV: a row per set and claim")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.io import read_tsv
    from modtok.core.provenance import provenance
    from modtok.evaluation.claims import check_claims, write_claims
    from modtok.evaluation.compression import by_family
    from modtok.evaluation.subtokenizer_counts import read_subtokenizer_counts
    from modtok.evaluation.token_counts import read_token_counts

    inputs = [*args.token_counts, *args.subtokenizer_counts, args.combinations]
    settings = {"datasets": args.datasets, "bootstrap": args.bootstrap}
    with provenance(args.out, inputs, settings, args.seed):
        counts = [read_token_counts(path) for path in args.token_counts]
        counts += [one for path in args.subtokenizer_counts for one in read_subtokenizer_counts(path)]
        families, combinations = by_family(counts), read_tsv(args.combinations)
        options = {"resamples": args.bootstrap, "seed": args.seed}
        claims = [check_claims(families, combinations, dataset, **options) for dataset in args.datasets]
        write_claims(args.out, [claim for of_set in claims for claim in of_set])


if __name__ == "__main__":
    exit_on_user_error(main)
