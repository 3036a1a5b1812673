"""Cutting by classes of characters is cutting by the pattern."""

import unicodedata

import pyarrow as pa
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.tokenization.gpt2_arrays import gpt2_pretokens
from modtok.tokenization.pretokenization import PATTERNS, split, split_word

# Letters, numbers, marks, joiners and others of one to four bytes, white space, unassigned characters.
CHARACTERS = (
    *" aZ5.-_",
    *"'’\xa0\u3000\n\x1c\x00\u200d\u0301\u0345",
    *"éж०क्½Ⅷ中“\U0001d7d8\U0001f600\U00010400",
    *"\u0378\U000e0fff\ue000",
    *("'s", "'ll", "'t", " '"),
)
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.sampled_from(CHARACTERS)).map("".join)
)
word_lists = st.lists(texts, min_size=1).map(
    lambda t: [word for text in t for word in split(text, "whitespace")]
)


def cut(words: list[str]) -> list[list[str]]:
    """The pieces of each word."""
    pieces, rows = gpt2_pretokens(pa.array(words, pa.large_string()))
    pieces.validate(full=True)
    of_words: list[list[str]] = [[] for _ in words]
    for piece, row in zip(pieces.to_pylist(), rows.tolist(), strict=True):
        of_words[row].append(piece)
    return of_words


@settings(max_examples=300, deadline=None)  # the first word loads a library
@given(word_lists.filter(bool))
def test_pieces_equal_those_of_each_word(words: list[str]) -> None:
    assert cut(words) == [split_word(word) for word in words]


@settings(deadline=None)
@given(texts.filter(bool))
def test_pieces_equal_the_pattern_on_characters_both_unicode_versions_know(text: str) -> None:
    known = "".join(c for c in text if unicodedata.category(c) != "Cn") or "none"
    pieces = [piece for word in cut(split(known, "whitespace")) for piece in word]
    assert pieces == regex.findall(PATTERNS["gpt2"], known)


def test_a_part_of_a_column() -> None:
    words = pa.array(["not", " this", "it's", " 5th", " nor"], pa.large_string()).slice(2, 2)
    pieces, rows = gpt2_pretokens(words)
    assert (pieces.to_pylist(), rows.tolist()) == ([" 5", "th", "it", "'s"], [1, 1, 0, 0])


@pytest.mark.parametrize("words", [["'"], ["it's"], ["a"], [" "], ["\n\n"], ["\u0378"]])
def test_a_word_alone(words: list[str]) -> None:
    assert cut(words) == [split_word(word) for word in words]


def test_every_character_is_of_the_class_that_the_pattern_gives_it() -> None:
    """Between a letter, a number and another, each character shows its class by where the cuts are."""
    known = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) not in ("Cn", "Cs")]
    words = [f" a{c}1{c}." for c in known if not c.isspace() and c != "'"]
    pieces, _ = gpt2_pretokens(pa.array(words, pa.large_string()))
    assert pieces.to_pylist() == regex.findall(PATTERNS["gpt2"], "".join(words))
