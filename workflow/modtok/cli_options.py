"""Options that several commands share, and how they are read."""

from argparse import ArgumentTypeError
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from modtok.core.errors import ConfigError, about, require
from modtok.core.options import named

if TYPE_CHECKING:
    from modtok.tokenization.word_count_files import WordCounts


class Pretokenization(StrEnum):
    """How text is cut into the units that tokens never cross."""

    whitespace = "whitespace"
    gpt2 = "gpt2"


class Alphabet(StrEnum):
    """What every token is made of."""

    bytes = "bytes"
    characters = "characters"


class Format(StrEnum):
    """How results are printed."""

    table = "table"
    tsv = "tsv"
    json = "json"


BytesOrCharacters = Annotated[Alphabet, typer.Option(help="bytes, or characters with byte fallback.")]
Counts = Annotated[
    list[str],
    typer.Option("--counts", metavar="LANG=PATH", help="Word counts, parquet or TSV; repeat for more files."),
]
# As the config schema has it; training allots memory for the tokens to come.
MAX_BUDGET = 10_000_000
Budget = Annotated[
    int,
    typer.Option(min=1, max=MAX_BUDGET, help="Tokens, alphabet included, the four special ones not."),
]
OutFolder = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to.")]
Coverage = Annotated[
    float, typer.Option("--character-coverage", help="Share of the text that the characters cover (0 to 1).")
]
Split = Annotated[
    Pretokenization | None,
    typer.Option("--pretokenization", help="Default: what the counts were made with, else whitespace."),
]
Threads = Annotated[int, typer.Option(min=1, max=1024, help="Threads; the result does not depend on it.")]
ModularFolder = Annotated[
    Path,
    typer.Argument(metavar="DIR", help="Modular tokenizer: a folder with tokenizer.json and modules.json."),
]
Languages = Annotated[str, typer.Option("--langs", metavar="fr,en", help="Languages, by code.")]
SomeLanguages = Annotated[
    str | None,
    typer.Option("--langs", metavar="fr,en", help="Of a modular tokenizer: only these languages' tokens."),
]
MAX_COUNT = 2**63 - 1
MinFrequency = Annotated[
    int,
    typer.Option(min=1, max=MAX_COUNT, help="A pair, or a token to adopt, seen less often is never taken."),
]
Trained = Annotated[
    list[str] | None,
    typer.Option("--trained", metavar="LANG=DIR", help="A language's own tokenizer; else it is trained."),
]
Shown = Annotated[Format, typer.Option("--format", help="Output format.")]


def pairs(option: str, entries: list[str]) -> list[tuple[str, str]]:
    """The pairs of a repeated option `LANG=PATH`."""
    try:
        return [named(entry) for entry in entries]
    except ArgumentTypeError as error:
        raise ConfigError(f"{option} LANG=PATH: {error}") from error


def one_each(option: str, entries: list[str]) -> dict[str, Path]:
    """The paths of a repeated option `LANG=PATH` that takes one path for a language."""
    paths: dict[str, Path] = {}
    for lang, path in pairs(option, entries):
        require(lang not in paths, f"{option} {lang}: given twice; give it one", ConfigError)
        paths[lang] = Path(path)
    return paths


@dataclass(frozen=True)
class CountFiles:
    """What --counts names."""

    of: dict[str, list[Path]]
    "language -> its files, in the order of the options"
    pretokenization: str
    "how the words were cut"

    @property
    def every(self) -> list[Path]:
        """All files."""
        return [path for own in self.of.values() for path in own]


def files_of_counts(counts: list[str], given: str | None) -> CountFiles:
    """The files of --counts. Error: files, or a file and `given`, whose words were cut in different ways."""
    from modtok.tokenization.word_count_files import recorded_pretokenization

    paths: dict[str, list[Path]] = {}
    for lang, path in pairs("--counts", counts):
        paths.setdefault(lang, []).append(Path(path))
    every = [path for own in paths.values() for path in own]
    return CountFiles(paths, recorded_pretokenization(every, given))


def read_language(lang: str, files: list[Path]) -> "WordCounts":
    """The counts of one language; errors name it."""
    from modtok.tokenization.word_count_files import read_counts

    with about(f"language '{lang}'"):
        return read_counts(files)


def trained_files(entries: list[str], langs: Collection[str]) -> dict[str, Path]:
    """tokenizer.json of each language that has a trained tokenizer."""
    files = {lang: folder / "tokenizer.json" for lang, folder in one_each("--trained", entries).items()}
    strange = ", ".join(lang for lang in files if lang not in langs)
    require(not strange, f"--trained {strange}: a language without --counts", ConfigError)
    return files
