"""Sampling of segmentations (subword regularization), for whoever builds batches.

Unigram: a segmentation x of each pre-token with probability in proportion to P(x)^(1/temperature), by the
filtering-and-sampling of Kudo (2018), run as in a mirror: filter from the end, sample from the start.
BPE: dropout (Provilkov et al., 2020): before each merge, each place where a merge is possible is passed over
with the probability `dropout`; the lowest rank of the others is merged, the leftmost of equal ones.

Temperature 0 and dropout 0 give the canonical segmentation. Text is only text, as in `loading`.
"""

import json
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numba import njit
from tokenizers import Tokenizer

from modtok.core.errors import ConfigError, DataError, require
from modtok.tokenization.bpe_file import read_bpe
from modtok.tokenization.loading import parse_tokenizer, refuse_surrogates
from modtok.tokenization.pair_table import NONE, find, put, room_for
from modtok.tokenization.piece_trie import UNKNOWN_PENALTY, list_edges, room_to_segment, trie_of, words_of
from modtok.tokenization.pretokenization import BYTE_TOKENS

# The work of dropout grows with the square of a pre-token's length: longer ones are segmented canonically.
LONGEST = 4096


class Sampler(Protocol):
    """A tokenizer that segments a text by chance. Example: sampler_of(tokenizer_json, "bpe", dropout=0.1)."""

    def sample(self, text: str, rng: np.random.Generator) -> list[int]:
        """Ids that spell the text; the next call with the same generator draws anew."""


def sampler_of(
    tokenizer_json: dict[str, Any], name: str, *, temperature: float = 0.0, dropout: float = 0.0
) -> Sampler:
    """A sampler over the content of a tokenizer.json: Unigram takes the temperature, BPE the dropout.

    `name` stands for the file in errors: another kind of tokenizer, a setting out of range.

    sampler_of(modular.extract(["fr"]).tokenizer_json, "sequential-bpe+fr", dropout=0.1)
    """
    kind = tokenizer_json["model"].get("type")
    require(kind in ("Unigram", "BPE"), f"{name}: a {kind} tokenizer; only Unigram and BPE can be sampled")
    tokenizer = parse_tokenizer(Path(name), json.dumps(tokenizer_json, ensure_ascii=False))
    if kind == "Unigram":
        return UnigramSampler(tokenizer_json, tokenizer, temperature)
    return BPESampler(tokenizer_json, tokenizer, dropout)


class UnigramSampler:
    """A Sampler over a Unigram tokenizer.json."""

    def __init__(self, tokenizer_json: dict[str, Any], tokenizer: Tokenizer, temperature: float) -> None:
        require(temperature >= 0, f"temperature {temperature}: must not be negative", ConfigError)
        self._tokenizer, self._temperature = tokenizer, temperature
        vocabulary = tokenizer_json["model"]["vocab"]
        # names of byte and special tokens match no pre-token: see pretokenization.NAME_GUARD
        self._trie = trie_of([piece for piece, _ in vocabulary])
        scores = np.array([score for _, score in vocabulary])
        self._scores = np.append(scores, scores.min() - UNKNOWN_PENALTY)
        numbers = {piece: number for number, (piece, _) in enumerate(vocabulary)}
        missing = [name for name in BYTE_TOKENS if name not in numbers]
        require(
            not missing, f"the tokenizer has no byte token {', '.join(missing[:1])}; it cannot be sampled"
        )
        self._bytes = [numbers[name] for name in BYTE_TOKENS]

    def sample(self, text: str, rng: np.random.Generator) -> list[int]:
        """Ids that spell the text."""
        if self._temperature == 0:
            refuse_surrogates([text])
            return self._tokenizer.encode(text, add_special_tokens=False).ids
        words = words_of(pretokens(self._tokenizer, text))
        pieces, places = np.empty((2, words.unit.size), np.int32)
        scores = self._scores / self._temperature
        made = _sample(words, self._trie, scores, room_to_segment(words, self._trie), rng, pieces, places)
        ids: list[int] = []
        for piece, place in zip(pieces[:made].tolist(), places[:made].tolist(), strict=True):
            ids += [piece] if piece < self._trie.n_pieces else self._spelled(chr(words.unit[place]))
        return ids

    def _spelled(self, character: str) -> list[int]:
        return [self._bytes[byte] for byte in character.encode()]


