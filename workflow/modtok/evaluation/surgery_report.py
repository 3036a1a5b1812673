"""All that is measured of surgery in a run: each tokenizer before, and what each method made of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from modtok.core.metrics import Metric
from modtok.evaluation.surgery import measure_surgery
from modtok.evaluation.surgery_audit import Comparison
from modtok.evaluation.token_counts import ParallelSets, TokenCounts, count
from modtok.surgery.baselines_matching import LongestMatch
from modtok.surgery.byte_level import read_byte_level
from modtok.surgery.verification import unreachable
from modtok.tokenization.loading import load

NAIVE, MATCHED = "naive", "matched"


@dataclass
class Report:
    """Rows of the three files."""

    metrics: list[Metric] = field(default_factory=list)
    scripts: list[dict[str, object]] = field(default_factory=list)
    "of surgery_audit.SCRIPT_COLUMNS"
    conflicts: list[dict[str, object]] = field(default_factory=list)
    "of surgery_audit.CONFLICT_COLUMNS"


def after_surgery(method: str, subject: str) -> str:
    """The name of a tokenizer after surgery. after_surgery("guided", "open-qwen3")"""
    return f"surgery-{method}-{subject}"


def tokenizers_of(subject: str, methods: Sequence[str]) -> list[str]:
    """The tokenizers that are compared. tokenizers_of("x", ["guided"]) -> ["x", "surgery-guided-x"]"""
    return [subject, *(after_surgery(method, subject) for method in methods)]


def report(
    folder: Path,
    subjects: Sequence[str],
    methods: Sequence[str],
    sets: ParallelSets,
    columns: Sequence[str],
    resamples: int,
    seed: int,
) -> Report:
    """Measure the tokenizers in `folder`/{name}; the naive one also with its tokens matched at run time.

    `columns`: what is counted (surgery.columns_of).
    """
    made = Report()
    langs = list(dict.fromkeys(lang for column in columns for lang in column.split("+")))
    for subject in subjects:
        original = read_byte_level(folder / subject)
        lost = unreachable(original)
        before = count(subject, load(folder / subject), sets, langs)
        after: dict[str, TokenCounts] = {}
        for method in methods:
            name = after_surgery(method, subject)
            after[name] = count(name, load(folder / name), sets, langs)
            compared = Comparison(name, original, read_byte_level(folder / name), lost)
            if method == NAIVE:
                matched = after_surgery(MATCHED, subject)
                patched = LongestMatch(compared.after, compared.verified.inserted)
                after[matched] = count(matched, patched, sets, langs)
            _add(made, compared)
        made.metrics += measure_surgery(before, after, sets, columns, resamples=resamples, seed=seed)
    return made


def _add(made: Report, compared: Comparison) -> None:
    made.metrics += compared.metrics()
    made.scripts += compared.script_rows()
    made.conflicts += _conflicts(compared)


def _conflicts(compared: Comparison) -> Iterator[dict[str, object]]:
    found = compared.conflict()
    if found is not None:
        yield found
