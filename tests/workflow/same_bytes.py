"""What "the same bytes" means: two results folders hold the same files, but for what is listed here.

python tests/workflow/same_bytes.py RUN/results OTHER/results [--other-shards]
"""

import argparse
import fnmatch
import re
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

# Measured times and what shows them: the one list that the contract speaks of.
EXCLUDED = {
    "runtimes/*": "measured times and memory",
    "logs/*": "what programs say, times among it",
    "metrics/offload.tsv": "seconds",
    "tables/table_offload.*": "seconds",
    "metrics/latency.tsv": "seconds of forward passes, and what they make of predictions",
    "tables/table_3.*": "ratios of them",
    "tables/table_3_full.*": "ratios of them",
    "figures/figure_1.*": "ratios of them",
    "figures/figure_latency.*": "ratios of them",
    "models/*/train_log.tsv": "seconds, tokens a second and memory in its last columns",
    "*.provenance.json": "each holds the seconds that its file took",
}
# What one job writes of its shard; with another number of shards, only all shards together are the same.
BY_SHARD = {
    "corpus/shards/*.parquet": "rows",
    "corpus/sources/*.tsv": "rows",
    "corpus/repairs/*.tsv": "sums",
    "corpus/ledger/extract-*.tsv": "sums",
}
# The page shows the config, and in it the number of shards.
PAGE = "page/index.html"
SHARDS_SHOWN = re.compile(rb"^  shards: \d+$", re.MULTILINE)
# It also shows the tables and figures of measured times.
TIMES_SHOWN = re.compile(
    rb'<section aria-labelledby="(table_offload|table_3|table_3_full|figure_1|figure_latency)">.*?</section>',
    re.DOTALL,
)


def first_difference(left: Path, right: Path, other_shards: bool = False) -> str:
    """Where two results folders differ, "" where nowhere; litter counts, empty folders do not.

    `other_shards` compares runs that differ in corpus.shards: what each shard's job wrote is added up.
    """
    files = {folder: compared_files(folder, other_shards) for folder in (left, right)}
    for name in sorted(files[left] | files[right]):
        for folder in (left, right):
            if name not in files[folder]:
                return f"{name}: missing in {folder}"
        masks = [TIMES_SHOWN, *[SHARDS_SHOWN] * other_shards] if name == PAGE else []
        if difference := _difference(left / name, right / name, masks):
            return f"{name}: {difference}"
    return _first_sum(left, right) if other_shards else ""


def compared_files(folder: Path, other_shards: bool = False) -> set[str]:
    """Paths below a results folder that are to be the same bytes."""
    assert folder.is_dir(), f"{folder}: no results"
    patterns = [*EXCLUDED, *(BY_SHARD if other_shards else ())]
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    return {name for name in names if not any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)}


def _difference(left: Path, right: Path, masks: list[re.Pattern[bytes]]) -> str:
    one, other = left.read_bytes(), right.read_bytes()
    for mask in masks:
        one, other = (mask.sub(b"", content) for content in (one, other))
    if one == other:
        return ""
    places = (index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    start = next(places, min(len(one), len(other)))
    shown = (content[max(0, start - 20) : start + 20] for content in (one, other))
    return f"byte {start:,} of {len(one):,} and {len(other):,}: {' | '.join(map(repr, shown))}"


def _first_sum(left: Path, right: Path) -> str:
    for pattern, kind in BY_SHARD.items():
        one, other = (_together(sorted(folder.glob(pattern)), kind) for folder in (left, right))
        if one != other:
            return f"{pattern}: all shards together differ"
    return ""


def _together(files: list[Path], kind: str) -> object:
    """The rows of all files in order, or the sums of their number columns by the columns before these."""
    assert files, "a run has at least one shard"
    if files[0].suffix == ".parquet":
        rows = pa.concat_tables([pq.read_table(file) for file in files])
        return rows.sort_by([(name, "ascending") for name in ("language", "source", "offset")]).to_pylist()
    lines = [line.split("\t") for file in files for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    return lines if kind == "rows" else _sums(lines)


def _sums(rows: list[list[str]]) -> Counter[tuple[str, ...]]:
    sums: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        names = tuple(cell for cell in row if not cell.isdecimal())
        sums.update({(*names, str(place)): int(cell) for place, cell in enumerate(row[len(names) :])})
    return sums


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("results", nargs=2, type=Path)
    parser.add_argument("--other-shards", action="store_true", help="the runs differ in corpus.shards")
    args = parser.parse_args()
    difference = first_difference(*args.results, args.other_shards)
    print(difference or "the same bytes")
    sys.exit(bool(difference))


if __name__ == "__main__":
    main()
