"""Rule collect_likelihood: metrics of a run's models in one table; in another, those of other runs too."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=[], type=Path, help="what evaluate_model wrote")
    parser.add_argument("--others", nargs="*", default=[], type=Path, help="folders of other runs")
    parser.add_argument("--out", required=True, type=Path, help="TSV: the long metrics table of this run")
    parser.add_argument(
        "--training", required=True, type=Path, help="TSV: the same of all, with a column run"
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from dataclasses import fields

    from modtok.core.errors import require
    from modtok.core.io import read_tsv, write_tsv
    from modtok.core.provenance import provenance
    from modtok.evaluation.likelihood_metrics import ModelMetric

    columns = [field.name for field in fields(ModelMetric)]
    others = {folder: folder / "results/metrics/likelihood.tsv" for folder in args.others}
    for folder, file in others.items():
        require(file.is_file(), f"{file}: not there; make table_likelihood in {folder}, or leave it out")
    with (
        provenance(args.out, args.models, {}),
        provenance(args.training, [*args.models, *others.values()], {}),
    ):
        own = [row for file in args.models for row in read_tsv(file)]
        write_tsv(args.out, columns, own)
        theirs = [{**row, "run": folder.name} for folder, file in others.items() for row in read_tsv(file)]
        write_tsv(args.training, [*columns, "run"], [*({**row, "run": ""} for row in own), *theirs])


if __name__ == "__main__":
    exit_on_user_error(main)
