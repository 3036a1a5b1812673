"""One language's documents out of all shards, each paragraph where it comes first (paper section 6.1).

A paragraph is a line of a document's text that is not blank. Two paragraphs are the same if they are equal
without the white space at their ends (`str.strip`), compared by an 8-byte blake2b of their UTF-8.
The one that comes first by (source, offset, paragraph) stays, as it is written; so the result depends on the
run's list of sources, but not on how it was cut into shards. Texts are read twice: once to hash, once to
write; in between there is one bit a paragraph.
"""

import heapq
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import repeat
from pathlib import Path
from tempfile import TemporaryFile

import pyarrow.parquet as pq

from modtok.core.errors import require
from modtok.core.stages import DEDUPLICATE, DEDUPLICATE_PARAGRAPHS, KEPT
from modtok.corpus.documents import DEDUPLICATED, Document, document_writer, read_label
from modtok.corpus.first_occurrences import HASH_BYTES, first_occurrences, iterate_bits
from modtok.corpus.ledger import Ledger

DUPLICATE = "duplicate"
NEAR_DUPLICATE = "near_duplicate"
EMPTY = "empty"
"a document without any paragraph"


def deduplicate(
    shards: Sequence[Path],
    out: Path,
    lang: str,
    labels: Sequence[str],
    *,
    unique: bool = True,
    is_copy: Callable[[str], bool] | None = None,
    may_be_empty: bool = False,
    memory_bytes: int = 1 << 30,
) -> Ledger:
    """Write the documents of `labels` in all shards to `out`, without repeated paragraphs; return the counts.

    `unique=False` keeps every paragraph (scope `none`); `is_copy` says which texts are near-duplicates of
    earlier ones; `memory_bytes` bounds the table of hashes, not the process. Ledger: bytes are those of the
    texts that came in. Error: no document in the language (with `may_be_empty` a warning).

    deduplicate([Path("0.parquet")], Path("hr.parquet"), "hr", ["hr", "sh"]).records("deduplicate")
    """
    first = _first_flags(shards, labels, out.parent, memory_bytes) if unique else repeat(True)
    ledger = Ledger()
    with document_writer(out, DEDUPLICATED) as writer:
        for document in select(shards, labels):
            kept = _keep(document, first, is_copy, lang, ledger)
            if kept:
                writer.add(replace(document, language=lang, text="\n".join(kept)))
        found = ledger.records(DEDUPLICATE, lang, KEPT) > 0
        require(found or may_be_empty, _nothing(lang, labels, len(shards)))
    if not found:
        warnings.warn(_nothing(lang, labels, len(shards)), stacklevel=2)
    return ledger


def _nothing(lang: str, labels: Sequence[str], n_shards: int) -> str:
    return (
        f"deduplicate: no text in '{lang}' (language-ID label {', '.join(labels)}) in {n_shards} shards; "
        f"add sources that have it, see the language-ID self-check (another model, label map or threshold), "
        f"remove '{lang}' from `languages`, or set corpus.language_id.floor.{lang} under 0.1 to go on without"
    )


def select(shards: Sequence[Path], labels: Sequence[str]) -> Iterator[Document]:
    """The documents with one of the labels, in the order of the run's sources, not of `shards`."""
    last = (-1, -1)
    for shard in sorted(shards, key=_first_source):
        for document in heapq.merge(*(read_label(shard, label) for label in labels), key=_place):
            require(
                last < document.place,
                f"{shard}: overlaps another shard or is not sorted; make the shards again",
            )
            last = document.place
            yield document


def _place(document: Document) -> tuple[int, int]:
    return document.place


def _first_source(shard: Path) -> int:
    """The smallest index of a source in a shard, from the file's statistics."""
    metadata = pq.read_metadata(shard)
    column = metadata.schema.to_arrow_schema().get_field_index("source")
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    return min((group.column(column).statistics.min for group in groups if group.num_rows), default=-1)


def paragraphs(text: str) -> list[str]:
    r"""The lines that are not blank, as they are written. paragraphs("a \n\nb") -> ["a ", "b"]."""
    return [line for line in text.split("\n") if line.strip()]


def paragraph_hash(paragraph: str) -> bytes:
    """8 bytes that name a paragraph, the same in every process."""
    return blake2b(paragraph.strip().encode(), digest_size=HASH_BYTES).digest()


def _first_flags(
    shards: Sequence[Path], labels: Sequence[str], folder: Path, memory_bytes: int
) -> Iterator[bool]:
    """For each paragraph in order: whether it comes for the first time.

    The file of hashes has no name, so that a killed process leaves nothing behind.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=folder) as file:
        for document in select(shards, labels):
            file.write(b"".join(map(paragraph_hash, paragraphs(document.text))))
        return iterate_bits(first_occurrences(file, memory_bytes))


def _keep(
    document: Document,
    first: Iterator[bool],
    is_copy: Callable[[str], bool] | None,
    lang: str,
    ledger: Ledger,
) -> list[str]:
    """The paragraphs of a document that stay, none where it goes; every one of them is counted."""
    found = paragraphs(document.text)
    kept = [paragraph for paragraph in found if next(first)]
    copied = bool(kept) and is_copy is not None and is_copy("\n".join(kept))
    outcome = NEAR_DUPLICATE if copied else KEPT if kept else DUPLICATE if found else EMPTY
    ledger.add(DEDUPLICATE, lang, outcome, size_bytes=len(document.text.encode()))
    kept_bytes = sum(len(paragraph.encode()) for paragraph in kept)
    dropped_bytes = sum(len(paragraph.encode()) for paragraph in found) - kept_bytes
    reason = NEAR_DUPLICATE if copied else KEPT
    ledger.add(DEDUPLICATE_PARAGRAPHS, lang, reason, records=len(kept), size_bytes=kept_bytes)
    ledger.add(
        DEDUPLICATE_PARAGRAPHS, lang, DUPLICATE, records=len(found) - len(kept), size_bytes=dropped_bytes
    )
    return [] if copied else kept
