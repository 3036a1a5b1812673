"""Rule measure_compression: NSL, fertility, tokens per character, bytes per token, parity and Gini of all
tokenizers.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_resampling, add_sets


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--token-counts", required=True, nargs="+", type=Path, help="what count_tokens wrote")
    parser.add_argument(
        "--subtokenizer-counts", nargs="*", default=[], type=Path, help="what count_subtokenizers wrote"
    )
    add_sets(parser)
    add_resampling(parser)
    parser.add_argument("--out", required=True, type=Path, help="TSV: the long metrics table")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.metrics import write_metrics
    from modtok.core.provenance import provenance
    from modtok.evaluation.compression import by_family, measure, monolingual_references
    from modtok.evaluation.subtokenizer_counts import read_subtokenizer_counts
    from modtok.evaluation.token_counts import content_digests, read_sets, read_token_counts

    langs = [lang for lang, _ in args.langs]
    sets = read_sets(dict(args.parallel), dict(args.langs))
    settings = {"langs": langs, "parallel": content_digests(sets), "bootstrap": args.bootstrap}
    inputs = [*args.token_counts, *args.subtokenizer_counts]
    with provenance(args.out, inputs, settings, args.seed):
        counts = [read_token_counts(path) for path in args.token_counts]
        counts += [one for path in args.subtokenizer_counts for one in read_subtokenizer_counts(path)]
        metrics = measure(
            by_family(counts),
            monolingual_references(counts),
            sets,
            langs,
            resamples=args.bootstrap,
            seed=args.seed,
        )
        write_metrics(args.out, metrics)


if __name__ == "__main__":
    exit_on_user_error(main)
