"""Streams of ids: what is no id is an error that names the line."""

import io

import numpy as np
import pytest

from modtok.core.errors import DataError
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.loading import from_json
from modtok.tokenization.streams import decode_lines, encode_lines
from modtok.tokenization.word_count_files import WordCounts

COUNTS = WordCounts(["low"], np.array([5], dtype=np.uint64))
LOADED = from_json(train_bpe(COUNTS, budget=258).tokenizer_json("whitespace"), "low")


@pytest.mark.parametrize("data", [b"", b"low\n", "a\r\n\u2028\n\nlow".encode()])
def test_decoding_undoes_encoding_to_the_byte(data):
    ids, back = io.BytesIO(), io.BytesIO()
    encode_lines(LOADED, io.BytesIO(data), ids)
    decode_lines(LOADED, io.BytesIO(ids.getvalue()), back)
    assert back.getvalue() == data


@pytest.mark.parametrize("word", ["7_0", "+5", "-1", "\u0663", "1.0", "word", "9" * 5000])
def test_a_word_that_is_no_id_is_an_error(word):
    with pytest.raises(DataError, match="line 2: not ids separated by spaces"):
        decode_lines(LOADED, io.BytesIO(f"5 6\n5 {word}\n".encode()), io.BytesIO())
