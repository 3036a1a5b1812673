"""Rule surgery_baseline: what surgery is compared with, on as many rows and the same words."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import named_path

METHODS = ("naive", "global", "frequency", "continued", "retrained")


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", required=True, choices=METHODS)
    parser.add_argument("--tokenizer", required=True, type=Path, help="tokenizer.json of byte-level BPE")
    parser.add_argument("--counts", required=True, type=Path, help="word counts of the target language")
    parser.add_argument("--corpora", required=True, nargs="+", type=named_path, metavar="LANG=COUNTS")
    parser.add_argument("--target-script", required=True)
    parser.add_argument("--delete-scripts", required=True, nargs="*")
    parser.add_argument("--keep-scripts", required=True, nargs="*")
    parser.add_argument("--changes", required=True, type=Path, help="changes.json of surgery: as many rows")
    parser.add_argument("--out", required=True, type=Path, help="folder to write the tokenizer to")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.io import require_other_folder
    from modtok.core.provenance import provenance
    from modtok.surgery.baselines import METHODS as BASELINES
    from modtok.surgery.baselines import Case
    from modtok.surgery.byte_level import read_byte_level
    from modtok.surgery.folder import write_folder
    from modtok.surgery.scripts import check_names
    from modtok.surgery.selection import Policy
    from modtok.tokenization.folders import make_way

    require_other_folder(args.out, args.tokenizer)
    policy = Policy(
        check_names("--target-script", [args.target_script]),
        check_names("--delete-scripts", args.delete_scripts),
        check_names("--keep-scripts", args.keep_scripts),
    )
    corpora = dict(args.corpora)
    settings = {"method": args.method, "corpora": list(corpora), **vars(policy)}
    inputs = [args.tokenizer, args.counts, args.changes, *corpora.values()]
    with provenance(args.out / "tokenizer.json", inputs, settings):
        rows = len(json.loads(args.changes.read_text())["deleted"])
        case = Case(read_byte_level(args.tokenizer), policy, rows, args.counts, corpora)
        after = BASELINES[args.method](case)
        make_way(args.out)
        write_folder(args.tokenizer, after, args.out)


if __name__ == "__main__":
    exit_on_user_error(main)
