"""Rule pretrain: a language model over a tokenizer, in a regime; resumes what was killed.

python -m modtok.steps.pretrain --tokenizer results/tokenizers/sequential-bpe --regime samp-sub2
    --texts en=results/pretraining/text/en.bin … --mixture results/corpus/mixture.tsv
    --settings '{"model": "d=128,layers=4,heads=4,context=256", …}' --seed 1 --threads 2 --out models/x
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import named_path


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
    parser.add_argument("--processes", type=int, default=1, help="that train, each on a GPU (default: 1)")
    parser.add_argument("--tensorboard", nargs="?", type=Path, help="folder for events of models")
    parser.add_argument("--save-seconds", type=float, default=600, help="between states (default: 600)")
    parser.add_argument("--out", required=True, type=Path, help="folder of the model")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    import torch

    from modtok.core.io import STREAM, read_tsv
    from modtok.core.provenance import provenance
    from modtok.modelling.pretraining import Task, pretrain
    from modtok.modelling.ranks import ALONE, joined, launched
    from modtok.modelling.settings import settings_of

    torch.set_num_threads(args.threads)
    workers = (args.threads - 1) * (ALONE.device().type == "cuda") if args.workers is None else args.workers
    shares = {row["lang"]: float(row["share"]) for row in read_tsv(args.mixture)}
    texts, settings = dict(args.texts), settings_of(args.settings)
    task = Task(args.tokenizer, args.regime, texts, shares, settings, args.seed, args.repeat)
    if launched(args.processes, "modtok.steps.pretrain", argv):
        return
    with joined() as ranks:
        recorded = task.about | {"threads": args.threads, "processes": ranks.size}
        out = args.out / "model.safetensors" if ranks.is_first else STREAM
        with provenance(out, [args.tokenizer / "tokenizer.json", args.mixture], recorded, args.seed):
            pretrain(task, args.out, workers, args.save_seconds, ranks=ranks, tensorboard=args.tensorboard)


if __name__ == "__main__":
    exit_on_user_error(main)
