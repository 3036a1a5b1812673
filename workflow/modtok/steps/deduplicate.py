"""Rule deduplicate: one language's documents out of all shards, each paragraph where it comes first."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", required=True, nargs="+", type=Path, help="parquet, in any order")
    parser.add_argument("--lang", required=True)
    parser.add_argument("--labels", required=True, nargs="+", help="language-ID labels that count as --lang")
    parser.add_argument("--scope", required=True, choices=["language", "none"])
    parser.add_argument(
        "--near-threshold", type=float, help="Jaccard similarity; without it no near-duplicates"
    )
    parser.add_argument("--near-permutations", type=int, default=128)
    parser.add_argument("--may-be-empty", action="store_true", help="a warning where nothing is found")
    parser.add_argument("--seed", type=int, default=0, help="of the near-duplicates' hash functions")
    parser.add_argument("--memory-mb", type=int, default=1024, help="for the table of hashes")
    parser.add_argument("--out", required=True, type=Path, help="parquet")
    parser.add_argument("--ledger", required=True, type=Path, help="TSV")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.provenance import provenance
    from modtok.core.seeds import derive
    from modtok.corpus.deduplication import deduplicate

    names = ("lang", "labels", "scope", "near_threshold", "near_permutations")
    is_copy = None
    if args.near_threshold is not None:
        from modtok.corpus.near_duplicates import NearDuplicates  # slow to import

        seed = derive(args.seed, "near_duplicates", args.lang)
        is_copy = NearDuplicates(args.near_threshold, args.near_permutations, seed).is_copy
    with provenance(args.out, args.shards, {name: getattr(args, name) for name in names}, args.seed):
        ledger = deduplicate(
            args.shards,
            args.out,
            args.lang,
            args.labels,
            unique=args.scope == "language",
            is_copy=is_copy,
            may_be_empty=args.may_be_empty,
            memory_bytes=args.memory_mb << 20,
        )
        ledger.write(args.ledger)


if __name__ == "__main__":
    exit_on_user_error(main)
