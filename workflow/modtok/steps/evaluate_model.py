"""Rule evaluate_model: a model is read once and asked everything; rules score_* make metrics of it."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_labels, add_sets

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
    add_labels(parser)
    parser.add_argument("--routing", required=True, type=json.loads, help="JSON: candidates, lines")
    parser.add_argument("--threads", type=int, default=1, help="of torch; last digits depend on it")
    parser.add_argument("--out", required=True, type=Path, help="folder of the answers' folders")
    parser.add_argument("--generations", required=True, type=Path, help="JSONL: what the model has written")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    os.environ |= OFFLINE
    import torch

    from modtok.evaluation.benchmark_files import read_benchmarks
    from modtok.evaluation.generation_files import read_tasks
    from modtok.evaluation.kinds import KINDS, Loaded
    from modtok.evaluation.likelihood import on_device
    from modtok.evaluation.token_counts import read_sets
    from modtok.modelling.architecture import check_tokenizer
    from modtok.modelling.batches import Subtokenizers
    from modtok.modelling.checkpoint import read_model
    from modtok.modelling.device import find_device

    torch.set_num_threads(args.threads)
    device, sets = find_device(), read_sets(dict(args.parallel), dict(args.langs))
    model = on_device(read_model(args.model), device)
    check_tokenizer(model.about, args.tokenizer / "tokenizer.json")
    # Both are read before anything is asked: an edit by hand is told now, not after hours.
    asked = read_tasks(args.tasks), read_benchmarks(args.benchmarks)
    loaded = Loaded(model, Subtokenizers(args.tokenizer), sets, list(dict(args.langs)), *asked)
    for ask in KINDS:
        ask(loaded, args)


if __name__ == "__main__":
    exit_on_user_error(main)
