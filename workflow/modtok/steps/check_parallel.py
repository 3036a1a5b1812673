"""Rule check_parallel: the sizes of the parallel sets, or an error that names a language no set has."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import named, named_path


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parallel", nargs="*", default=[], type=named_path, metavar="NAME=PATH")
    parser.add_argument("--langs", required=True, nargs="+", type=named, metavar="LANG=FLORES_CODE")
    parser.add_argument("--out", required=True, type=Path, help="TSV: dataset, lang, lines, bytes")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.io import write_tsv
    from modtok.evaluation.token_counts import read_sets

    sets = read_sets(dict(args.parallel), dict(args.langs))
    rows = (
        {
            "dataset": name,
            "lang": lang,
            "lines": len(lines),
            "bytes": sum(len(line.encode()) for line in lines),
        }
        for name, texts in sets.items()
        for lang, lines in texts.items()
    )
    write_tsv(args.out, ("dataset", "lang", "lines", "bytes"), rows)


if __name__ == "__main__":
    exit_on_user_error(main)
