"""Rule generation_tasks: what models are to translate and summarize, or an error before any is trained."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from modtok.core.errors import exit_on_user_error
from modtok.core.options import add_sets, named, named_path


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_sets(parser)
    parser.add_argument(
        "--names", required=True, nargs="+", type=named, metavar="LANG=NAME", help="languages in English"
    )
    parser.add_argument(
        "--shots-from", nargs="*", default=[], type=named_path, metavar="NAME=PATH", help="splits of sets"
    )
    parser.add_argument("--documents", nargs="*", default=[], type=named_path, metavar="LANG=PATH")
    parser.add_argument("--document-shots", nargs="*", default=[], type=named_path, metavar="LANG=PATH")
    parser.add_argument("--settings", required=True, type=json.loads, help="JSON: translation, summarization")
    parser.add_argument("--out", required=True, type=Path, help="JSONL")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    args = parse_args(argv)
    from modtok.core.provenance import provenance
    from modtok.evaluation.generation_files import write_tasks
    from modtok.evaluation.generation_tasks import read_splits, summarization_tasks, translation_tasks
    from modtok.evaluation.token_counts import content_digests, read_sets

    langs, names = dict(args.langs), dict(args.names)
    translation, summarization = args.settings["translation"], args.settings["summarization"]
    sets = read_sets(dict(args.parallel), langs)
    others = read_splits(dict(args.shots_from), langs)
    documents, shots = dict(args.documents), dict(args.document_shots)
    digests = {"parallel": content_digests(sets), "shots": content_digests(others)}
    with provenance(args.out, [*documents.values(), *shots.values()], args.settings | digests):
        tasks = [
            *translation_tasks(sets, others, names, translation),
            *summarization_tasks(documents, shots, summarization),
        ]
        write_tasks(args.out, tasks)


if __name__ == "__main__":
    exit_on_user_error(main)
