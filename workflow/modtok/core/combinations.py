"""Which languages are taken together, and in which orders they are learned: chosen by a seed."""

from collections.abc import Iterable, Sequence
from itertools import combinations

from modtok.core.seeds import derive

SIZES = (1, 2, 3, 4)
"Numbers of languages of the paper's Table 7."
Combination = tuple[str, ...]


def orders(langs: Sequence[str], number: int, seed: int) -> list[list[str]]:
    """The given order, the reverse, then shuffles; shuffle n is the same whatever the number of orders.

    orders(["bg", "el"], 2, 1) -> [["bg", "el"], ["el", "bg"]]
    """
    shuffles = (shuffled(langs, seed, n) for n in range(3, number + 1))
    return [list(langs), list(langs)[::-1], *shuffles][:number]


def shuffled(langs: Sequence[str], seed: int, n: int) -> list[str]:
    """A random order of distinct languages that does not depend on the order in which they are given."""
    return sorted(langs, key=lambda lang: derive(seed, "order", n, lang))


def choose_combinations(langs: Sequence[str], at_most: Iterable[int | None], seed: int) -> list[Combination]:
    """All single languages, then so many pairs, triples, quadruples at most, drawn at random; None: all.

    A combination has its languages in the given order. choose_combinations(["bg", "el"], [None], 1) ->
    [("bg",), ("el",), ("bg", "el")]
    """
    chosen: list[Combination] = [(lang,) for lang in langs]
    for size, most in zip(SIZES[1:], at_most, strict=False):
        every = list(combinations(langs, size))
        drawn = set(sorted(every, key=lambda one: derive(seed, "combination", *one))[:most])
        chosen += [one for one in every if one in drawn]
    return chosen
