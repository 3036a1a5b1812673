"""Counting pre-tokens of text files: the sufficient statistic from which all tokenizers are trained.

Pre-tokens of `whitespace` are cut and counted by Arrow, some texts at a time; those of `gpt2` are cut
from the distinct ones, since `gpt2` only cuts further. Counts are 64-bit. `memory_words` bounds memory, and
the file is the same bytes whatever the bound.
"""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from modtok.core.columns import numbers, of_numbers
from modtok.core.errors import require
from modtok.core.io import parquet_writer
from modtok.core.text_blocks import TextBlock, read_blocks
from modtok.core.texts import TextCounts
from modtok.tokenization.frequent_words import most_frequent
from modtok.tokenization.gpt2_arrays import gpt2_pretokens
from modtok.tokenization.pretoken_arrays import pretokens
from modtok.tokenization.sorted_runs import NO_WORDS, WORDS, WordSums, sort_by_count, summed
from modtok.tokenization.word_count_files import counts_schema

# Some 100 bytes each, with the copies that summing makes.
MEMORY_WORDS = 8_000_000
# Pre-tokens that are counted at once, and bytes of words that are cut further at once.
PRETOKENS, PART_BYTES = 1 << 21, 1 << 20
ROW_GROUP = 65_536


@dataclass
class CountReport:
    """What was counted."""

    texts: int = 0
    "lines of text files, rows of jsonl and parquet files"
    undecodable: int = 0
    "texts in which U+FFFD stands for what cannot be Unicode text"
    words: int = 0
    distinct_words: int = 0
    kept_words: int = 0
    "what of them the file has"
    kept_distinct_words: int = 0


def count_files(
    paths: Sequence[Path],
    pretokenization: str,
    out: Path,
    most: int | None = None,
    memory_words: int = MEMORY_WORDS,
) -> CountReport:
    """Count the pre-tokens of text files; write parquet with word and count, by falling count, then by word.

    `most`: different words to keep, the most frequent ones (see most_frequent); None: all. Errors: those of
    read_texts; files without any text; more words of the same count than `most`.

    count_files([Path("fr.txt.gz")], "whitespace", Path("fr.parquet")).distinct_words
    """
    seen = TextCounts()
    blocks = (block for path in paths for block in read_blocks(path, seen))
    schema = counts_schema(pretokenization)
    # zstd, and statistics that no reader asks for, would take a tenth of all the time
    with parquet_writer(out, schema, "snappy", statistics=False) as writer, _runs_folder(out) as folder:
        words = _word_sums(blocks, folder / "words", memory_words)
        if pretokenization == "gpt2":
            words = _gpt2_sums(words, folder / "gpt2", memory_words)
        report = CountReport()
        seen_words = _seen(sort_by_count(words, folder, memory_words), report)
        for group in _row_groups(seen_words if most is None else most_frequent(seen_words, most)):
            report.kept_distinct_words += group.num_rows
            report.kept_words += pc.sum(group["count"]).as_py()
            writer.write_table(group.cast(schema))
        # What is left out is counted, too.
        for _ in seen_words:
            pass
        names = ", ".join(map(str, paths))
        require(report.words > 0, f"{names}: no text to count; name files with text")
        alike = f"{names}: more than {most} words are seen equally often, and none more; keep more words"
        require(report.kept_words > 0, alike)
    report.texts, report.undecodable = seen.texts, seen.undecodable
    return report


def _seen(tables: Iterable[pa.Table], report: CountReport) -> Iterator[pa.Table]:
    """The tables, whose words the report counts as they pass."""
    for table in tables:
        report.distinct_words += table.num_rows
        report.words += pc.sum(table["count"]).as_py() or 0
        yield table


@contextmanager
def _runs_folder(out: Path) -> Iterator[Path]:
    """A place for runs beside the output; its name is fixed, so what a killed process left is removed."""
    folder = out.with_name(f".{out.name}.runs")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _word_sums(blocks: Iterable[TextBlock], folder: Path, memory_words: int) -> Iterator[pa.Table]:
    """Counts of the pre-tokens of `whitespace`."""
    sums = WordSums(folder, memory_words)
    cut: list[pa.Array] = []
    for block in blocks:
        cut.append(pretokens(block))
        if sum(map(len, cut)) > PRETOKENS:
            sums.add(_counted(cut))
            cut = []
    if cut:
        sums.add(_counted(cut))
    return sums.tables()


def _counted(words: list[pa.Array]) -> pa.Table:
    counted = pc.value_counts(pa.chunked_array(words))
    return pa.table([counted.field("values"), counted.field("counts").cast(pa.uint64())], schema=WORDS)


def _gpt2_sums(tables: Iterable[pa.Table], folder: Path, memory_words: int) -> Iterator[pa.Table]:
    """Counts of the pre-tokens of `gpt2`, from those of `whitespace`."""
    sums = WordSums(folder, memory_words)
    for part in chain.from_iterable(map(_parts, tables)):
        pieces, rows = gpt2_pretokens(part["word"].combine_chunks())
        counts = numbers(part["count"].combine_chunks())
        sums.add(summed(pa.table([pieces, of_numbers(counts[rows])], schema=WORDS)))
    return sums.tables()


def _parts(table: pa.Table) -> Iterator[pa.Table]:
    """The rows in tables whose words have some PART_BYTES together."""
    table = table.combine_chunks()
    before = np.cumsum(numbers(pc.binary_length(table["word"]).combine_chunks())) // PART_BYTES
    ends = [*(np.flatnonzero(np.diff(before)) + 1).tolist(), table.num_rows]
    return (table.slice(start, end - start) for start, end in pairwise([0, *ends]) if end > start)


def _row_groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The same rows in tables of ROW_GROUP rows, so that the file does not show where memory was full."""
    rest = NO_WORDS
    for table in tables:
        rest = pa.concat_tables([rest, table])
        while rest.num_rows >= ROW_GROUP:
            yield rest.slice(0, ROW_GROUP).combine_chunks()
            rest = rest.slice(ROW_GROUP)
    if rest.num_rows:
        yield rest.combine_chunks()
