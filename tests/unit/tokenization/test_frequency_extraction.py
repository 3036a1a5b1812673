"""Which tokens of a joint tokenizer a language keeps."""

import numpy as np
import pytest

from modtok.core.errors import ConfigError
from modtok.tokenization.frequency_extraction import extract_by_frequency, most_frequent
from modtok.tokenization.unigram import UnigramModel
from modtok.tokenization.word_count_files import WordCounts

JOINT = UnigramModel(["a", "b", "ab", "c", "bc"], np.array([-2.0, -2.0, -2.5, -2.0, -3.0]))


def words(**counts: int) -> WordCounts:
    return WordCounts(list(counts), np.array(list(counts.values()), dtype=np.uint64))


def test_the_most_frequent_by_viterbi_with_all_byte_tokens_counted():
    """ab stands 5 + 2 times, c 3 + 2 times, a and b alone only in ba, once."""
    counts = {"xx": words(ab=5, c=3, abc=2, ba=1)}
    assert extract_by_frequency(JOINT, counts, budget=258)["xx"].tolist() == [*range(260), 262, 263]


def test_ties_go_to_the_smaller_id():
    assert most_frequent(np.array([5, 0, 9, 5, 5], dtype=np.uint64), 3).tolist() == [2, 0, 3]


def test_frequencies_beyond_63_bits_are_in_order():
    assert most_frequent(np.array([2**62, 2**63 + 1, 2**63], dtype=np.uint64), 2).tolist() == [1, 2]


def test_a_language_that_uses_fewer_tokens_warns_with_their_number():
    with pytest.warns(UserWarning, match="xx: uses only 257 of 260 tokens"):
        modules = extract_by_frequency(JOINT, {"xx": words(c=3)}, budget=260)
    assert modules["xx"].tolist() == [*range(260), 263]


def test_a_budget_that_only_bytes_fill_is_an_error():
    with pytest.raises(ConfigError, match="budget 256"):
        extract_by_frequency(JOINT, {"xx": words(c=3)}, budget=256)
