"""Rule measure_surgery: what surgery and its baselines do to text and to the vocabulary."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_resampling, add_sets


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subjects", required=True, nargs="*", help="tokenizers before surgery")
    parser.add_argument("--methods", required=True, nargs="+", help="in the order of rows")
    parser.add_argument("--tokenizers", required=True, type=Path, help="folder of all tokenizers")
    parser.add_argument("--target", required=True, help="language that surgery was done for")
    parser.add_argument("--groups", required=True, nargs="*", metavar="cs,pl", help="of other languages")
    add_sets(parser)
    add_resampling(parser)
    parser.add_argument("--metrics", required=True, type=Path, help="TSV: the long metrics table")
    parser.add_argument("--scripts", required=True, type=Path, help="TSV: rows by script")
    parser.add_argument("--conflicts", required=True, type=Path, help="TSV: a token that nothing reaches")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.io import write_tsv
    from modtok.core.metrics import write_metrics
    from modtok.core.provenance import provenance
    from modtok.evaluation.surgery import columns_of
    from modtok.evaluation.surgery_audit import CONFLICT_COLUMNS, SCRIPT_COLUMNS
    from modtok.evaluation.surgery_report import report, tokenizers_of
    from modtok.evaluation.token_counts import content_digests, read_sets

    sets = read_sets(dict(args.parallel), dict(args.langs))
    columns = columns_of(args.target, [group.split(",") for group in args.groups])
    settings = {"columns": columns, "parallel": content_digests(sets), "bootstrap": args.bootstrap}
    names = [name for subject in args.subjects for name in tokenizers_of(subject, args.methods)]
    inputs = [args.tokenizers / name / "tokenizer.json" for name in names]
    with provenance(args.metrics, inputs, settings, args.seed):
        made = report(args.tokenizers, args.subjects, args.methods, sets, columns, args.bootstrap, args.seed)
        write_tsv(args.scripts, SCRIPT_COLUMNS, made.scripts)
        write_tsv(args.conflicts, CONFLICT_COLUMNS, made.conflicts)
        write_metrics(args.metrics, made.metrics)


if __name__ == "__main__":
    exit_on_user_error(main)
