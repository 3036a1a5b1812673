"""Compile the loop of BPE training ahead of time: python -m modtok.tokenization.native_build NAME LIBRARY.

numba's ahead-of-time compiler takes functions of arrays and numbers; those here unfold them into
bpe_state's tuples.
"""

import sys
from pathlib import Path

from numba.pycc import CC

from modtok.tokenization import adoption, bpe_loop
from modtok.tokenization.bpe_state import Candidates, Gathered, Merges, Pairs, Table, Tokens, Words

WORDS = "i4[::1], i4[::1], i8[::1]"
TOKENS = "i4[::1], i4[::1], i4[::1], u1[::1]"
MERGES = "i4[::1], i4[::1], i4[::1]"
PAIRS = "i8[::1], i8[::1], i4[::1], i4[::1], i4[::1], i8[::1], i4[::1], i8[::1]"
TABLE = "i8[::1], i4[::1]"
GATHERED = "i8[:, ::1], i8[:, ::1], i4[:, ::1], i4[:, ::1]"
CANDIDATES = "i4[::1], i8[::1], i8[::1]"
SEGMENT = f"i8[::1]({WORDS}, {TOKENS}, {MERGES})"
INDEX_PAIRS = f"Tuple(({TABLE}))({WORDS}, {TOKENS}, {PAIRS}, {TABLE})"
TRAIN = (
    f"Tuple((i8, {TABLE}))(i8, {WORDS}, {TOKENS}, {PAIRS}, {TABLE}, {GATHERED}, {CANDIDATES}, i8, i4[:, ::1])"
)


def segment(w0, w1, w2, t0, t1, t2, t3, m0, m1, m2):  # type: ignore[no-untyped-def]
    return adoption.segment(Words(w0, w1, w2), Tokens(t0, t1, t2, t3), Merges(m0, m1, m2))


def index_pairs(w0, w1, w2, t0, t1, t2, t3, p0, p1, p2, p3, p4, p5, p6, p7, h0, h1):  # type: ignore[no-untyped-def]
    pairs = Pairs(p0, p1, p2, p3, p4, p5, p6, p7)
    table = bpe_loop.index_pairs(Words(w0, w1, w2), Tokens(t0, t1, t2, t3), pairs, Table(h0, h1))
    return table.key, table.pair


def train(  # type: ignore[no-untyped-def]
    steps,
    w0,
    w1,
    w2,
    t0,
    t1,
    t2,
    t3,
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
    c0,
    c1,
    c2,
    min_frequency,
    banned,
):
    words, tokens, pairs = Words(w0, w1, w2), Tokens(t0, t1, t2, t3), Pairs(p0, p1, p2, p3, p4, p5, p6, p7)
    gathered, candidates = Gathered(g0, g1, g2, g3), Candidates(c0, c1, c2)
    taken, table = bpe_loop.train(
        steps, words, tokens, pairs, Table(h0, h1), gathered, candidates, min_frequency, banned
    )
    return taken, table.key, table.pair


def build(name: str, library: Path) -> None:
    """Compile and link module `name` into the file `library`, for any processor of this kind."""
    compiler = CC(name)
    compiler.output_dir = str(library.parent)
    compiler.output_file = library.name
    compiler.export("segment", SEGMENT)(segment)
    compiler.export("index_pairs", INDEX_PAIRS)(index_pairs)
    compiler.export("train", TRAIN)(train)
    compiler.compile()


if __name__ == "__main__":
    build(sys.argv[1], Path(sys.argv[2]))
