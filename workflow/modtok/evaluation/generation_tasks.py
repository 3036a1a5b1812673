"""What models are asked to write: translations of parallel sets from English, summaries (paper section 6.1).

Shots are the same for all items: the first lines of another split, or else those of the set itself, which are
then not scored. The instructions are ours, the paper has not printed its own: names of languages in English,
and `TL;DR:`, which stands in texts of all languages.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from modtok.core.errors import ConfigError, DataError, require
from modtok.core.languages import PIVOT
from modtok.core.parallel import read_parallel
from modtok.core.texts import decode, line_blocks
from modtok.evaluation.generation_files import SUMMARIZATION, TRANSLATION, Example, Task
from modtok.evaluation.token_counts import ParallelSets

TRANSLATED = (100, 2)
"""Characters of a translation at most: so many, and so many for each character of the source. Of 58,000
references (FLORES-200 and NTREX, 29 languages) none is longer."""
FIELDS = ("document", "summary")


@dataclass(frozen=True)
class Amount:
    """How much of a task is done: Amount(shots=5)."""

    shots: int
    lines: int | None = None
    "items of each language at most"

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Amount":
        """From a section of the config: Amount.of({"shots": 5, "lines": "all"}) -> Amount(5)"""
        lines = settings["lines"]
        return cls(settings["shots"], None if lines == "all" else int(lines))


def read_splits(paths: Mapping[str, Path], flores: Mapping[str, str]) -> ParallelSets:
    """Lines of other splits of sets, which need not have all languages, as token_counts.read_sets does."""
    return {
        name: {lang: lines[code] for lang, code in flores.items() if code in lines}
        for name, path in paths.items()
        for lines in (read_parallel(path, filter(None, flores.values())),)
    }


def translation_tasks(
    sets: ParallelSets, shots_from: ParallelSets, names: Mapping[str, str], settings: Mapping[str, Any]
) -> Iterator[Task]:
    """From English to each other language of `names` (code -> English name) that a set has.

    `shots_from`: other splits of sets, by name; `settings`: evaluation.translation. Without English among
    `names` there is nothing to translate from. Errors: a set with no English, no lines left.
    """
    amount = Amount.of(settings)
    for dataset, texts in sets.items() if PIVOT in names else ():
        require(PIVOT in texts, f"{dataset}: no English lines to translate from; add them", ConfigError)
        for lang in names:
            if lang in texts and lang != PIVOT:
                scored = _pairs(texts, lang, names[lang])
                other = shots_from.get(dataset, {})
                shots = _pairs(other, lang, names[lang]) if {lang, PIVOT} <= other.keys() else None
                yield _task(TRANSLATION, dataset, lang, scored, shots, amount)


def _pairs(texts: Mapping[str, Sequence[str]], lang: str, name: str) -> list[Example]:
    """Lines of English with their translations; those that are empty in one of them are left out."""
    least, more = TRANSLATED
    return [
        Example(f"English: {' '.join(source.split())}\n{name}:", " ".join(target.split()), line, limit)
        for line, (source, target) in enumerate(zip(texts[PIVOT], texts[lang], strict=True))
        if source.strip() and target.strip()
        for limit in (least + more * len(source),)
    ]


def summarization_tasks(
    files: Mapping[str, Path], shots_from: Mapping[str, Path], settings: Mapping[str, Any]
) -> Iterator[Task]:
    """Of each language's JSONL file of `document` and `summary`; `settings`: evaluation.summarization."""
    amount, limit = Amount.of(settings), settings["limit"]
    for lang, file in files.items():
        shots = _documents(shots_from[lang], limit) if lang in shots_from else None
        yield _task(SUMMARIZATION, settings["name"], lang, _documents(file, limit), shots, amount)


def _documents(file: Path, limit: int) -> list[Example]:
    """The documents of a file, each on one line. Errors: no such file, a line without the two texts."""
    remedy = "name files in evaluation.summarization.path, or leave the language out of its languages"
    require(file.is_file(), f"{file}: no such file; {remedy}", ConfigError)
    lines = (line for block in line_blocks(file) for line in block.split(b"\n"))
    rows = [
        (line, *_document(file, line, decode(data)[0])) for line, data in enumerate(lines) if data.strip()
    ]
    return [
        Example(f"{document}\nTL;DR:", summary, line, limit)
        for line, document, summary in rows
        if document and summary
    ]


def _document(file: Path, line: int, text: str) -> tuple[str, str]:
    """The two texts of a line, which is numbered from 0, as lines of parallel sets are."""
    try:
        row = json.loads(text)
        # JSON may hold half a surrogate pair, which is no text
        texts = (row[field].encode("utf-8", "replace").decode() for field in FIELDS)
        document, summary = (" ".join(whole.split()) for whole in texts)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        fields = " and ".join(FIELDS)
        raise DataError(
            f"{file}, line {line + 1}: no object with texts {fields}; mend or remove it"
        ) from error
    return document, summary


def _task(
    name: str, dataset: str, lang: str, scored: list[Example], other: list[Example] | None, amount: Amount
) -> Task:
    """Shots are lines of another split, or the first lines of what is scored."""
    shots = (scored if other is None else other)[: amount.shots]
    items = scored[amount.shots if other is None else 0 :][: amount.lines]
    few = (
        f"{dataset}, {name}, '{lang}': {len(scored)} lines are not enough for {amount.shots} shots and a line"
    )
    require(len(shots) == amount.shots and len(items) > 0, f"{few}; lower shots in evaluation.{name}")
    return Task(name, dataset, lang, tuple(replace(shot, limit=0) for shot in shots), tuple(items))
