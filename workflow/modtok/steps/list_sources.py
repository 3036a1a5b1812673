"""Rule list_sources: the run's files in order, divided into shards."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modtok.core.errors import exit_on_user_error

if TYPE_CHECKING:
    from modtok.corpus.sources import Source

DOWNLOADS = Path("results/corpus/downloads")
"of a run"


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", required=True, type=json.loads, help="corpus.sources as JSON")
    parser.add_argument("--downloads", required=True, type=Path, help="folder for lists that are URLs")
    parser.add_argument("--seed", type=int, default=0, help="of the pauses between attempts")
    parser.add_argument("--out", required=True, nargs="+", type=Path, help="a TSV per shard, in order")
    return parser.parse_args(argv)


def listed(entries: Sequence[Mapping[str, Any]], downloads: Path, seed: int = 0) -> "list[Source]":
    """What the entries of corpus.sources name; lists that are URLs are downloaded, once."""
    from modtok.core.seeds import derive
    from modtok.corpus.fetch import Fetcher
    from modtok.corpus.fetched import download_path
    from modtok.corpus.sources import list_sources

    def fetch(url: str) -> Path:
        path = download_path(downloads, url)
        with Fetcher(derive(seed, "list_sources")) as fetcher:
            fetcher.fetch(url, path)
        return path

    return list_sources(entries, Path(), fetch)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.corpus.sources import split, write_sources

    sources = listed(args.sources, args.downloads, args.seed)
    for path, block in zip(args.out, split(sources, len(args.out)), strict=True):
        write_sources(path, block)


if __name__ == "__main__":
    exit_on_user_error(main)