class BPESampler:
    """A Sampler over a BPE tokenizer.json."""

    def __init__(self, tokenizer_json: dict[str, Any], tokenizer: Tokenizer, dropout: float) -> None:
        require(0 <= dropout <= 1, f"dropout {dropout}: must be from 0 to 1", ConfigError)
        self._tokenizer, self._dropout, self._file = tokenizer, dropout, read_bpe(tokenizer_json)
        self._ranks = room_for(len(self._file.table))
        _number(self._file.table.left, self._file.table.right, *self._ranks)

    def sample(self, text: str, rng: np.random.Generator) -> list[int]:
        """Ids that spell the text. Error: a character that the tokenizer has no tokens for."""
        spelled = [self._units(word) for word in pretokens(self._tokenizer, text)]
        ids = np.fromiter(chain.from_iterable(spelled), dtype=np.int32)
        ends = np.cumsum([0, *map(len, spelled)])
        return ids[: _merge(ids, ends, *self._ranks, self._file.table.result, self._dropout, rng)].tolist()

    def _units(self, word: str) -> list[int]:
        """Base ids of a pre-token; of a long one the canonical ids, which no merge joins any more."""
        if len(word) > LONGEST:
            return [token.id for token in self._tokenizer.model.tokenize(word)]
        units = self._file.units(word)
        if units is None:
            raise DataError(f"{word!r}: the tokenizer has no tokens for a character of it")
        return units


def pretokens(tokenizer: Tokenizer, text: str) -> list[str]:
    """The units that are segmented, as the tokenizer's model gets them. Error: a lone surrogate."""
    refuse_surrogates([text])
    normal = text if tokenizer.normalizer is None else tokenizer.normalizer.normalize_str(text)
    if tokenizer.pre_tokenizer is None:
        return [normal]
    return [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normal)]


@njit(cache=True)
def _number(left, right, keys, ranks):  # type: ignore[no-untyped-def]
    """Fill a table of the rank of each pair."""
    for rank in range(left.size):
        put(keys, ranks, left[rank], right[rank], rank)


@njit(cache=True)
def _merge(ids, ends, keys, ranks, results, dropout, rng):  # type: ignore[no-untyped-def]
    """Merge the ids of each pre-token, bounded by `ends`, and move them to the front; how many are left."""
    made = 0
    for word in range(ends.size - 1):
        left = ends[word + 1] - ends[word]
        for place in range(left):
            ids[made + place] = ids[ends[word] + place]
        made += _merge_word(ids[made : made + left], keys, ranks, results, dropout, rng)
    return made


@njit(cache=True)
def _merge_word(ids, keys, ranks, results, dropout, rng):  # type: ignore[no-untyped-def]
    """Merge the ids of a pre-token in their array; how many are left.

    Whether a place is passed over is only drawn where it would be chosen: the others make no difference.
    """
    left = ids.size
    while True:
        lowest, chosen = NONE, 0
        for place in range(left - 1):
            rank = find(keys, ranks, ids[place], ids[place + 1])
            if rank != NONE and (lowest == NONE or rank < lowest) and rng.random() >= dropout:
                lowest, chosen = rank, place
        if lowest == NONE:
            return left
        ids[chosen] = results[lowest]
        for place in range(chosen + 1, left - 1):
            ids[place] = ids[place + 1]
        left -= 1


@njit(cache=True)
def _sample(words, trie, scores, room, rng, pieces, places):  # type: ignore[no-untyped-def]
    """Fill `pieces` with segmentations of the words, `places` with where each piece starts; how many."""
    units, starts, ends = words.unit, words.start, words.end
    first, edge_end, edge_piece = room.first, room.end, room.piece
    after = np.empty(first.size)
    made = 0
    for word in range(starts.size):
        start, length = starts[word], ends[word] - starts[word]
        list_edges(
            units,
            start,
            ends[word],
            trie.key,
            trie.child,
            trie.piece,
            trie.n_pieces,
            first,
            edge_end,
            edge_piece,
        )
        _filter(length, first, edge_end, edge_piece, scores, after)
        place = 0
        while place < length:
            edge = _draw(place, first, edge_end, edge_piece, scores, after, rng)
            pieces[made] = edge_piece[edge]
            places[made] = start + place
            made += 1
            place = edge_end[edge]
    return made


@njit(cache=True)
def _filter(length, first, edge_end, edge_piece, scores, after):  # type: ignore[no-untyped-def]
    """Fill after[i] with the logarithm of the summed weights of all segmentations of what follows place i."""
    after[length] = 0.0
    for place in range(length - 1, -1, -1):
        highest = -np.inf
        for edge in range(first[place], first[place + 1]):
            highest = max(highest, scores[edge_piece[edge]] + after[edge_end[edge]])
        total = 0.0
        for edge in range(first[place], first[place + 1]):
            total += np.exp(scores[edge_piece[edge]] + after[edge_end[edge]] - highest)
        after[place] = highest + np.log(total)


@njit(cache=True)
def _draw(place, first, edge_end, edge_piece, scores, after, rng):  # type: ignore[no-untyped-def]
    """An edge from a place, with the probability that a segmentation of what follows begins with it."""
    rest = rng.random()
    last = first[place + 1] - 1
    for edge in range(first[place], last):
        rest -= np.exp(scores[edge_piece[edge]] + after[edge_end[edge]] - after[place])
        if rest < 0:
            return edge
    return last
