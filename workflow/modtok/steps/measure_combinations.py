"""Rule measure_combinations: NSL over combinations and orders of languages."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_resampling


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", required=True, nargs="+", type=Path, help="what count_combinations wrote")
    parser.add_argument(
        "--references", required=True, nargs="+", type=Path, help="token counts of the monolingual BPE ones"
    )
    parser.add_argument("--datasets", required=True, nargs="+", help="names of the parallel sets")
    add_resampling(parser)
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

    settings = {"datasets": args.datasets, "bootstrap": args.bootstrap}
    with provenance(args.out, [*args.counts, *args.references], settings, args.seed):
        references = monolingual_references(map(read_token_counts, args.references))
        counts = [one for path in args.counts for one in read_subtokenizer_counts(path)]
        options = {"resamples": args.bootstrap, "seed": args.seed}
        of_sets = [measure_combinations(counts, references, name, **options) for name in args.datasets]
        write_metrics(args.out, [metric for metrics in of_sets for metric in metrics])


if __name__ == "__main__":
    exit_on_user_error(main)
