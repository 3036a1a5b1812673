"""What models will be asked: items of multiple choice and documents, counted in the files that are there.

Of files that are not there yet, such as those of the hub before they are fetched, the counts are those of the
public data sets. Lengths are means over the first items of a file.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modtok.core.errors import UserError
from modtok.core.languages import Language
from modtok.core.texts import line_blocks
from modtok.evaluation.multiple_choice_items import read_items

SAMPLED = 200
"items or documents whose lengths are measured"


@dataclass(frozen=True)
class Questions:
    """Items of one task in one language; bytes are means."""

    items: float
    choices: float
    "of an item"
    question_bytes: float
    "of an item's question and what stands before it"
    choice_bytes: float
    "of one choice"
    shots: bool = True


@dataclass(frozen=True)
class Documents:
    """Documents to be summarized in one language; bytes are a mean, with the summary that is there."""

    items: float
    line_bytes: float


TYPICAL = {
    "arc_easy": Questions(2376, 4, 100, 20),
    "arc_challenge": Questions(1172, 4, 130, 30),
    "belebele": Questions(900, 4, 600, 30),
    "csqa": Questions(1221, 5, 70, 8),
    "hellaswag": Questions(10042, 4, 230, 120),
    "mmlu": Questions(14042, 4, 270, 40),
    "piqa": Questions(1838, 2, 40, 100),
    "siqa": Questions(1954, 3, 110, 25),
}
"The public test or validation splits, lengths by and large."
TYPICAL_DOCUMENTS = Documents(5000, 2500)


def find_questions(
    run: Path, config: Mapping[str, Any], languages: Mapping[str, Language]
) -> dict[str, list[Questions]]:
    """The tasks of multiple choice by language of the run."""
    found: dict[str, list[Questions]] = {}
    for entry in config["evaluation"]["multiple_choice"]:
        named = config["languages"] if entry["languages"] == "all" else entry["languages"]
        for lang in named:
            if lang in config["languages"]:
                file = run / _file(entry, lang, languages)
                found.setdefault(lang, []).append(_questions(file, entry))
    return found


def _file(entry: Mapping[str, Any], lang: str, languages: Mapping[str, Language]) -> str:
    if "hub" in entry:
        return f"results/benchmarks/{entry['task']}/{lang}.jsonl"
    flores = languages[lang].flores if lang in languages else ""
    return str(entry["path"]).replace("{lang}", lang).replace("{flores}", flores or "")


def _questions(file: Path, entry: Mapping[str, Any]) -> Questions:
    most = float("inf") if entry.get("lines", "all") == "all" else entry["lines"]
    try:
        sample, lines = read_items(file, SAMPLED), _lines(file)
    except UserError:  # not there yet, or the run itself will say what is wrong with it
        typical = TYPICAL[entry["task"]]
        sizes = (typical.choices, typical.question_bytes, typical.choice_bytes)
        return Questions(min(most, typical.items), *sizes, shots="shots" in entry)
    choices = [choice for item in sample for choice in item.choices]
    asked = sum(_bytes(item.passage) + _bytes(item.question) for item in sample)
    return Questions(
        min(most, lines),
        len(choices) / len(sample),
        asked / len(sample),
        sum(map(_bytes, choices)) / len(choices),
        shots="shots" in entry,
    )


def find_documents(run: Path, config: Mapping[str, Any]) -> dict[str, Documents]:
    """The documents by language of the run that has some."""
    section = config["evaluation"]["summarization"]
    langs = [lang for lang in section["languages"] if section["path"] and lang in config["languages"]]
    return {lang: _documents(run / section["path"].replace("{lang}", lang), section) for lang in langs}


def _documents(file: Path, section: Mapping[str, Any]) -> Documents:
    most = float("inf") if section["lines"] == "all" else section["lines"]
    lines = _lines(file) if file.is_file() else 0
    if not lines:  # not there yet, or the run itself will say what is wrong with it
        return Documents(min(most, TYPICAL_DOCUMENTS.items), TYPICAL_DOCUMENTS.line_bytes)
    shots = 0 if section["shots_from"] else section["shots"]
    return Documents(max(0, min(most, lines - shots)), sum(map(len, _rows(file))) / lines)


def _lines(file: Path) -> int:
    return sum(1 for _ in _rows(file))


def _rows(file: Path) -> Iterator[bytes]:
    return (line for block in line_blocks(file) for line in block.split(b"\n") if line.strip())


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
