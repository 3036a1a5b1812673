"""Frequency-based extraction: a language's part of a joint Unigram tokenizer is what it uses most.

Paper section 4.1 and A.3.3: the k most frequent tokens of the joint tokenizer on the language's words. Byte
tokens are always kept and counted in k; ties go to the smaller id; a token that the words never use is not
kept.
"""

import warnings
from collections.abc import Mapping

import numpy as np

from modtok.core.errors import ConfigError, require
from modtok.tokenization.modular_unigram import module
from modtok.tokenization.piece_trie import trie_of, words_of
from modtok.tokenization.pretokenization import BYTE_TOKENS
from modtok.tokenization.unigram import UnigramModel
from modtok.tokenization.viterbi import piece_frequencies
from modtok.tokenization.word_count_files import WordCounts


def extract_by_frequency(
    joint: UnigramModel, counts: Mapping[str, WordCounts], *, budget: int
) -> dict[str, np.ndarray]:
    """Language -> sorted ids of `budget` tokens (specials not counted), byte tokens included.

    A language that uses fewer tokens gives a warning with the number. Error: a budget that only bytes fill.

    extract_by_frequency(joint, {"fi": read_counts([Path("fi.parquet")])}, budget=24000)["fi"]
    """
    room = budget - len(BYTE_TOKENS)
    require(room > 0, f"budget {budget}: the byte tokens alone are {len(BYTE_TOKENS)}; raise it", ConfigError)
    trie, modules = trie_of(joint.pieces), {}
    for lang, words in counts.items():
        frequency = piece_frequencies(words_of(words.words), words.counts, trie, joint.scores)
        chosen = most_frequent(frequency, room)
        if len(chosen) < min(room, len(joint.pieces)):
            used = f"uses only {len(chosen) + len(BYTE_TOKENS)} of {budget} tokens, bytes included"
            warnings.warn(f"{lang}: {used}; a larger joint tokenizer has more", stacklevel=2)
        modules[lang] = module(chosen)
    return modules


def most_frequent(frequency: np.ndarray, most: int) -> np.ndarray:
    """The numbers of the `most` most frequent, ties to the smaller one, none of frequency 0.

    most_frequent(np.array([5, 0, 9, 5], dtype=np.uint64), 2) -> [2, 0]
    """
    order = np.lexsort((np.arange(len(frequency)), np.iinfo(np.uint64).max - frequency))
    return order[: min(most, int(np.count_nonzero(frequency)))]
