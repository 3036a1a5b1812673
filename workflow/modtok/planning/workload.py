"""What a run has to work on: text of its languages, WARC files, parallel sets, tokenizers.

Remote WARC files are not downloaded for a plan; they are taken to be like CommonCrawl's (`crawl`), and the
forecast says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from modtok.core.combinations import Combination, choose_combinations
from modtok.core.errors import DataError
from modtok.core.languages import Language, read_languages
from modtok.core.parallel import read_parallel
from modtok.planning.crawl import sampled_pages, typical_pages
from modtok.planning.questions import Documents, Questions, find_documents, find_questions
from modtok.planning.run import WORKFLOW
from modtok.planning.sample import Sample, Text, measure, sample_files
from modtok.planning.sources import find_sources

NEW_SCRIPT, KNOWN_SCRIPT = 1.0, 0.63
"""Tokens that a language adds to a sequential BPE, as a share of its budget: the first one of its writing
system, and a later one (measured on 6 and twice 21 languages at 24k tokens)."""
JSON_BYTES = 100
"of a tokenizer.json for each of its tokens, merges included"
TYPICAL_LINE, TYPICAL_LINES = 150 * "a", 1012
"of a parallel set that is not there yet: FLORES-200 devtest"
OPEN_TOKENS = 200_000
"of an open tokenizer whose file is not there yet"


@dataclass(frozen=True)
class Parallel:
    """A language's lines in all parallel sets."""

    lines: int = 0
    bytes_mb: float = 0.0


@dataclass(frozen=True)
class Workload:
    """The work of a run; texts are what comes out of extraction, before anything is dropped."""

    config: Mapping[str, Any]
    texts: Mapping[str, Text]
    "by language of the run"
    other_text_mb: float = 0.0
    "in languages that the run does not have, which shards keep"
    warc_mb: float = 0.0
    "of WARC files, as they are stored"
    remote_mb: float = 0.0
    "of these, what has to be downloaded"
    page_seconds: float | None = None
    "processor seconds for each MB of WARC on this machine; None where no page could be sampled"
    parallel: Mapping[str, Parallel] = field(default_factory=dict)
    scripts: Mapping[str, str] = field(default_factory=dict)
    open_tokens: Mapping[str, int] = field(default_factory=dict)
    "tokens of each open tokenizer, by the size of its file"
    questions: Mapping[str, Sequence[Questions]] = field(default_factory=dict)
    "tasks of multiple choice by language"
    documents: Mapping[str, Documents] = field(default_factory=dict)

    @property
    def langs(self) -> list[str]:
        """The languages of the run, in their order."""
        return list(self.config["languages"])

    @property
    def budget(self) -> int:
        """Tokens of a language."""
        return int(self.config["tokenizers"]["budget"])

    @cached_property
    def combinations(self) -> list[Combination]:
        """The combinations of languages that are measured."""
        section = self.config["evaluation"]["combinations"]
        most = [section[size] for size in ("pairs", "triples", "quadruples")]
        numbers = [None if number == "all" else int(number) for number in most]
        return choose_combinations(self.langs, numbers, self.config["seed"])

    def modular_tokens(self, langs: list[str]) -> float:
        """Tokens of a modular tokenizer of some languages, with as much text as the budget needs."""
        seen: set[str] = set()
        total = 0.0
        for lang in langs:
            script = self.scripts.get(lang, lang)
            total += self.budget * (KNOWN_SCRIPT if script in seen else NEW_SCRIPT)
            seen.add(script)
        return total


def workload_of(run: Path, config: Mapping[str, Any], workflow: Path = WORKFLOW) -> Workload:
    """Sample the sources of a run. Errors: those of find_sources, of texts and parallel sets."""
    tables = [root / "config" / "languages.tsv" for root in (workflow, run)]
    languages = read_languages(*(table for table in tables if table.is_file()))
    found = find_sources(run, config["corpus"]["sources"])
    split = config["tokenizers"]["pretokenization"]
    samples = {lang: [sample_files(paths)] for lang, paths in found.texts.items()}
    pages = sampled_pages(found, config) if found.local_mb else typical_pages(found, config["languages"])
    for label, sample in pages.samples.items():
        samples.setdefault(_language(label, config, languages), []).append(sample)
    texts = {lang: _text(of, split) for lang, of in samples.items()}
    own = {lang: texts.get(lang, Text()) + pages.texts.get(lang, Text()) for lang in config["languages"]}
    others = sum(text.bytes_mb for lang, text in texts.items() if lang not in own)
    return Workload(
        config,
        own,
        others + pages.other_text_mb,
        found.warc_mb,
        found.remote_mb,
        pages.seconds,
        _parallel(run, config, languages),
        {lang: languages[lang].script for lang in own if lang in languages},
        _open_tokens(run, config),
        find_questions(run, config, languages),
        find_documents(run, config),
    )


def _language(label: str, config: Mapping[str, Any], languages: Mapping[str, Language]) -> str:
    """The run's language that a label of the language-ID model counts as, else the label itself."""
    labels = config["corpus"]["language_id"]["labels"]
    owners = (
        lang
        for lang in config["languages"]
        if label
        in (labels.get(lang) or (*languages[lang].lid_labels, lang) if lang in languages else (lang,))
    )
    return next(owners, label)


def _text(samples: list[Sample], pretokenization: str) -> Text:
    return sum((measure(sample, pretokenization) for sample in samples), Text())


def _parallel(run: Path, config: Mapping[str, Any], languages: Mapping[str, Language]) -> dict[str, Parallel]:
    codes = {languages[lang].flores: lang for lang in config["languages"] if lang in languages}
    found: dict[str, Parallel] = {}
    for entry in config["evaluation"]["parallel"]:
        try:
            lines = read_parallel(run / entry["path"], filter(None, codes))
        except DataError:  # not there yet, which the run itself will say
            lines = {code: [TYPICAL_LINE] * TYPICAL_LINES for code in filter(None, codes)}
        for code, texts in lines.items():
            before = found.get(codes[code], Parallel())
            size = sum(len(line.encode("utf-8", "replace")) for line in texts) / 1e6
            found[codes[code]] = Parallel(before.lines + len(texts), before.bytes_mb + size)
    return found


def _open_tokens(run: Path, config: Mapping[str, Any]) -> dict[str, int]:
    entries = [*config["open_tokenizers"], *config["surgery"]["tokenizers"]]
    given: dict[str, str] = {}
    for entry in entries:
        given |= entry if isinstance(entry, Mapping) else {str(entry): ""}
    return {name: _tokens(run / path) if path else OPEN_TOKENS for name, path in given.items()}


def _tokens(path: Path) -> int:
    if not path.is_file():
        return OPEN_TOKENS
    packed = 5.5 if path.suffix == ".gz" else 1
    return int(path.stat().st_size * packed / JSON_BYTES)
