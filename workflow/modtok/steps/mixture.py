"""Rule mixture: the share of each language in the training data."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import named


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--langs", required=True, nargs="+")
    parser.add_argument("--ledgers", required=True, nargs="+", type=Path, help="what filter_quality counted")
    parser.add_argument("--shares", nargs="*", default=[], type=named, metavar="LANG=SHARE")
    parser.add_argument("--out", required=True, type=Path, help="TSV: lang, share, documents, bytes")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.corpus.ledger import read_ledgers
    from modtok.corpus.mixture import mixture, sizes_of, write_mixture

    sizes = sizes_of(read_ledgers(args.ledgers), args.langs)
    shares = {lang: float(share) for lang, share in args.shares}
    write_mixture(args.out, sizes, mixture(sizes, shares))


if __name__ == "__main__":
    exit_on_user_error(main)
