"""Types of command-line options that several commands share."""

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
