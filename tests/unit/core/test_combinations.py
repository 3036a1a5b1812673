"""Orders and combinations of languages, drawn by a seed."""

from itertools import combinations

from modtok.core.combinations import choose_combinations, orders, shuffled

LANGS = ["bg", "el", "en", "fi", "fr", "te"]


def test_orders_are_the_given_one_its_reverse_and_shuffles() -> None:
    found = orders(LANGS, 4, seed=1)
    assert found[:2] == [LANGS, LANGS[::-1]]
    assert all(sorted(order) == sorted(LANGS) for order in found)
    assert len({tuple(order) for order in found}) == 4
    assert orders(LANGS, 1, seed=1) == [LANGS]


def test_a_shuffle_depends_on_the_seed_and_its_number_alone() -> None:
    assert shuffled(LANGS, 1, 3) == shuffled(LANGS[::-1], 1, 3) == orders(LANGS, 9, 1)[2]
    assert shuffled(LANGS, 1, 3) != shuffled(LANGS, 2, 3)


def test_all_pairs_and_so_many_larger_ones() -> None:
    chosen = choose_combinations(LANGS, [None, 4, 2], seed=1)
    by_size = {size: [one for one in chosen if len(one) == size] for size in range(1, 5)}
    assert by_size[1] == [(lang,) for lang in LANGS]
    assert by_size[2] == list(combinations(LANGS, 2))
    assert [len(by_size[3]), len(by_size[4])] == [4, 2]
    assert by_size[3] != list(combinations(LANGS, 3))[:4]


def test_more_combinations_keep_those_of_fewer() -> None:
    few, many = (set(choose_combinations(LANGS, [n, n, n], seed=1)) for n in (2, 5))
    assert few < many


def test_fewer_languages_than_a_combination_has_give_none() -> None:
    assert choose_combinations(["el"], [None, 5, 5], seed=1) == [("el",)]
