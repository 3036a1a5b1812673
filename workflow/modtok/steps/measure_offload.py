"""Rule measure_offload: what a vocabulary in the CPU's memory costs a step, by model, batch and languages."""

import argparse
import json
from collections.abc import Sequence

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_timing


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", required=True, nargs="+", type=int, help="sequences of a step")
    parser.add_argument("--others", required=True, nargs="+", type=int, help="languages beside a step's own")
    parser.add_argument("--languages", required=True, nargs="+", type=int, help="held in the CPU's memory")
    parser.add_argument("--budget", required=True, type=int, help="rows of a language")
    parser.add_argument("--steps", required=True, type=int)
    parser.add_argument("--settings", required=True, type=json.loads, help="of `pretraining`, as JSON")
    add_timing(parser)
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    import torch

    from modtok.core.metrics import write_metrics
    from modtok.core.provenance import provenance
    from modtok.evaluation.offload import OffloadMetric, Plan, offload_metrics
    from modtok.modelling.settings import settings_of

    torch.set_num_threads(args.threads)
    plan = Plan(
        settings_of(args.settings),
        args.batches,
        args.others,
        args.languages,
        args.budget,
        args.steps,
        args.hours,
    )
    recorded = {key: value for key, value in vars(args).items() if key != "out"}
    with provenance(args.out, [], recorded, args.seed):
        write_metrics(args.out, offload_metrics(dict(args.models), plan, args.seed), OffloadMetric)


if __name__ == "__main__":
    exit_on_user_error(main)
