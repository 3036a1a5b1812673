"""Rule measure_latency: what a forward pass takes by tokenizer, language and model, timed and predicted."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_timing


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--token-counts", required=True, nargs="+", type=Path, help="what count_tokens wrote")
    parser.add_argument(
        "--subtokenizer-counts", required=True, nargs="+", type=Path, help="of many tokenizers"
    )
    parser.add_argument("--timed", nargs="*", default=[], help="models to time; the others are predicted")
    parser.add_argument("--dataset", required=True, help="name of the parallel set")
    parser.add_argument("--langs", required=True, nargs="+")
    parser.add_argument("--lines", type=int, help="lines of the set, spread evenly over it (default: all)")
    parser.add_argument("--rounds", required=True, type=int)
    add_timing(parser)
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    import torch

    from modtok.core.metrics import write_metrics
    from modtok.core.model_shapes import parse_shape
    from modtok.core.provenance import provenance
    from modtok.evaluation.latency_metrics import LatencyMetric, Passes, latency_metrics, workloads_of
    from modtok.evaluation.subtokenizer_counts import read_subtokenizer_counts
    from modtok.evaluation.token_counts import read_token_counts

    torch.set_num_threads(args.threads)
    files = [*args.token_counts, *args.subtokenizer_counts]
    asked = ("models", "timed", "dataset", "langs", "lines", "rounds", "hours", "threads")
    with provenance(args.out, files, {name: getattr(args, name) for name in asked}, args.seed):
        counts = [read_token_counts(path) for path in args.token_counts]
        counts += [one for path in args.subtokenizer_counts for one in read_subtokenizer_counts(path)]
        shapes = {name: parse_shape(text, f"models.tsv: {name}") for name, text in args.models}
        lines, workloads = workloads_of(counts, args.dataset, args.langs, args.lines)
        passes = Passes(args.dataset, lines, workloads, args.rounds, args.hours, args.seed)
        write_metrics(args.out, latency_metrics(shapes, args.timed, passes), LatencyMetric)


if __name__ == "__main__":
    exit_on_user_error(main)
