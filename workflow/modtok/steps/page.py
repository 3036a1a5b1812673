"""Rule page: one HTML file with the tables, figures, corpus numbers, config and versions of a run."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.reporting.run import add_options, read_run


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tables", required=True, nargs="+", type=Path, help="TSV files, in the order of the page"
    )
    parser.add_argument(
        "--figures", required=True, nargs="+", type=Path, help="SVG files, in the order of the page"
    )
    parser.add_argument("--ledger", required=True, type=Path)
    parser.add_argument(
        "--language-id", nargs="*", default=[], type=Path, help="TSV of each language's self-check"
    )
    parser.add_argument(
        "--quality", nargs="*", default=[], type=Path, help="TSV of each language's classifier"
    )
    parser.add_argument(
        "--versions-of", nargs="*", default=[], type=Path, help="files with provenance beside them"
    )
    parser.add_argument("--config", required=True, type=json.loads, help="the run's config as JSON")
    add_options(parser)
    parser.add_argument("--out", required=True, type=Path)
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    import yaml

    from modtok.core.io import write_text
    from modtok.corpus.sources import shown_config
    from modtok.reporting.page import Sources, build_page, read_versions

    sources = Sources(args.tables, args.figures, args.ledger, args.language_id, args.quality)
    config = yaml.safe_dump(
        shown_config(args.config), allow_unicode=True, sort_keys=False, width=100, default_flow_style=None
    )
    page = build_page(sources, read_run(args), config, read_versions(args.versions_of))
    write_text(args.out, page)


if __name__ == "__main__":
    exit_on_user_error(main)
