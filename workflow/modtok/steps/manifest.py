"""Rule manifest: what the run is made from; stops where that is not what config/lock.json says."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, type=json.loads, help="the run's merged config as JSON")
    parser.add_argument("--sources", required=True, nargs="+", type=Path, help="TSVs, in order")
    parser.add_argument("--lock", required=True, type=Path, help="a manifest to hold to")
    parser.add_argument("--out", required=True, type=Path, help="JSON")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.io import write_json
    from modtok.corpus.manifest import check_lock, manifest
    from modtok.corpus.sources import read_sources

    sources = [source for path in args.sources for source in read_sources(path)]
    found = manifest(args.config, sources, Path())
    if args.lock.is_file():
        check_lock(args.lock, found)
    write_json(args.out, found)


if __name__ == "__main__":
    exit_on_user_error(main)
