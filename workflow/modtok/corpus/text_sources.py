"""Plain text as a source: documents of txt, jsonl and parquet files whose language is known.

In a txt file documents are groups of lines between blank lines; in jsonl and parquet each row's `text` is
one. A document's offset is the number of its first line, or of its row.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from modtok.core.texts import TextCounts, read_texts
from modtok.corpus.extraction import clean


@dataclass(frozen=True)
class TextDocument:
    """A document, or the reason why it is none."""

    offset: int
    text: str
    size_bytes: int
    "in UTF-8, as found"
    reason: str = ""
    "no_text, too_large (a row over `max_bytes`); empty for a document with text"


def read_documents(path: Path, max_bytes: int, repairs: Counter[str]) -> Iterator[TextDocument]:
    """The documents of a file.

    A txt document over `max_bytes` is cut at a line end into several, counted in `repairs` as cut_documents;
    the rest of `repairs` is as in `extraction.Page`. Errors: DataError for a file that cannot be read.
    """
    counts = TextCounts()
    texts = read_texts(path, counts)
    found = _groups(texts, max_bytes, repairs) if _is_plain(path) else enumerate(texts)
    for offset, text in found:
        yield _document(offset, text, max_bytes if not _is_plain(path) else None, repairs)
    if counts.undecodable:
        repairs["replaced_bytes"] += counts.undecodable


def _is_plain(path: Path) -> bool:
    return not {".jsonl", ".parquet"} & set(path.suffixes[-2:])


def _document(offset: int, text: str, max_bytes: int | None, repairs: Counter[str]) -> TextDocument:
    size = len(text.encode("utf-8", "surrogatepass"))
    if max_bytes is not None and size > max_bytes:
        return TextDocument(offset, "", size, "too_large")
    cleaned, mended = clean(text)
    repairs.update(mended)
    return TextDocument(offset, cleaned, size, "" if cleaned else "no_text")


def _groups(lines: Iterable[str], max_bytes: int, repairs: Counter[str]) -> Iterator[tuple[int, str]]:
    """(number of the first line, text) of each group of lines between blank ones."""
    group: list[str] = []
    start = size = 0
    for number, line in enumerate(lines):
        blank = not line.strip()
        line_bytes = 0 if blank else len(line.encode()) + 1
        too_long = bool(group) and size + line_bytes > max_bytes
        repairs.update({"cut_documents": 1} if too_long else {})
        if group and (blank or too_long):
            yield start, "\n".join(group)
            group, size = [], 0
        if not blank:
            start = start if group else number
            group.append(line)
            size += line_bytes
    if group:
        yield start, "\n".join(group)
