"""Base alphabets: their ids, their spelling, and which characters they hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers.pre_tokenizers import ByteLevel

from modtok.tokenization.alphabet import (
    BREAK,
    BYTE_SYMBOLS,
    BaseAlphabet,
    covering_characters,
    spelled_bytes,
    surface_of,
)


def test_byte_symbols_are_those_of_gpt2():
    assert set(BYTE_SYMBOLS) == set(ByteLevel.alphabet())
    assert BYTE_SYMBOLS[ord(" ")] == "Ġ"
    assert BYTE_SYMBOLS[0] == "Ā"


@given(st.binary())
def test_surfaces_and_bytes_are_each_other(token):
    assert spelled_bytes(surface_of(token)) == token


def test_a_surface_is_what_the_file_has():
    assert surface_of(" ж".encode()) == "ĠÐ¶"
    assert spelled_bytes("ĠÐ¶") == " ж".encode()
    assert spelled_bytes("東") is None


def test_bytes_are_numbered_by_their_symbols_after_the_special_tokens():
    tokens = BaseAlphabet("bytes").tokens
    assert tokens[:6] == ("<unk>", "<s>", "</s>", "<pad>", "!", '"')
    assert tokens[4:] == tuple(sorted(BYTE_SYMBOLS))


def test_characters_come_after_the_byte_tokens():
    alphabet = BaseAlphabet("characters", "aé")
    assert alphabet.tokens[4:6] == ("<0x00>", "<0x01>")
    assert alphabet.tokens[260:] == ("a", "é")
    assert alphabet.size == 258


def test_words_are_spelled_with_breaks_between_and_for_characters_outside():
    ids, lengths = BaseAlphabet("characters", "ab").spelling.spell(["ab", "", "axb"])
    assert ids.tolist() == [BREAK, 260, 261, BREAK, BREAK, 260, BREAK, 261, BREAK]
    assert lengths.tolist() == [2, 0, 3]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_spelled_bytes_are_the_utf8_of_the_word(word):
    alphabet = BaseAlphabet("bytes")
    ids, _ = alphabet.spelling.spell([word])
    symbols = "".join(alphabet.tokens[number] for number in ids[1:-1])
    assert bytes(BYTE_SYMBOLS.index(symbol) for symbol in symbols) == word.encode()


@pytest.mark.parametrize(
    ("coverage", "characters"),
    [(0.5, "a"), (0.6, "a"), (0.61, "ab"), (0.8, "ab"), (0.81, "abc"), (1.0, "abc")],
)
def test_the_alphabet_is_the_fewest_characters_that_cover_the_text_ties_to_the_smaller(coverage, characters):
    """Six a, two b and two c."""
    assert covering_characters(["cab", "aa"], np.array([2, 2]), coverage) == characters


def test_coverage_is_exact_where_floating_point_is_not():
    """0.9995 of 2 * 10^17 characters, to one character."""
    total, rare = 2 * 10**17, 10**14
    assert covering_characters(["a", "b"], np.array([total - rare, rare]), 0.9995) == "a"
    assert covering_characters(["a", "b"], np.array([total - rare - 1, rare + 1]), 0.9995) == "ab"
