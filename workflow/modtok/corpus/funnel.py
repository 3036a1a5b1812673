"""The ledger of a whole run: the sum of its jobs' ledgers, and the check that no record is lost between."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from modtok.core.errors import ConfigError, require
from modtok.core.stages import DEDUPLICATE, KEPT, LANGUAGE_ID, QUALITY, SELECT, STAGES
from modtok.corpus.ledger import Ledger, read_ledgers

NOT_CONFIGURED = "not_configured"
"the reason for a record whose label belongs to no language of the run"


def run_ledger(fragments: Iterable[Path], labels: Mapping[str, Sequence[str]]) -> Ledger:
    """The sum of all jobs' ledgers with the stage `select` added, stages in the order of STAGES, checked.

    `labels` holds the labels of the language-ID model that count as each language of the run. Records are
    checked, not bytes: a stage counts the bytes of what comes in, and extraction and deduplication make them
    fewer. A sum that is off is our own fault (AssertionError). Error: a label that two languages claim.

    run_ledger([Path("extract-0.tsv"), Path("deduplicate-hr.tsv")], {"hr": ["hr", "sh"]})
    """
    _require_disjoint(labels)
    total = read_ledgers(sorted(fragments))
    _add_selection(total, {label for several in labels.values() for label in several})
    ledger = Ledger()
    for stage, language, outcome, records, size_bytes in sorted(total, key=_in_order):
        ledger.add(stage, language, outcome, records=records, size_bytes=size_bytes)
    _check(ledger, labels)
    return ledger


def _require_disjoint(labels: Mapping[str, Sequence[str]]) -> None:
    owners: dict[str, str] = {}
    for lang, several in labels.items():
        for label in several:
            owner = owners.setdefault(label, lang)
            require(
                owner == lang,
                f"languages.tsv: label '{label}' counts as '{owner}' and as '{lang}'; give it to one of them",
                ConfigError,
            )


def _in_order(row: tuple[str, str, str, int, int]) -> tuple[int, str, str]:
    stage, language, outcome, _, _ = row
    return STAGES.index(stage), language, outcome


def _add_selection(ledger: Ledger, configured: set[str]) -> None:
    """Count what identification kept once more, by whether its label belongs to a language of the run."""
    for label in ledger.languages(LANGUAGE_ID):
        records, size_bytes = (
            count(LANGUAGE_ID, label, KEPT) for count in (ledger.records, ledger.size_bytes)
        )
        if records:
            outcome = KEPT if label in configured else NOT_CONFIGURED
            ledger.add(SELECT, label, outcome, records=records, size_bytes=size_bytes)


def _check(ledger: Ledger, labels: Mapping[str, Sequence[str]]) -> None:
    """What a stage kept is what the next one takes in: in all up to `select`, then for each language."""
    until_selection = STAGES[: STAGES.index(SELECT) + 1]
    for stage, following in pairwise(until_selection):
        _check_pair(stage, ledger.records(stage, outcome=KEPT), following, ledger.records(following))
    for lang, several in labels.items():
        selected = sum(ledger.records(SELECT, label, KEPT) for label in several)
        _check_pair(SELECT, selected, f"{DEDUPLICATE} of {lang}", ledger.records(DEDUPLICATE, lang))
        deduplicated = ledger.records(DEDUPLICATE, lang, KEPT)
        _check_pair(DEDUPLICATE, deduplicated, f"{QUALITY} of {lang}", ledger.records(QUALITY, lang))


def _check_pair(stage: str, kept: int, following: str, taken: int) -> None:
    assert kept == taken, f"ledger: {stage} kept {kept} records, {following} took in {taken}"
