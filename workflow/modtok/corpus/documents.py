"""Documents on their way from the shards to one file per language: their columns, streams in and out.

A shard holds the pages of a block of the run's sources, sorted by language, then (source, offset). A
document's place in the run is (source, offset): the index of its file in the run's order of sources, its
offset in that file.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from modtok.core import columns
from modtok.core.io import parquet_writer

_ORIGIN = [("record_id", pa.string()), ("url", pa.string()), ("warc", pa.string())]
_TEXT = [("language", pa.string()), ("language_score", pa.float32()), ("text", pa.string())]
DEDUPLICATED = pa.schema([*_ORIGIN, ("source", pa.int32()), ("offset", pa.int64()), *_TEXT])
"columns of a language's documents after deduplication, those of a shard"
DOCUMENTS = pa.schema([*_ORIGIN, ("offset", pa.int64()), *_TEXT, ("quality_score", pa.float32())])
"columns of a language's documents after quality filtering"

# A row group ends at so many documents or characters, so a writer's memory does not depend on its input.
GROUP_DOCUMENTS = 65_536
GROUP_CHARACTERS = 16 << 20
# Rows decoded at a time: a page can have some megabytes.
BATCH_ROWS = 256
# Bytes of a column read ahead.
READ_BYTES = 1 << 20


@dataclass(slots=True)
class Document:
    """A page or a text with its origin; the fields are the columns."""

    record_id: str
    url: str
    warc: str
    source: int
    offset: int
    language: str
    "a label of the language-ID model in a shard, the language's code afterwards"
    language_score: float
    text: str
    "paragraphs separated by LF"
    quality_score: float | None = None

    @property
    def place(self) -> tuple[int, int]:
        """Where the document stands in the run; unique, and independent of the number of shards."""
        return self.source, self.offset


def read_language(path: Path) -> Iterator[Document]:
    """The documents of a language's file in their order."""
    with _open(path) as file:
        yield from _documents(file, list(range(file.num_row_groups)), label=None)


def read_label(shard: Path, label: str) -> Iterator[Document]:
    """The documents of a shard with one label; row groups without it are not read."""
    with _open(shard) as file:
        column = file.schema_arrow.get_field_index("language")
        chunks = [file.metadata.row_group(group).column(column) for group in range(file.num_row_groups)]
        groups = [group for group, chunk in enumerate(chunks) if _may_hold(chunk, label)]
        yield from _documents(file, groups, label)


def _open(path: Path) -> pq.ParquetFile:
    """Open for streaming: by default a whole row group is read ahead, however large its texts are."""
    return pq.ParquetFile(path, pre_buffer=False, buffer_size=READ_BYTES)


def _may_hold(chunk: pq.ColumnChunkMetaData, label: str) -> bool:
    statistics = chunk.statistics
    return statistics is None or not statistics.has_min_max or statistics.min <= label <= statistics.max


def _documents(file: pq.ParquetFile, groups: list[int], label: str | None) -> Iterator[Document]:
    batches = file.iter_batches(BATCH_ROWS, groups, DEDUPLICATED.names, use_threads=False)
    for batch in batches:
        for row in batch.to_pylist():
            if label is None or row["language"] == label:
                yield Document(**row)


class DocumentWriter:
    """Collects documents and writes them in row groups; see `document_writer`."""

    def __init__(self, writer: pq.ParquetWriter, schema: pa.Schema) -> None:
        self._writer = writer
        self._schema = schema
        self._rows: list[Document] = []
        self._characters = 0

    def add(self, document: Document) -> None:
        """Write a document, sooner or later."""
        self._rows.append(document)
        self._characters += len(document.text)
        if len(self._rows) >= GROUP_DOCUMENTS or self._characters >= GROUP_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Write what has been collected as one row group."""
        if self._rows:
            rows = {name: [getattr(row, name) for row in self._rows] for name in self._schema.names}
            self._writer.write_table(columns.table(rows, self._schema))
        self._rows, self._characters = [], 0


@contextmanager
def document_writer(path: Path, schema: pa.Schema) -> Iterator[DocumentWriter]:
    """A writer of documents whose file appears under `path` only when whole.

    with document_writer(path, DEDUPLICATED) as writer:
        writer.add(document)
    """
    with parquet_writer(path, schema) as parquet:
        writer = DocumentWriter(parquet, schema)
        yield writer
        writer.flush()
