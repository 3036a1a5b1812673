"""Rule count_reduced: tokens of parallel lines under tables cut to smaller sizes, and unions of languages."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_sets


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modular", required=True, type=Path, help="tokenizer.json of sequential BPE")
    parser.add_argument("--monolingual", required=True, nargs="+", type=Path, help="one per language")
    parser.add_argument("--joint", nargs="*", default=[], type=Path, help="of the largest joint BPE")
    parser.add_argument("--sizes", nargs="*", default=[], type=int, help="tokens, special ones not counted")
    add_sets(parser)
    parser.add_argument("--out", required=True, type=Path, help="parquet as count_subtokenizers writes it")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.provenance import provenance
    from modtok.evaluation.latency_counts import count_cut, count_unions
    from modtok.evaluation.subtokenizer_counts import write_subtokenizer_counts
    from modtok.evaluation.token_counts import content_digests, read_sets
    from modtok.tokenization.modular import Modular

    langs = [lang for lang, _ in args.langs]
    sets = read_sets(dict(args.parallel), dict(args.langs))
    settings = {"langs": langs, "sizes": args.sizes, "parallel": content_digests(sets)}
    counted = {file: [lang] for file, lang in zip(args.monolingual, langs, strict=True)}
    counted |= dict.fromkeys(args.joint, langs)
    with provenance(args.out, [args.modular, *counted], settings):
        tables = {file.parent.name: file for file in counted}
        own = {file.parent.name: of_file for file, of_file in counted.items()}
        modular = args.modular.parent
        unions = count_unions(modular.name, Modular.load(modular), sets, langs)
        write_subtokenizer_counts(args.out, [*count_cut(tables, args.sizes, sets, own), *unions])


if __name__ == "__main__":
    exit_on_user_error(main)
