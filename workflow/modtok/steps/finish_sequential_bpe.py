"""Rule finish_sequential_bpe: the tokenizer of the last step of sequential training, as the run's own."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", required=True, type=Path, help="folder of the last language's step")
    parser.add_argument("--out", required=True, type=Path, help="folder to copy its files to")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.io import atomic

    # tokenizer.json last: it makes the folder whole
    seeded = ["seed_unreachable.tsv"] if (args.step / "seed_unreachable.tsv").exists() else []
    for name in (*seeded, "growth.tsv", "modules.json", "tokenizer_config.json", "tokenizer.json"):
        with atomic(args.out / name) as partial:
            partial.write_bytes((args.step / name).read_bytes())


if __name__ == "__main__":
    exit_on_user_error(main)
