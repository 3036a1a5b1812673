"""Plain text as a source: documents of txt, jsonl and parquet files whose language is known.

In a txt file documents are groups of lines between blank lines; in jsonl and parquet each row's `text` is
one. A document's offset is the number of its first line, or of its row, from 0; rows without text count, and
a row of jsonl is a line.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from modtok.core.texts import TextCounts, read_documents
from modtok.corpus.extraction import clean


@dataclass(frozen=True)
class TextDocument:
    """A document, or the reason why it is none."""

    offset: int
    text: str
    size_bytes: int
    "in UTF-8, as found"
    reason: str = ""
    "no_text; empty for a document with text"


def read_text_source(path: Path, max_bytes: int, repairs: Counter[str]) -> Iterator[TextDocument]:
    """The documents of a file.

    A txt document over `max_bytes` is cut at a line end into several, counted in `repairs` as cut_documents;
    what a single line or row holds beyond them is left out, counted as shortened_documents. The rest of
    `repairs` is as in `extraction.Page`. Errors: DataError for a file that cannot be read.
    """
    counts = TextCounts()
    for offset, text in read_documents(path, counts, max_bytes=max_bytes):
        yield _document(offset, text, max_bytes, repairs)
    counted = Counter(cut_documents=counts.cut_documents, replaced_bytes=counts.undecodable)
    repairs.update(+counted)  # + leaves out zeros


def _document(offset: int, text: str, max_bytes: int, repairs: Counter[str]) -> TextDocument:
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > max_bytes:
        text = data[:max_bytes].decode("utf-8", "ignore")  # the end may lie within a character
        repairs["shortened_documents"] += 1
    cleaned, mended = clean(text)
    repairs.update(mended)
    return TextDocument(offset, cleaned, len(data), "" if cleaned else "no_text")
