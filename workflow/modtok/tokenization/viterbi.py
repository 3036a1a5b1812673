"""How often each piece stands in the best segmentations of counted words, compiled.

The best segmentation as Hugging Face and SentencePiece find it: highest sum of scores, an unknown edge at the
lowest score less 10, and of equal ones, at each place of the word, the one whose last piece is longest.
"""

import numpy as np
from numba import njit

from modtok.tokenization.piece_trie import UNKNOWN_PENALTY, PieceTrie, Words, list_edges, room_to_segment


def piece_frequencies(words: Words, counts: np.ndarray, trie: PieceTrie, scores: np.ndarray) -> np.ndarray:
    """Occurrences of each piece in the words with their counts: (pieces,) uint64."""
    weights = np.append(scores, scores.min() - UNKNOWN_PENALTY)
    frequency = np.zeros(len(weights), np.uint64)
    _add_best(words, counts.astype(np.uint64), trie, weights, room_to_segment(words, trie), frequency)
    return frequency[: trie.n_pieces]


@njit(cache=True, nogil=True)
def _add_best(words, counts, trie, scores, room, frequency):  # type: ignore[no-untyped-def]
    units, starts, ends = words.unit, words.start, words.end
    keys, children, pieces, unknown = trie.key, trie.child, trie.piece, trie.n_pieces
    first, edge_end, edge_piece = room.first, room.end, room.piece
    best, last = np.empty(first.size), np.empty(first.size, np.int32)
    for word in range(starts.size):
        length = ends[word] - starts[word]
        list_edges(
            units, starts[word], ends[word], keys, children, pieces, unknown, first, edge_end, edge_piece
        )
        find_best(length, first, edge_end, edge_piece, scores, best, last)
        place = length
        while place > 0:
            frequency[edge_piece[last[place]]] += counts[word]
            place = start_of(first, last[place], place)


@njit(cache=True, nogil=True)
def find_best(length, first, edge_end, edge_piece, scores, best, last):  # type: ignore[no-untyped-def]
    """Fill best[i], the highest score of the first i characters, and last[i], the last edge on the way."""
    best[: length + 1] = -np.inf
    best[0] = 0.0
    for place in range(length):
        for edge in range(first[place], first[place + 1]):
            score = best[place] + scores[edge_piece[edge]]
            if score > best[edge_end[edge]]:
                best[edge_end[edge]] = score
                last[edge_end[edge]] = edge


@njit(cache=True, nogil=True)
def start_of(first, edge, end):  # type: ignore[no-untyped-def]
    """Where an edge starts that ends at `end`."""
    start = end - 1
    while first[start] > edge:
        start -= 1
    return start
