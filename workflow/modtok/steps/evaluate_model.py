"""Rule evaluate_model: all evaluations of one model, which is read once, as torch is.

A kind of evaluation is a function of KINDS. It is given what was read and the options, and writes
`{kind}/{model}.tsv` below `--out`: rows in the shape of ModelMetric, or of a class that adds columns to it.
To add one: its function and options here, its outputs in the rule, its name among those of collect_evaluations.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_resampling, add_sets

if TYPE_CHECKING:
    from modtok.core.model_names import ModelName
    from modtok.evaluation.token_counts import ParallelSets
    from modtok.modelling.batches import Subtokenizers
    from modtok.modelling.checkpoint import Model


@dataclass(frozen=True)
class Loaded:
    """What every kind of evaluation is given."""

    name: "ModelName"
    model: "Model"
    subtokenizers: "Subtokenizers"
    sets: "ParallelSets"
    langs: list[str]


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--model", required=True, type=Path, help="folder of a model, named {tokenizer}+{regime}"
    )
    parser.add_argument(
        "--tokenizer", required=True, type=Path, help="folder of the tokenizer it was trained on"
    )
    add_sets(parser)
    add_resampling(parser)
    parser.add_argument(
        "--threads", type=int, default=1, help="of torch; last digits depend on it (default: 1)"
    )
    parser.add_argument("--out", required=True, type=Path, help="folder of the metrics' folders")
    return parser.parse_args(argv)


def likelihood(loaded: Loaded, args: argparse.Namespace, out: Path) -> None:
    """Bits per byte of the parallel sets."""
    from modtok.core.io import read_tsv
    from modtok.core.metrics import write_metrics
    from modtok.core.provenance import provenance
    from modtok.evaluation.likelihood_metrics import ModelMetric, likelihood_metrics, training_metric
    from modtok.evaluation.token_counts import content_digests

    log, settings = args.model / "train_log.tsv", {"parallel": content_digests(loaded.sets)}
    with provenance(out, [*inputs(args), log], settings | sampling(args), args.seed):
        measured = (loaded.name, loaded.model, loaded.subtokenizers, loaded.sets, loaded.langs)
        metrics = likelihood_metrics(*measured, resamples=args.bootstrap, seed=args.seed)
        trained = training_metric(loaded.name, loaded.model, read_tsv(log))
        write_metrics(out, [*metrics, trained], ModelMetric)


KINDS: dict[str, Callable[[Loaded, argparse.Namespace, Path], None]] = {"likelihood": likelihood}


def inputs(args: argparse.Namespace) -> list[Path]:
    """Files that every evaluation reads."""
    return [args.model / "model.safetensors", args.tokenizer / "tokenizer.json"]


def sampling(args: argparse.Namespace) -> dict[str, int]:
    """Settings of every evaluation, for provenance."""
    return {"bootstrap": args.bootstrap, "threads": args.threads}


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    import torch

    from modtok.core.model_names import ModelName
    from modtok.evaluation.likelihood import on_device
    from modtok.evaluation.token_counts import read_sets
    from modtok.modelling.architecture import check_tokenizer
    from modtok.modelling.batches import Subtokenizers
    from modtok.modelling.checkpoint import read_model

    torch.set_num_threads(args.threads)
    name, sets = ModelName.parse(args.model.name), read_sets(dict(args.parallel), dict(args.langs))
    model = read_model(args.model)
    check_tokenizer(model.about, args.tokenizer / "tokenizer.json")
    model = on_device(model, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    loaded = Loaded(name, model, Subtokenizers(args.tokenizer), sets, list(dict(args.langs)))
    for kind, measure in KINDS.items():
        measure(loaded, args, args.out / kind / f"{name}.tsv")


if __name__ == "__main__":
    exit_on_user_error(main)
