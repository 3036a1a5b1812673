"""Rule count_subtokenizers: tokens of each line under a modular tokenizer, whole and each language alone."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_sets


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True, help="name of the modular tokenizer")
    parser.add_argument("--tokenizer", required=True, type=Path, help="its tokenizer.json")
    add_sets(parser)
    parser.add_argument("--out", required=True, type=Path, help="parquet: a row per tokenizer, set, language")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.provenance import provenance
    from modtok.evaluation.subtokenizer_counts import (
        count_full,
        count_subtokenizers,
        write_subtokenizer_counts,
    )
    from modtok.evaluation.token_counts import content_digests, read_sets
    from modtok.tokenization.modular import Modular

    langs = [lang for lang, _ in args.langs]
    sets = read_sets(dict(args.parallel), dict(args.langs))
    inputs = [args.tokenizer, args.tokenizer.with_name("modules.json")]
    settings = {"tokenizer": args.name, "langs": langs, "parallel": content_digests(sets)}
    with provenance(args.out, inputs, settings):
        modular = Modular.load(args.tokenizer.parent)
        own = count_subtokenizers(args.name, modular, sets, [[lang] for lang in langs])
        write_subtokenizer_counts(args.out, [count_full(args.name, modular, sets), *own])


if __name__ == "__main__":
    exit_on_user_error(main)
