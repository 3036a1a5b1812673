"""Types of command-line options that several commands share."""

import argparse
from pathlib import Path


def named_path(text: str) -> tuple[str, Path]:
    """NAME=PATH, for argparse's `type`. named_path("flores200=data/flores") -> ("flores200",
    Path("data/flores"))
    """
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=PATH")
    return name, Path(path)
