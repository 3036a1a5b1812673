"""Tries of pieces and lattices of words."""

from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.tokenization.piece_trie import list_edges, room_to_segment, trie_of, words_of

PIECES = st.lists(st.text("ab\u0c05 ", min_size=1, max_size=4), max_size=12, unique=True)


def edges_of(word: str, pieces: list[str]) -> list[tuple[int, int, int]]:
    """(start, end, piece) of each edge, in the order in which they are listed."""
    trie, words = trie_of(pieces), words_of([word])
    room = room_to_segment(words, trie)
    bounds = (words.unit, words.start[0], words.end[0])
    list_edges(*bounds, trie.key, trie.child, trie.piece, trie.n_pieces, *room)
    first = room.first.tolist()
    spans = [(place, edge) for place in range(len(word)) for edge in range(first[place], first[place + 1])]
    return [(place, int(room.end[edge]), int(room.piece[edge])) for place, edge in spans]


def test_edges_by_start_then_length_with_an_unknown_one_where_a_character_is_no_piece():
    assert edges_of("aba", ["ba", "a", "aba"]) == [(0, 1, 1), (0, 3, 2), (1, 2, 3), (1, 3, 0), (2, 3, 1)]
    assert edges_of("ab", []) == [(0, 1, 0), (1, 2, 0)]
    assert edges_of("", ["a"]) == []


@settings(deadline=None)
@given(word=st.text("ab\u0c05 \U0001f600", max_size=9), pieces=PIECES)
def test_edges_are_all_pieces_at_all_places(word, pieces):
    wanted = [
        (start, end, pieces.index(word[start:end]) if word[start:end] in pieces else len(pieces))
        for start in range(len(word))
        for end in range(start + 1, len(word) + 1)
        if word[start:end] in pieces or end == start + 1
    ]
    assert edges_of(word, pieces) == wanted


def test_words_are_code_points_with_their_bounds():
    words = words_of(["ab", "", "\U0001f600"])
    assert [words.unit[a:b].tolist() for a, b in zip(words.start, words.end, strict=True)] == [
        [97, 98],
        [],
        [0x1F600],
    ]
