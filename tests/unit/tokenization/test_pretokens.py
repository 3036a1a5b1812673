"""Pre-tokens as a tokenizer.json cuts them, whatever its pre-tokenizer does to a character."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modtok.tokenization.alphabet import BYTE_SYMBOLS
from modtok.tokenization.hf_format import bpe_json
from modtok.tokenization.pretokens import Pretokens, split_again
from modtok.tokenization.word_count_files import WordCounts

GPT2 = bpe_json("bytes", "gpt2", BYTE_SYMBOLS, [])
LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}


def split_step(pattern: str) -> dict:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def cutting(*steps: dict, normalizer: dict | None = None) -> dict:
    return {
        **GPT2,
        "normalizer": normalizer,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": list(steps)},
    }


def counted(**counts: int) -> WordCounts:
    return WordCounts([*counts], np.array([*counts.values()], dtype=np.uint64), "words")


TWO_BYTES = cutting(LEVEL, split_step("..?"))
"Symbols, two at a time: the cut of a file whose bytes come before its last Split."


@given(st.text(st.characters(exclude_categories=["Cs"])))
@pytest.mark.parametrize("file", [GPT2, TWO_BYTES], ids=["gpt2", "two bytes"])
def test_pretokens_join_to_the_bytes_of_the_text(file, text):
    assert b"".join(Pretokens(file).of(text)) == text.encode()


def test_words_are_counted_by_what_they_are_cut_into():
    again = split_again(WordCounts(["it's", " it", "it"], np.array([3, 2, 1], np.uint64), "en"), GPT2)
    assert dict(zip(again.words, again.counts.tolist(), strict=True)) == {"it": 4, "'s": 3, " it": 2}
    assert again.words == ["it", "'s", " it"]
    assert again.source == "en"


def test_a_piece_that_is_half_a_character_is_no_word():
    """жа is two pieces of two bytes; ajжb is aj, ж and b; xж is x with half of ж, and the other half."""
    assert Pretokens(TWO_BYTES).of("xж") == [b"x\xd0", b"\xb6"]
    again = split_again(counted(жа=5, ajжb=3, xж=2), TWO_BYTES)
    assert dict(zip(again.words, again.counts.tolist(), strict=True)) == {"ж": 8, "а": 5, "aj": 3, "b": 3}


def test_pretokens_are_those_of_the_normalized_text():
    file = cutting(split_step(r"\p{L}+"), LEVEL, normalizer={"type": "NFC"})
    assert Pretokens(file).of("e\u0301x") == ["\u00e9x".encode()]
    assert not Pretokens(file).leaves_whole("e\u0301x")
    assert Pretokens(file).leaves_whole("\u00e9x")
