"""The table of languages: code, name, script, FLORES code, language-ID labels, ISO 639-3 code."""

from dataclasses import dataclass
from pathlib import Path

from modtok.core.errors import ConfigError, require
from modtok.core.io import read_tsv

PIVOT = "en"
"the language that others are compared with and translated from"


@dataclass(frozen=True)
class Language:
    """A row of languages.tsv. Language("hr", "Croatian", "Latn", "hrv_Latn", ("hr", "sh"), "hrv")"""

    code: str
    "the two-letter code of the papers, in lower case; names every file of the language"
    name: str
    script: str
    "ISO 15924"
    flores: str
    "file name in parallel sets; empty where the language is in none"
    lid_labels: tuple[str, ...]
    "labels of the language-ID model that count as this language, without `__label__`"
    iso639_3: str


def read_languages(*tables: Path) -> dict[str, Language]:
    """Languages by code; a row of a later table replaces the one of the same code in an earlier table."""
    languages: dict[str, Language] = {}
    for table in tables:
        languages |= _read_table(table)
    return languages


def _read_table(table: Path) -> dict[str, Language]:
    languages: dict[str, Language] = {}
    for row in read_tsv(table):
        language = _language(table, row)
        require(
            language.code not in languages, f"{table}: two rows for '{language.code}'; keep one", ConfigError
        )
        languages[language.code] = language
    return languages


def _language(table: Path, row: dict[str, str]) -> Language:
    columns = set(Language.__dataclass_fields__)
    require(set(row) == columns, f"{table}: columns must be {', '.join(sorted(columns))}", ConfigError)
    require(
        bool(row["code"] and row["lid_labels"]),
        f"{table}: a row without code or lid_labels: {row}",
        ConfigError,
    )
    labels = tuple(row["lid_labels"].split(","))
    return Language(row["code"], row["name"], row["script"], row["flores"], labels, row["iso639_3"])


def packaged_languages() -> dict[str, Language]:
    """The languages that modtok knows without a run: config/languages.tsv, which is part of the package."""
    return read_languages(Path(__file__).with_name("languages.tsv"))


def select(languages: dict[str, Language], codes: list[str]) -> list[Language]:
    """The rows of `codes`, in that order; an error names a code that the table lacks."""
    for code in codes:
        require(
            code in languages,
            f"no language '{code}' in languages.tsv; it has {', '.join(sorted(languages))}",
            ConfigError,
        )
    return [languages[code] for code in codes]
