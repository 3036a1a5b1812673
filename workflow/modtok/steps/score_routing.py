"""Rule score_routing: what routing by language identification costs a run's models, in one table."""

import argparse
from collections.abc import Sequence

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_scoring


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_scoring(parser)
    parser.add_argument("--sure", required=True, type=float, help="probability that is trusted")
    parser.add_argument("--unsure", required=True, type=float, help="probability below which none is")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.metrics import write_metrics
    from modtok.core.provenance import provenance
    from modtok.evaluation.answers import ROUTING, read_answers
    from modtok.evaluation.model_metrics import Trained
    from modtok.evaluation.routing_metrics import Policy, RoutingMetric, routing_metrics

    settings = {"bootstrap": args.bootstrap, "sure": args.sure, "unsure": args.unsure}
    with provenance(args.out, [*args.models, *args.answers], settings, args.seed):
        metrics: list[RoutingMetric] = []
        for model, file in zip(args.models, args.answers, strict=True):
            read = (Trained.read(model.parent), read_answers(file, ROUTING), Policy(args.sure, args.unsure))
            metrics += routing_metrics(*read, resamples=args.bootstrap, seed=args.seed)
        write_metrics(args.out, metrics, RoutingMetric)


if __name__ == "__main__":
    exit_on_user_error(main)
