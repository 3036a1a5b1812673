"""The hash table of pairs against a dict."""

from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.tokenization.pair_table import NONE, find, put, room_for

NUMBER = st.one_of(st.integers(0, 5), st.integers(0, 2**31 - 2))


@settings(deadline=None)
@given(
    st.dictionaries(st.tuples(NUMBER, NUMBER), st.integers(0, 2**31 - 1)),
    st.tuples(NUMBER, NUMBER),
)
def test_finds_what_was_put_and_nothing_else(pairs, other):
    table = room_for(len(pairs))
    for (first, second), value in pairs.items():
        put(table.key, table.value, first, second, value)
    for (first, second), value in [*pairs.items(), (other, pairs.get(other, NONE))]:
        assert find(table.key, table.value, first, second) == value


def test_the_last_value_of_a_pair_stays():
    table = room_for(1)
    for value in (7, 9):
        put(table.key, table.value, 0, 0, value)
    assert find(table.key, table.value, 0, 0) == 9
