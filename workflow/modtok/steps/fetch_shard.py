"""Rule fetch_shard: a shard's files on this machine; remote ones are downloaded."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", required=True, type=Path, help="TSV of list_sources")
    parser.add_argument("--downloads", required=True, type=Path, help="folder of this shard's downloads")
    parser.add_argument("--seed", type=int, default=0, help="of the pauses between attempts")
    parser.add_argument("--out", required=True, type=Path, help="TSV")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.seeds import derive
    from modtok.corpus.fetch import Fetcher
    from modtok.corpus.fetched import fetch_sources, write_fetched
    from modtok.corpus.sources import read_sources

    # Seeded by shard, so that many shards which a server has sent away do not come back all at once.
    with Fetcher(derive(args.seed, "fetch_shard", args.out.stem)) as fetcher:
        fetched = list(fetch_sources(read_sources(args.sources), args.downloads, fetcher))
    write_fetched(args.out, fetched)


if __name__ == "__main__":
    exit_on_user_error(main)
