"""Rule pretrain: a language model over a tokenizer, in a regime; resumes what was killed.

python -m modtok.steps.pretrain --tokenizer results/tokenizers/sequential-bpe --regime samp-sub2
    --texts en=results/pretraining/text/en.bin … --mixture results/corpus/mixture.tsv
    --settings '{"model": "d=128,layers=4,heads=4,context=256", …}' --seed 1 --threads 2 --out models/x
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from modtok.core.errors import exit_on_user_error
from modtok.core.options import named_path

if TYPE_CHECKING:
    from modtok.modelling.ranks import Ranks


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tokenizer", required=True, type=Path, help="folder of a tokenizer")
    parser.add_argument("--regime", required=True, help="baseline, mono-only, samp-full, samp-sub2 …")
    parser.add_argument("--texts", required=True, nargs="+", type=named_path, metavar="LANG=PATH")
    parser.add_argument("--mixture", required=True, type=Path, help="TSV with columns lang and share")
    parser.add_argument("--settings", required=True, type=json.loads, help="of `pretraining`, as JSON")
    parser.add_argument("--seed", required=True, type=int)
    parser.add_argument("--repeat", type=int, default=1, help="number of the repetition (default: 1)")
    parser.add_argument("--threads", type=int, default=1, help="of torch; results depend on it (default: 1)")
    parser.add_argument("--workers", type=int, help="processes that make batches (default: none on a CPU)")
    parser.add_argument(
        "--save-seconds", type=float, default=600, help="between states on disk (default: 600)"
    )
    parser.add_argument(
        "--processes", type=int, default=1, help="that train, each on a GPU; they are started (default: 1)"
    )
    parser.add_argument("--tensorboard", nargs="?", help="folder for TensorBoard's events of all models")
    parser.add_argument("--out", required=True, type=Path, help="folder of the model")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.modelling.ranks import joined, launch

    if args.processes > 1 and "RANK" not in os.environ:  # torchrun's, which may have started this already
        launch(args.processes, "modtok.steps.pretrain", sys.argv[1:] if argv is None else argv)
        return
    with joined() as ranks:
        _train(args, ranks)


def _train(args: argparse.Namespace, ranks: "Ranks") -> None:
    import torch

    from modtok.core.io import read_tsv
    from modtok.core.provenance import provenance
    from modtok.core.safetensors_file import SINGLE
    from modtok.modelling.pretraining import Task, pretrain
    from modtok.modelling.settings import settings_of

    torch.set_num_threads(args.threads)
    workers = (args.threads - 1) * torch.cuda.is_available() if args.workers is None else args.workers
    shares = {row["lang"]: float(row["share"]) for row in read_tsv(args.mixture)}
    texts, settings = dict(args.texts), settings_of(args.settings)
    task = Task(args.tokenizer, args.regime, texts, shares, settings, args.seed, args.repeat)
    folder = Path(args.tensorboard, args.out.name) if args.tensorboard else None
    options = {
        "workers": workers,
        "save_seconds": args.save_seconds,
        "ranks": ranks,
        "tensorboard": folder,
    }
    if not ranks.is_first:
        pretrain(task, args.out, **options)
        return
    inputs = [args.tokenizer / "tokenizer.json", args.mixture]  # the texts' digests are in `about`
    recorded = task.about | {"threads": args.threads, "processes": ranks.size}
    with provenance(args.out / SINGLE, inputs, recorded, args.seed):
        pretrain(task, args.out, **options)


if __name__ == "__main__":
    exit_on_user_error(main)
