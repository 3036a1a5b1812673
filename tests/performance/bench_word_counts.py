"""Throughput of counting words against `Counter(pattern.findall(text))`, one core, from file to counts.

python tests/performance/bench_word_counts.py [TEXT]    # without a text file: generated text
"""

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import regex

from modtok.core.texts import read_texts
from modtok.tokenization.pretokenization import PATTERNS
from modtok.tokenization.word_counts import count_files

REPEATS = 3
WORDS, DISTINCT_WORDS, LINE_WORDS = 1_000_000, 100_000, 20


def main() -> None:
    """Print, for each pre-tokenization, both throughputs and their ratio."""
    pa.set_cpu_count(1)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "text.txt")
        lines = read_texts(Path(sys.argv[1])) if len(sys.argv) > 1 else generated_lines()
        text.write_bytes("\n".join(lines).encode())
        for pretokenization, pattern in PATTERNS.items():
            report(pretokenization, pattern, text, Path(folder, "counts.parquet"))


def generated_lines() -> list[str]:
    """Words whose frequency falls as in natural text (Zipf), some with punctuation."""
    chance = random.Random(1)
    distinct = ["".join(chance.choices("abcdefghijklmnop", k=2 + n % 9)) for n in range(DISTINCT_WORDS)]
    distinct[::10] = [f"{word}," for word in distinct[::10]]
    weights = list(accumulate(1 / rank for rank in range(1, DISTINCT_WORDS + 1)))
    words = chance.choices(distinct, cum_weights=weights, k=WORDS)
    return [" ".join(words[start : start + LINE_WORDS]) for start in range(0, WORDS, LINE_WORDS)]


def report(pretokenization: str, pattern: str, text: Path, out: Path) -> None:
    """Print one line: megabytes a second of both, and ours over theirs."""
    compiled = regex.compile(pattern)
    theirs = seconds(lambda: Counter(compiled.findall(text.read_bytes().decode())))
    ours = seconds(lambda: count_files([text], pretokenization, out))
    size_mb = text.stat().st_size / 1e6
    speeds = f"ours {size_mb / ours:.1f} MB/s, Counter(findall) {size_mb / theirs:.1f} MB/s"
    print(f"word_counts {pretokenization}: {speeds}, ratio {theirs / ours:.2f}")


def seconds(work: Callable[[], object]) -> float:
    """The shortest processor time of some repeats: other programs' share of the machine does not count."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
