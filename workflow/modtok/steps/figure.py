"""Rule figure: a figure of modtok.reporting.items as PDF, SVG and PNG."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.reporting.run import add_options, read_run


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--item", required=True, help="name of the figure and of its function")
    parser.add_argument(
        "--inputs", required=True, nargs="*", type=Path, help="in the order that the item declares"
    )
    add_options(parser)
    for suffix in ("pdf", "svg", "png"):
        parser.add_argument(f"--{suffix}", required=True, type=Path)
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.provenance import provenance
    from modtok.reporting import (
        corpus_figures,
        figures,
        generation_figures,
        latency_figures,
        model_figures,
        schema_figures,
        tokenizer_figures,
    )
    from modtok.reporting.figures import write_figure
    from modtok.reporting.frames import read_frame

    run = read_run(args)
    with provenance(args.svg, args.inputs, {"item": args.item, **run.settings()}):
        modules = (
            figures,
            schema_figures,
            corpus_figures,
            tokenizer_figures,
            latency_figures,
            model_figures,
            generation_figures,
        )
        draw = next(getattr(module, args.item) for module in modules if hasattr(module, args.item))
        figure = draw(*map(read_frame, args.inputs), run)
        write_figure(figure, args.pdf, args.svg, args.png)


if __name__ == "__main__":
    exit_on_user_error(main)
