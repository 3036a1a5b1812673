"""Rule check_quality_texts: the texts for a language's quality classifier; too few stop the run."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lang", required=True)
    parser.add_argument("--positive", required=True, nargs="+", metavar="GLOB", help="high-quality text")
    parser.add_argument("--negative", nargs="+", metavar="GLOB", help="low-quality text")
    parser.add_argument("--out", required=True, type=Path, help="TSV: kind, file, bytes")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.io import write_tsv
    from modtok.corpus.quality_training import check_documents, matching_files

    patterns = {"positive": args.positive, "negative": args.negative}
    sources = {kind: matching_files(args.lang, given) for kind, given in patterns.items() if given}
    for source in sources.values():
        check_documents(args.lang, source)
    rows = (
        {"kind": kind, "file": path, "bytes": path.stat().st_size}
        for kind, source in sources.items()
        for path in source.paths
    )
    write_tsv(args.out, ("kind", "file", "bytes"), rows)


if __name__ == "__main__":
    exit_on_user_error(main)
