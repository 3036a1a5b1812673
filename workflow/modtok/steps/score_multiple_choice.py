"""Rule score_multiple_choice: what a run's models know of questions with choices, in one table."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_scoring

# Nothing is fetched for tasks whose items are files.
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_scoring(parser)
    parser.add_argument("--benchmarks", required=True, type=Path, help="what check_benchmarks wrote")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    os.environ |= OFFLINE
    from modtok.core.metrics import write_metrics
    from modtok.core.provenance import provenance
    from modtok.evaluation.answers import MULTIPLE_CHOICE, read_answers
    from modtok.evaluation.benchmark_files import read_benchmarks
    from modtok.evaluation.model_metrics import ModelMetric, Trained
    from modtok.evaluation.multiple_choice_metrics import multiple_choice_metrics, read_subjects

    inputs = [*args.models, *args.answers, args.benchmarks]
    with provenance(args.out, inputs, {"bootstrap": args.bootstrap}, args.seed):
        subjects, metrics = read_subjects(read_benchmarks(args.benchmarks)), list[ModelMetric]()
        for model, file in zip(args.models, args.answers, strict=True):
            read = (Trained.read(model.parent), read_answers(file, MULTIPLE_CHOICE), subjects)
            metrics += multiple_choice_metrics(*read, resamples=args.bootstrap, seed=args.seed)
        write_metrics(args.out, metrics, ModelMetric)


if __name__ == "__main__":
    exit_on_user_error(main)
