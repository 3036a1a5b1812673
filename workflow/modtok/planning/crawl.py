"""Web pages for a forecast: from the beginning of some WARC files, or like CommonCrawl's on average."""

import resource
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from modtok.corpus.language_id import default_model
from modtok.corpus.page_assignment import PageSettings
from modtok.corpus.page_stream import PageStream
from modtok.planning.sample import FILES, MILLION, SHARE, Sample, Text, sample_documents, spread
from modtok.planning.sources import Found

LEAST_BYTES = 8_000_000
"of WARC files that are read, where they have so many"
TEXT_SHARE = 0.27
"MB of text from a MB of WARC as stored: CommonCrawl's WET files, unpacked, against its WARC files"
ENGLISH, OTHER = 0.45, 0.012
"""Of that text, what is English; and what is in any other language, for want of better: the larger European
ones have some 5 %, the smaller ones 0.1 %."""
WORD_BYTES, WORD_CHARACTERS = 7.0, 9.0
"of running text, and of different words"
HEAPS_K, HEAPS_B = 30.0, 0.6
"of web text"
PAGE_BYTES = 5_000


@dataclass(frozen=True)
class Pages:
    """What pages bring: samples by label of the language-ID model, or texts where none could be had."""

    samples: Mapping[str, Sample] = field(default_factory=dict)
    texts: Mapping[str, Text] = field(default_factory=dict)
    other_text_mb: float = 0.0
    "of languages that are not asked for; only where nothing could be sampled"
    seconds: float | None = None
    "processor seconds for each MB of WARC; None where nothing could be sampled"


def sampled_pages(found: Found, config: Mapping[str, Any]) -> Pages:
    """Pages of the beginnings of some files, 1 % of all bytes, as a shard would extract them."""
    chosen = list(spread(found.warcs, FILES))
    each = max(SHARE * found.local_mb * MILLION, LEAST_BYTES) / len(chosen)
    section = config["corpus"]["extraction"]
    lid = config["corpus"]["language_id"]
    model = Path(lid["model"]) if lid["model"] else default_model()
    settings = PageSettings(
        section["main_content"], section["max_bytes"], section["timeout_s"], model, lid["threshold"]
    )
    with tempfile.TemporaryDirectory() as folder:
        cut = [
            _beginning(path, Path(folder) / f"{number}{path.suffix}", int(each))
            for number, path in enumerate(chosen)
        ]
        read_mb = sum(path.stat().st_size for path in cut) / MILLION
        before = _seconds()
        texts: dict[str, list[str]] = {}
        for page in PageStream(cut, settings).pages():
            texts.setdefault(page.language, []).append(page.text)
        seconds = (_seconds() - before) / read_mb
    share = read_mb / found.warc_mb
    return Pages(
        {label: sample_documents([(pages, share)]) for label, pages in texts.items()}, seconds=seconds
    )


def _beginning(path: Path, to: Path, size: int) -> Path:
    with path.open("rb") as file:
        to.write_bytes(file.read(size))
    return to


def _seconds() -> float:
    """Processor seconds of this process and of those that it has waited for."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def typical_pages(found: Found, langs: Sequence[str]) -> Pages:
    """What so much of CommonCrawl would bring on average; nothing where there are no WARC files at all."""
    total = TEXT_SHARE * found.warc_mb
    texts = (
        {lang: typical_text(total * (ENGLISH if lang == "en" else OTHER)) for lang in langs} if total else {}
    )
    return Pages(texts=texts, other_text_mb=total - sum(text.bytes_mb for text in texts.values()))


def typical_text(bytes_mb: float) -> Text:
    """So much web text in one language. typical_text(7.0).words_m -> 1.0"""
    words = bytes_mb / WORD_BYTES
    distinct = HEAPS_K * (words * MILLION) ** HEAPS_B / MILLION
    text = Text(bytes_mb, bytes_mb / PAGE_BYTES, words, bytes_mb, distinct)
    return replace(text, symbols_m=distinct * WORD_CHARACTERS)
