"""Rule find_rank_conflict: a word of the data that concatenated tables break and sequential BPE does not."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_sets, named_path


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sequential", required=True, type=Path, help="tokenizer.json of sequential-bpe")
    parser.add_argument("--tables", required=True, nargs="+", type=named_path, metavar="LANG=TOKENIZER")
    add_sets(parser)
    parser.add_argument("--out", required=True, type=Path, help="TSV: tokenizer, step, pieces")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.provenance import provenance
    from modtok.evaluation.rank_conflict import find_conflict, write_conflict
    from modtok.evaluation.token_counts import content_digests, read_sets
    from modtok.tokenization.loading import read_tokenizer_json
    from modtok.tokenization.modular import Modular

    files = dict(args.tables)
    sets = read_sets(dict(args.parallel), dict(args.langs))
    with provenance(args.out, [args.sequential, *files.values()], {"parallel": content_digests(sets)}):
        tables = {lang: read_tokenizer_json(file) for lang, file in files.items()}
        write_conflict(args.out, find_conflict(tables, Modular.load(args.sequential.parent), sets))


if __name__ == "__main__":
    exit_on_user_error(main)
