"""EM of merged Unigram: one iteration over the union of languages against one SentencePiece training.

    python tests/performance/bench_em.py [COUNTS …] [--budget 12000] [--threads 1]

COUNTS: a file of word counts per language; without them a text is made (see bench_bpe) and its words are
dealt to three languages. Both run on one thread, in this process, from words in memory: SentencePiece trains
the first language, EM runs over the words of all.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from bench_bpe import make_text

from modtok.tokenization.em import Corpus, fit
from modtok.tokenization.merged_unigram import merge_unigrams
from modtok.tokenization.piece_trie import trie_of, words_of
from modtok.tokenization.unigram import train_unigram
from modtok.tokenization.word_count_files import WordCounts, read_counts
from modtok.tokenization.word_counts import count_files

ITERATIONS = 5
TARGET = 1.0
Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def made_counts(folder: Path) -> list[WordCounts]:
    """Word counts of three languages, dealt from one made text."""
    make_text(folder / "text.txt")
    count_files([folder / "text.txt"], "whitespace", folder / "counts.parquet")
    counts = read_counts([folder / "counts.parquet"])
    return [WordCounts(counts.words[n::3], counts.counts[n::3]) for n in range(3)]


def report(languages: list[WordCounts], joined: WordCounts, budget: int, threads: int) -> None:
    trained = [timed(lambda own=own: train_unigram(own, budget=budget).model) for own in languages]
    models = {str(number): model for number, (_, model) in enumerate(trained)}
    merged = merge_unigrams(models, joined, iterations=2)  # the first use compiles
    prepared, corpus = timed(
        lambda: Corpus.of(words_of(joined.words), joined.counts, trie_of(merged.model.pieces))
    )
    start = np.full(len(merged.model.pieces), 1 / len(merged.model.pieces))
    seconds, _ = timed(lambda: fit(corpus, start, iterations=ITERATIONS, tolerance=0, threads=threads))
    iteration = seconds / ITERATIONS
    sizes = f"{len(merged.model.pieces):,} pieces, {len(joined.words):,} words, {threads} thread(s)"
    print(f"EM, {sizes}: {prepared:.2f} s to prepare, {iteration:.2f} s an iteration")
    print("SentencePiece:", ", ".join(f"{seconds:.2f} s" for seconds, _ in trained))
    ratio = min(seconds for seconds, _ in trained) / iteration
    print(f"fastest SentencePiece training over one iteration: {ratio:.2f} (target {TARGET:.2f})")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", nargs="*", type=Path)
    parser.add_argument("--budget", type=int, default=12_000)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args(argv)
    if args.counts:
        languages, joined = [read_counts([path]) for path in args.counts], read_counts(args.counts)
        report(languages, joined, args.budget, args.threads)
        return
    with tempfile.TemporaryDirectory() as name:
        languages = made_counts(Path(name))
        report(languages, read_counts([Path(name, "counts.parquet")]), args.budget, args.threads)


if __name__ == "__main__":
    main()
