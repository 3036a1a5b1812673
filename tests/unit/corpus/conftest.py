"""Shards as the extraction step writes them, from literal rows."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

from modtok.core.io import write_parquet
from modtok.corpus.documents import DEDUPLICATED

Row = tuple[int, int, str, str]
"source, offset, label, text"
WriteShards = Callable[..., list[Path]]


def write_shard(path: Path, rows: Sequence[Row], row_group_size: int) -> Path:
    records = [
        {
            "record_id": f"<{source}:{offset}>",
            "url": f"https://example.org/{source}/{offset}",
            "warc": f"{source}.warc.gz",
            "source": source,
            "offset": offset,
            "language": label,
            "language_score": 0.75,
            "text": text,
        }
        for label, source, offset, text in sorted((row[2], row[0], row[1], row[3]) for row in rows)
    ]
    write_parquet(path, pa.Table.from_pylist(records, schema=DEDUPLICATED), row_group_size)
    return path


@pytest.fixture(scope="session")
def write_shards() -> WriteShards:
    """Write rows as shards that begin at the sources `starts` (and at 0)."""

    def write(
        folder: Path, rows: Sequence[Row], starts: Sequence[int] = (), row_group_size: int = 2
    ) -> list[Path]:
        bounds = [0, *sorted(set(starts)), 2**31]
        shards = []
        for index, (start, end) in enumerate(pairwise(bounds)):
            block = [row for row in rows if start <= row[0] < end]
            # Names that sort otherwise than the blocks: 10 before 9.
            shards.append(write_shard(folder / f"{index + 9}.parquet", block, row_group_size))
        return shards

    return write
