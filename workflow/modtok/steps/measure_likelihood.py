"""Rule measure_likelihood: bits per byte of a model on parallel sets, for each inference tokenizer."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_resampling, add_sets


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
    parser.add_argument("--out", required=True, type=Path, help="TSV in the shape of the long metrics table")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    import torch

    from modtok.core.io import read_tsv
    from modtok.core.metrics import write_metrics
    from modtok.core.model_names import ModelName
    from modtok.core.provenance import provenance
    from modtok.evaluation.likelihood import on_device
    from modtok.evaluation.likelihood_metrics import ModelMetric, likelihood_metrics, training_metric
    from modtok.evaluation.token_counts import content_digests, read_sets
    from modtok.modelling.architecture import check_tokenizer
    from modtok.modelling.batches import Subtokenizers
    from modtok.modelling.checkpoint import read_model

    torch.set_num_threads(args.threads)
    name, sets = ModelName.parse(args.model.name), read_sets(dict(args.parallel), dict(args.langs))
    settings = {"parallel": content_digests(sets), "bootstrap": args.bootstrap, "threads": args.threads}
    log, file = args.model / "train_log.tsv", args.tokenizer / "tokenizer.json"
    with provenance(args.out, [args.model / "model.safetensors", log, file], settings, args.seed):
        model = read_model(args.model)
        check_tokenizer(model.about, file)
        model = on_device(model, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
        sampling = {"resamples": args.bootstrap, "seed": args.seed}
        measured = (name, model, Subtokenizers(args.tokenizer), sets, list(dict(args.langs)))
        metrics = likelihood_metrics(*measured, **sampling)
        write_metrics(args.out, [*metrics, training_metric(name, model, read_tsv(log))], ModelMetric)


if __name__ == "__main__":
    exit_on_user_error(main)
