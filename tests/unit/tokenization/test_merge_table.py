"""Merge tables: properness, ancestors, restriction to a set of ids."""

import pytest

from modtok.tokenization.merge_table import MergeTable

# base tokens 4 a, 5 b, 6 c; results 7 ab, 8 abc, 9 bc
TABLE = MergeTable.of([(4, 5, 7), (7, 6, 8), (5, 6, 9)])


@pytest.mark.parametrize(
    ("merges", "proper"),
    [
        ([], True),
        ([(4, 5, 7), (7, 6, 8)], True),
        ([(7, 6, 8), (4, 5, 7)], False),  # the part ab comes after abc
        ([(4, 7, 7)], False),  # a token out of itself
        ([(4, 5, 7), (5, 6, 9), (7, 6, 8), (4, 9, 8)], True),  # abc has two splits
        ([(4, 5, 7), (7, 6, 8), (4, 9, 8), (5, 6, 9)], False),  # and one comes before its part bc
    ],
)
def test_a_table_is_proper_when_parts_come_earlier(merges, proper):
    assert MergeTable.of(merges).is_proper() is proper


def test_ancestors_are_all_tokens_of_a_derivation():
    assert TABLE.ancestors([8]) == [4, 5, 6, 7, 8]
    assert TABLE.ancestors([6, 9]) == [5, 6, 9]


def test_a_restricted_table_keeps_order_and_only_merges_whose_three_parts_are_in_the_set():
    small = TABLE.restricted([4, 5, 6, 7, 9])
    assert list(zip(small.left, small.right, small.result, strict=True)) == [(4, 5, 7), (5, 6, 9)]


def test_a_token_with_two_merges_is_seen():
    assert TABLE.has_one_merge_each()
    assert not MergeTable.of([(4, 5, 7), (5, 6, 9), (7, 6, 8), (4, 9, 8)]).has_one_merge_each()
