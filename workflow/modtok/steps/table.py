"""Rule table: a table of modtok.reporting.items as TSV, Markdown and LaTeX."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.reporting.run import add_options, read_run


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--item", required=True, help="name of the table and of its function")
    parser.add_argument(
        "--inputs", required=True, nargs="+", type=Path, help="in the order that the item declares"
    )
    add_options(parser)
    for suffix in ("tsv", "md", "tex"):
        parser.add_argument(f"--{suffix}", required=True, type=Path)
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.provenance import provenance
    from modtok.reporting import (
        generation_tables,
        latency_tables,
        model_tables,
        multiple_choice_tables,
        surgery_tables,
        tables,
    )
    from modtok.reporting.frames import read_frame
    from modtok.reporting.items import ITEMS
    from modtok.reporting.rendering import has_papers_figures, write_table

    run = read_run(args)
    with provenance(args.tsv, args.inputs, {"item": args.item, **run.settings()}):
        modules = (
            tables,
            latency_tables,
            model_tables,
            multiple_choice_tables,
            generation_tables,
            surgery_tables,
        )
        make = next(getattr(module, args.item) for module in modules if hasattr(module, args.item))
        table = make(*map(read_frame, args.inputs), run)
        item = ITEMS[args.item].of_run(run.languages, has_papers_figures(table))
        write_table(table, item, args.tsv, args.md, args.tex)


if __name__ == "__main__":
    exit_on_user_error(main)
