"""The pieces of a unigram vocabulary as a trie, and the edges of a word's lattice of segmentations; compiled.

An edge is a piece that stands at a place of the word. A character that no piece of one character matches
has one more edge, `unknown`, so that every word has a segmentation; files spell it in byte tokens.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from modtok.tokenization.alphabet import joined_characters
from modtok.tokenization.pair_table import NONE, find, put, room_for

# What SentencePiece and Hugging Face take off the lowest score for a character without a piece.
UNKNOWN_PENALTY = 10.0


class PieceTrie(NamedTuple):
    """Children by (node, code point); the root is node 0. Pieces are numbered in their order."""

    key: np.ndarray
    child: np.ndarray
    piece: np.ndarray
    "int32 by node: the piece that ends there, NONE where none does"
    n_pieces: int
    "also the number of the unknown edge"


class Words(NamedTuple):
    """Code points of all words in one array, with something between them that is in no word."""

    unit: np.ndarray
    "(units,) uint32"
    start: np.ndarray
    "(words,) int64: where each word starts"
    end: np.ndarray
    "(words,) int64: one past its last character"


class Room(NamedTuple):
    """Working space for the lattice of any one of the words."""

    first: np.ndarray
    "(longest word + 1,) int32: the first edge from each place; edges are sorted by their start"
    end: np.ndarray
    "(most edges,) int32: place in the word where an edge ends"
    piece: np.ndarray
    "(most edges,) int32"


def trie_of(pieces: Sequence[str]) -> PieceTrie:
    """The trie of distinct pieces, none of them empty. trie_of(["a", "ab"]).n_pieces -> 2"""
    words = words_of(pieces)
    spacious = room_for(int((words.end - words.start).sum()))
    nodes = _insert(words, *spacious, np.empty(spacious.key.size, np.int32))
    table, piece = room_for(nodes), np.full(nodes, NONE, np.int32)
    _insert(words, *table, piece)
    return PieceTrie(table.key, table.value, piece, len(pieces))


def words_of(words: Sequence[str]) -> Words:
    """The code points of words. words_of(["ab", "c"]).end - words_of(["ab", "c"]).start -> [2, 1]"""
    units, separator = joined_characters(words)
    cuts = np.flatnonzero(units == separator)
    return Words(units, cuts[:-1] + 1, cuts[1:])


def room_to_segment(words: Words, trie: PieceTrie) -> Room:
    """Working space for the lattice of each of the words."""
    longest = int((words.end - words.start).max(initial=0))
    most = _most_edges(words, trie)
    return Room(np.empty(longest + 1, np.int32), np.empty(most, np.int32), np.empty(most, np.int32))


@njit(cache=True)
def _insert(words, keys, children, piece):  # type: ignore[no-untyped-def]
    """Fill a table of children and the pieces by node; the number of nodes."""
    units, starts, ends = words.unit, words.start, words.end
    nodes = 1
    for number in range(starts.size):
        node = 0
        for place in range(starts[number], ends[number]):
            child = find(keys, children, node, units[place])
            if child == NONE:
                child = nodes
                nodes += 1
                put(keys, children, node, units[place], child)
            node = child
        piece[node] = number
    return nodes


@njit(cache=True, nogil=True)
def _most_edges(words, trie):  # type: ignore[no-untyped-def]
    """The most edges that one word has."""
    units, starts, ends = words.unit, words.start, words.end
    keys, children, pieces = trie.key, trie.child, trie.piece
    most = 0
    for word in range(starts.size):
        edges = ends[word] - starts[word]  # room for the unknown ones
        for start in range(starts[word], ends[word]):
            node = 0
            for place in range(start, ends[word]):
                node = find(keys, children, node, units[place])
                if node == NONE:
                    break
                edges += pieces[node] != NONE
        most = max(most, edges)
    return most


@njit(cache=True, nogil=True)
def list_edges(units, start, end, keys, children, pieces, unknown, first, edge_end, edge_piece):  # type: ignore[no-untyped-def]
    """Fill a Room's arrays with the edges of the word units[start:end], of each place by rising length."""
    edges = 0
    for place in range(start, end):
        first[place - start] = edges
        node = 0
        for last in range(place, end):
            node = find(keys, children, node, units[last])
            if last == place and (node == NONE or pieces[node] == NONE):
                edge_end[edges] = last + 1 - start
                edge_piece[edges] = unknown
                edges += 1
            if node == NONE:
                break
            if pieces[node] != NONE:
                edge_end[edges] = last + 1 - start
                edge_piece[edges] = pieces[node]
                edges += 1
    first[end - start] = edges
