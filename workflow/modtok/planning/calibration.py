"""The speed of this machine: short pieces of the work that a run has, timed by processor time.

Each piece is the same work everywhere (`synthetic`), so its seconds over those of the reference machine say
how many times as long this machine takes for work of that kind. Other programs that run meanwhile change
processor time little, and waiting time not at all.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from modtok.planning.synthetic import counts, lines, words

REFERENCE = {
    "start": 0.185,
    "text": 0.105,
    "loop": 0.205,
    "pieces": 1.85,
    "em": 0.067,
    "encode": 0.13,
    "pages": 0.375,
}
"""Processor seconds of each piece on the reference machine, on which costs.tsv was measured: one core of a
Xeon
of 2023, Python 3.11."""
_LOADED = "import numpy, pyarrow.parquet, tokenizers"
Machine = dict[str, float]
"kind of work -> how many times as long as the reference machine this one takes"


def calibrate() -> Machine:
    """Time every piece, some ten seconds in all. calibrate()["loop"] -> 1.1"""
    return {name: piece() / REFERENCE[name] for name, piece in PIECES.items()}


def _least(work: Callable[[], object], times: int) -> float:
    """The least processor seconds of some runs of the work; what is loaded or compiled once is in none."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def _start() -> float:
    """A process that loads what most jobs load."""
    return min(_of_child([sys.executable, "-c", _LOADED]) for _ in range(3))


def _of_child(command: list[str]) -> float:
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def _text() -> float:
    """Counting the words of a text."""
    from modtok.tokenization.word_counts import count_files

    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        text.write_text("\n".join(lines(80_000)), encoding="utf-8")
        return _least(lambda: count_files([text], "whitespace", text.with_suffix(".parquet")), 3)


def _loop() -> float:
    """The loop of BPE training."""
    from modtok.tokenization.bpe import train_bpe
    from modtok.tokenization.word_count_files import WordCounts

    counted = WordCounts(words(60_000), counts(60_000))
    return _least(lambda: train_bpe(counted, budget=12_000, min_frequency=1), 3)


def _pieces() -> float:
    """SentencePiece's training of Unigram pieces."""
    from modtok.tokenization.unigram import train_unigram
    from modtok.tokenization.word_count_files import WordCounts

    counted = WordCounts(words(20_000), counts(20_000))
    return _least(lambda: train_unigram(counted, budget=4_000), 1)


def _em() -> float:
    """An E-step of the merged Unigram tokenizer."""
    from modtok.tokenization.em import Corpus, expected_counts
    from modtok.tokenization.piece_trie import trie_of, words_of

    known = words(40_000)
    pieces = list(
        dict.fromkeys([*"".join(known), *(word[:5] for word in known), *(word[-4:] for word in known)])
    )
    corpus = Corpus.of(words_of(known), counts(len(known)), trie_of(pieces))
    probability = np.full(len(pieces), 1 / len(pieces))
    with ThreadPoolExecutor(1) as pool:
        return _least(lambda: expected_counts(corpus, probability, -30.0, pool), 4)


def _encode() -> float:
    """Loading a tokenizer, and its encoding of lines."""
    from modtok.tokenization.bpe import train_bpe
    from modtok.tokenization.loading import from_json
    from modtok.tokenization.word_count_files import WordCounts

    trained = train_bpe(WordCounts(words(30_000), counts(30_000)), budget=20_000, min_frequency=1)
    content, text = trained.tokenizer_json("whitespace"), lines(2_000)
    return _least(lambda: from_json(content, "calibration").count_batch(text), 3)


def _pages() -> float:
    """Text of pages, and their language."""
    from modtok.corpus.extraction import extract_page
    from modtok.corpus.language_id import Identifier

    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><body>"
    paragraphs = [f"<div><p class=a>{line}</p><a href=b>{line[:20]}</a></div>" for line in lines(8_000)]
    pages = [head + "".join(paragraphs[at : at + 40]).encode() for at in range(0, len(paragraphs), 40)]
    identifier = Identifier()
    return _least(lambda: [identifier.identify(extract_page(page).text) for page in pages], 3)


PIECES: dict[str, Callable[[], float]] = {
    "start": _start,
    "text": _text,
    "loop": _loop,
    "pieces": _pieces,
    "em": _em,
    "encode": _encode,
    "pages": _pages,
}
