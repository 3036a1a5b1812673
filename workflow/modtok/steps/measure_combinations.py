"""Rule measure_combinations: NSL over combinations and orders of languages."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", required=True, nargs="+", type=Path, help="what count_combinations wrote")
    parser.add_argument(
        "--references", required=True, nargs="+", type=Path, help="token counts of the monolingual BPE ones"
    )
    parser.add_argument("--dataset", required=True, help="name of the parallel set")
    parser.add_argument("--bootstrap", required=True, type=int, help="resamples of the lines")
    parser.add_argument("--seed", required=True, type=int)
    parser.add_argument("--out", required=True, type=Path, help="TSV in the shape of the long metrics table")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.metrics import write_metrics
    from modtok.core.provenance import provenance
    from modtok.evaluation.combinations import measure_combinations
    from modtok.evaluation.compression import monolingual_references
    from modtok.evaluation.subtokenizer_counts import read_subtokenizer_counts
    from modtok.evaluation.token_counts import read_token_counts

    settings = {"dataset": args.dataset, "bootstrap": args.bootstrap}
    with provenance(args.out, [*args.counts, *args.references], settings, args.seed):
        references = monolingual_references(map(read_token_counts, args.references))
        counts = (one for path in args.counts for one in read_subtokenizer_counts(path))
        metrics = measure_combinations(
            counts, references, args.dataset, resamples=args.bootstrap, seed=args.seed
        )
        write_metrics(args.out, metrics)


if __name__ == "__main__":
    exit_on_user_error(main)
