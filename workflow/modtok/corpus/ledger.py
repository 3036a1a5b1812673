"""The ledger: for each stage and language, how many records and bytes ended in which outcome.

A record that enters a stage leaves it in exactly one outcome, `kept` or the reason why it was dropped, so the
sum of a stage's outcomes is what went in, and what one stage kept is what the next one takes in.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from modtok.core.io import read_tsv, write_tsv

COLUMNS = ("stage", "language", "outcome", "records", "bytes")


class Ledger:
    """Counts of outcomes. Ledger().add("read", "*", "not_html", size_bytes=812)"""

    def __init__(self) -> None:
        self._cells: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])

    def add(self, stage: str, language: str, outcome: str, *, records: int = 1, size_bytes: int = 0) -> None:
        """Count `records` records of `size_bytes` bytes in all."""
        cell = self._cells[stage, language, outcome]
        cell[0] += records
        cell[1] += size_bytes

    def records(self, stage: str, language: str | None = None, outcome: str | None = None) -> int:
        """Records of a stage, of one language and outcome or of all."""
        return sum(records for records, _ in self._select(stage, language, outcome))

    def size_bytes(self, stage: str, language: str | None = None, outcome: str | None = None) -> int:
        """Bytes of a stage, of one language and outcome or of all."""
        return sum(size_bytes for _, size_bytes in self._select(stage, language, outcome))

    def _select(self, stage: str, language: str | None, outcome: str | None) -> Iterator[list[int]]:
        for (of_stage, of_language, of_outcome), cell in self._cells.items():
            if of_stage == stage and language in (None, of_language) and outcome in (None, of_outcome):
                yield cell

    def languages(self, stage: str) -> list[str]:
        """Languages or labels that a stage has counted, sorted."""
        return sorted({language for of_stage, language, _ in self._cells if of_stage == stage})

    def __iter__(self) -> Iterator[tuple[str, str, str, int, int]]:
        """Stage, language, outcome, records, bytes: stages as they came, then by language and outcome."""
        stages = list(dict.fromkeys(stage for stage, _, _ in self._cells))
        for key in sorted(self._cells, key=lambda key: (stages.index(key[0]), *key[1:])):
            records, size_bytes = self._cells[key]
            yield *key, records, size_bytes

    def write(self, path: Path) -> None:
        """Write a TSV: stages in the order of their first record, then by language and outcome."""
        write_tsv(path, COLUMNS, (dict(zip(COLUMNS, row, strict=True)) for row in self))


def read_ledgers(paths: Iterable[Path]) -> Ledger:
    """The sum of ledgers, for example of all shards of a run."""
    total = Ledger()
    for path in paths:
        for row in read_tsv(path):
            total.add(
                row["stage"],
                row["language"],
                row["outcome"],
                records=int(row["records"]),
                size_bytes=int(row["bytes"]),
            )
    return total
