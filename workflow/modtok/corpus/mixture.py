"""Shares of the languages in the training data (paper section 6.1: 70 % English, the rest by size)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from modtok.core.errors import ConfigError, require
from modtok.core.io import write_tsv
from modtok.core.stages import KEPT, QUALITY
from modtok.corpus.ledger import Ledger

COLUMNS = ("lang", "share", "documents", "bytes")
# Shares written with decimals may add up to 1 only nearly.
TOLERANCE = 1e-9
_KEY = "corpus.mixture"


@dataclass(frozen=True)
class Size:
    """How much there is of a language."""

    documents: int
    size_bytes: int


def mixture(sizes: Mapping[str, Size], given: Mapping[str, float]) -> dict[str, float]:
    """The share of each language, in the order of `sizes`: as given, the rest in proportion to bytes.

    Where the other languages have no text, or there are none, the given shares are scaled to sum to 1, so
    that `en: 0.7` suits a run of English alone. Errors: a share for a language that is not in the run, one
    outside [0, 1], shares that exceed 1 or would all be 0.

    mixture({"en": Size(9, 900), "fi": Size(1, 300), "fr": Size(1, 100)}, {"en": 0.6})
    -> {"en": 0.6, "fi": 0.3, "fr": 0.1}
    """
    _check(sizes, given)
    rest_bytes = _rest_bytes(sizes, given)
    if rest_bytes == 0:
        return {lang: given.get(lang, 0.0) / sum(given.values()) for lang in sizes}
    rest = max(0.0, 1.0 - sum(given.values()))
    return {
        lang: given[lang] if lang in given else rest * size.size_bytes / rest_bytes
        for lang, size in sizes.items()
    }


def _check(sizes: Mapping[str, Size], given: Mapping[str, float]) -> None:
    for lang, share in given.items():
        known, valid = lang in sizes, 0 <= share <= 1
        require(
            known, f"{_KEY}: '{lang}' is not in `languages`; add it there, or remove its share", ConfigError
        )
        require(valid, f"{_KEY}: the share of '{lang}' is {share}; give one from 0 to 1", ConfigError)
    total = sum(given.values())
    listed = ", ".join(f"{lang} {share}" for lang, share in given.items())
    require(total <= 1 + TOLERANCE, f"{_KEY}: shares exceed 1 ({listed}); lower them", ConfigError)
    without_text = ", ".join(f"{lang} without text" for lang in sizes if lang not in given)
    zero = ", ".join(filter(None, (listed, without_text)))
    some = total > 0 or _rest_bytes(sizes, given) > 0
    require(some, f"{_KEY}: the shares of all languages are 0 ({zero}); raise one or add text", ConfigError)


def _rest_bytes(sizes: Mapping[str, Size], given: Mapping[str, float]) -> int:
    """Text of the languages without a given share."""
    return sum(size.size_bytes for lang, size in sizes.items() if lang not in given)


def sizes_of(ledger: Ledger, langs: Sequence[str]) -> dict[str, Size]:
    """What quality filtering kept of each language, from its ledger."""
    return {
        lang: Size(ledger.records(QUALITY, lang, KEPT), ledger.size_bytes(QUALITY, lang, KEPT))
        for lang in langs
    }


def write_mixture(path: Path, sizes: Mapping[str, Size], shares: Mapping[str, float]) -> None:
    """Write the shares and sizes as TSV."""
    rows = (
        {"lang": lang, "share": shares[lang], "documents": size.documents, "bytes": size.size_bytes}
        for lang, size in sizes.items()
    )
    write_tsv(path, COLUMNS, rows)
