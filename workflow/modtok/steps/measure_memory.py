"""Rule measure_memory: parameters and KV-cache of each model with each tokenizer of the run."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import named


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--token-counts", required=True, nargs="+", type=Path, help="what count_tokens wrote")
    parser.add_argument(
        "--subtokenizer-counts", nargs="*", default=[], type=Path, help="what count_subtokenizers wrote"
    )
    parser.add_argument(
        "--models", required=True, nargs="+", type=named, metavar="NAME=SHAPE", help="2.5B=d=3072,layers=22"
    )
    parser.add_argument("--out", required=True, type=Path, help="TSV in the shape of the long metrics table")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.metrics import write_metrics
    from modtok.core.model_shapes import parse_shape
    from modtok.core.provenance import provenance
    from modtok.evaluation.compression import by_family
    from modtok.evaluation.memory_metrics import MemoryMetric, memory_metrics
    from modtok.evaluation.subtokenizer_counts import read_subtokenizer_counts
    from modtok.evaluation.token_counts import read_token_counts

    with provenance(args.out, [*args.token_counts, *args.subtokenizer_counts], {"models": dict(args.models)}):
        counts = [read_token_counts(path) for path in args.token_counts]
        counts += [one for path in args.subtokenizer_counts for one in read_subtokenizer_counts(path)]
        shapes = {name: parse_shape(text, f"models.tsv: {name}") for name, text in args.models}
        write_metrics(args.out, memory_metrics(shapes, by_family(counts)), MemoryMetric)


if __name__ == "__main__":
    exit_on_user_error(main)
