"""Rule score_likelihood: bits per byte of a run's models; in another table, of other runs' too."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_scoring


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_scoring(parser)
    parser.add_argument("--logs", nargs="*", default=[], type=Path, help="train_log.tsv of each")
    parser.add_argument("--others", nargs="*", default=[], type=Path, help="folders of other runs")
    parser.add_argument(
        "--training", required=True, type=Path, help="TSV: the same of all, with a column run"
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.errors import require
    from modtok.core.io import read_tsv
    from modtok.core.metrics import write_metrics
    from modtok.core.provenance import provenance
    from modtok.evaluation.answers import LIKELIHOOD, read_answers
    from modtok.evaluation.likelihood_metrics import likelihood_metrics, training_metric, write_training
    from modtok.evaluation.model_metrics import ModelMetric, Trained

    others = [(folder.name, folder / "results/metrics/likelihood.tsv") for folder in args.others]
    for folder, (_, file) in zip(args.others, others, strict=True):
        require(file.is_file(), f"{file}: not there; make table_likelihood in {folder}, or leave it out")
    settings, inputs = {"bootstrap": args.bootstrap}, [*args.models, *args.answers, *args.logs]
    with (
        provenance(args.out, inputs, settings, args.seed),
        provenance(args.training, [*inputs, *(file for _, file in others)], settings, args.seed),
    ):
        metrics: list[ModelMetric] = []
        for model, answers, log in zip(args.models, args.answers, args.logs, strict=True):
            trained, found = Trained.read(model.parent), read_answers(answers, LIKELIHOOD)
            metrics += likelihood_metrics(trained, found, resamples=args.bootstrap, seed=args.seed)
            metrics.append(training_metric(trained, read_tsv(log)))
        write_metrics(args.out, metrics, ModelMetric)
        write_training(args.training, [("", args.out), *others])


if __name__ == "__main__":
    exit_on_user_error(main)
