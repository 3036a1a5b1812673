"""Compile the loop of BPE training ahead of time: python -m modtok.tokenization.native_build NAME LIBRARY.

numba's ahead-of-time compiler takes functions of arrays and numbers; the two here unfold them into
bpe_state's tuples.
"""

import sys
from pathlib import Path

from numba.pycc import CC

from modtok.tokenization import bpe_loop
from modtok.tokenization.bpe_state import Gathered, Pairs, Table, Tokens, Words

WORDS = "i4[::1], i4[::1], i8[::1]"
TOKENS = "i4[::1], i4[::1], i4[::1]"
PAIRS = "i8[::1], i8[::1], i4[::1], i4[::1], i4[::1], i8[::1], i4[::1], i8[::1]"
TABLE = "i8[::1], i4[::1]"
GATHERED = "i8[:, ::1], i8[:, ::1], i4[:, ::1], i4[:, ::1]"
INDEX_PAIRS = f"Tuple(({TABLE}))({WORDS}, {TOKENS}, {PAIRS}, {TABLE})"
TRAIN = f"Tuple((i8, {TABLE}))(i8, {WORDS}, {TOKENS}, {PAIRS}, {TABLE}, {GATHERED}, i8, i4[:, ::1])"


def index_pairs(w0, w1, w2, t0, t1, t2, p0, p1, p2, p3, p4, p5, p6, p7, h0, h1):  # type: ignore[no-untyped-def]
    pairs = Pairs(p0, p1, p2, p3, p4, p5, p6, p7)
    table = bpe_loop.index_pairs(Words(w0, w1, w2), Tokens(t0, t1, t2), pairs, Table(h0, h1))
    return table.key, table.pair


def train(  # type: ignore[no-untyped-def]
    merges,
    w0,
    w1,
    w2,
    t0,
    t1,
    t2,
    p0,
    p1,
    p2,
    p3,
    p4,
    p5,
    p6,
    p7,
    h0,
    h1,
    g0,
    g1,
    g2,
    g3,
    min_frequency,
    banned,
):
    words, tokens, pairs = Words(w0, w1, w2), Tokens(t0, t1, t2), Pairs(p0, p1, p2, p3, p4, p5, p6, p7)
    gathered = Gathered(g0, g1, g2, g3)
    made, table = bpe_loop.train(merges, words, tokens, pairs, Table(h0, h1), gathered, min_frequency, banned)
    return made, table.key, table.pair


def build(name: str, library: Path) -> None:
    """Compile and link module `name` into the file `library`, for any processor of this kind."""
    compiler = CC(name)
    compiler.output_dir = str(library.parent)
    compiler.output_file = library.name
    compiler.export("index_pairs", INDEX_PAIRS)(index_pairs)
    compiler.export("train", TRAIN)(train)
    compiler.compile()


if __name__ == "__main__":
    build(sys.argv[1], Path(sys.argv[2]))
