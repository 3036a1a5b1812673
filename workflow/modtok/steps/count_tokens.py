"""Rule count_tokens: the tokens of each line of the parallel sets under one tokenizer."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_sets


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True, help="name of the tokenizer")
    parser.add_argument("--tokenizer", required=True, type=Path, help="tokenizer.json(.gz) or .model")
    add_sets(parser)
    parser.add_argument("--out", required=True, type=Path, help="parquet: dataset, lang, line, tokens")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.provenance import provenance
    from modtok.evaluation.token_counts import (
        content_digests,
        count,
        read_sets,
        write_token_counts,
    )
    from modtok.tokenization.loading import load

    langs = [lang for lang, _ in args.langs]
    sets = read_sets(dict(args.parallel), dict(args.langs))
    settings = {"tokenizer": args.name, "langs": langs, "parallel": content_digests(sets)}
    with provenance(args.out, [args.tokenizer], settings):
        write_token_counts(args.out, count(args.name, load(args.tokenizer), sets, langs))


if __name__ == "__main__":
    exit_on_user_error(main)
