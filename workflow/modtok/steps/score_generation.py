"""Rule score_generation: how good the translations and summaries of a run's models are, in one table."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_labels, add_scoring


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_scoring(parser)
    add_labels(parser)
    parser.add_argument("--spbleu", type=Path, help="its SentencePiece model; without one there is no spBLEU")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.metrics import write_metrics
    from modtok.core.provenance import provenance
    from modtok.corpus.language_id import Identifier
    from modtok.evaluation.generation_files import read_written
    from modtok.evaluation.generation_metrics import GenerationMetric, Judges, generation_metrics
    from modtok.evaluation.model_metrics import Trained

    if args.spbleu is None:
        print("no spBLEU: evaluation.translation.spbleu names no SentencePiece model")
    labels = {lang: names.split(",") for lang, names in args.labels}
    judges = Judges(Identifier(args.language_id_model), labels, args.spbleu)
    inputs = [*args.models, *args.answers, *([args.spbleu] if args.spbleu else [])]
    with provenance(args.out, inputs, {"bootstrap": args.bootstrap}, args.seed):
        metrics: list[GenerationMetric] = []
        for model, file in zip(args.models, args.answers, strict=True):
            read = (Trained.read(model.parent), read_written(file), judges)
            metrics += generation_metrics(*read, resamples=args.bootstrap, seed=args.seed)
        write_metrics(args.out, metrics, GenerationMetric)


if __name__ == "__main__":
    exit_on_user_error(main)
