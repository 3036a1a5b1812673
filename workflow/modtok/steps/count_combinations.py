"""Rule count_combinations: tokens of each line under tokenizers of one to four languages, in one order."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_sets, named_path


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--order", required=True, type=int, help="number of the order, from 1")
    parser.add_argument("--sequential", required=True, type=Path, help="tokenizer.json learned in it")
    parser.add_argument(
        "--tables", required=True, nargs="+", type=named_path, metavar="LANG=TOKENIZER", help="in the order"
    )
    add_sets(parser)
    parser.add_argument("--at-most", required=True, nargs=3, help="pairs, triples, quadruples; or `all`")
    parser.add_argument("--seed", required=True, type=int)
    parser.add_argument("--out", required=True, type=Path, help="parquet: a row per tokenizer and language")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from itertools import chain

    from modtok.core.combinations import choose_combinations
    from modtok.core.provenance import provenance
    from modtok.evaluation.subtokenizer_counts import (
        count_concatenations,
        count_subtokenizers,
        write_subtokenizer_counts,
    )
    from modtok.evaluation.token_counts import content_digests, read_sets
    from modtok.tokenization.loading import read_tokenizer_json
    from modtok.tokenization.modular import Modular

    files, langs = dict(args.tables), [lang for lang, _ in args.langs]
    sets = read_sets(dict(args.parallel), dict(args.langs))
    at_most = [None if number == "all" else int(number) for number in args.at_most]
    chosen = choose_combinations(langs, at_most, args.seed)
    ordered = [sorted(one, key=list(files).index) for one in chosen]
    settings = {"order": list(files), "at_most": at_most, "parallel": content_digests(sets)}
    with provenance(args.out, [args.sequential, *files.values()], settings, args.seed):
        tables = {lang: read_tokenizer_json(file) for lang, file in files.items()}
        modular = Modular.load(args.sequential.parent)
        ours = count_subtokenizers(f"sequential-bpe-order{args.order}", modular, sets, ordered)
        theirs = count_concatenations(f"concatenated-bpe-order{args.order}", tables, sets, ordered)
        write_subtokenizer_counts(args.out, chain(ours, theirs))


if __name__ == "__main__":
    exit_on_user_error(main)
