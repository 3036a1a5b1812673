"""Rule list_sources: the run's files in order, divided into shards; stops where a lock names others."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", required=True, type=json.loads, help="corpus.sources as JSON")
    parser.add_argument("--downloads", required=True, type=Path, help="folder for lists that are URLs")
    parser.add_argument("--seed", type=int, default=0, help="of the pauses between attempts")
    parser.add_argument(
        "--config",
        type=json.loads,
        default=os.environ.get("MODTOK_CONFIG"),
        help="the run's merged config as JSON (default: that of the environment)",
    )
    parser.add_argument("--lock", type=Path, default=Path("config/lock.json"), help="a manifest to hold to")
    parser.add_argument("--out", required=True, nargs="+", type=Path, help="a TSV per shard, in order")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.seeds import derive
    from modtok.corpus.fetch import Fetcher
    from modtok.corpus.fetched import download_path
    from modtok.corpus.manifest import check_lock, manifest
    from modtok.corpus.sources import list_sources, split, write_sources

    def fetch(url: str) -> Path:
        path = download_path(args.downloads, url)
        with Fetcher(derive(args.seed, "list_sources")) as fetcher:
            fetcher.fetch(url, path)
        return path

    sources = list_sources(args.sources, Path(), fetch)
    if args.config and args.lock.is_file():
        check_lock(args.lock, manifest(args.config, sources, Path()))
    for path, block in zip(args.out, split(sources, len(args.out)), strict=True):
        write_sources(path, block)


if __name__ == "__main__":
    exit_on_user_error(main)
