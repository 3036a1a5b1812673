"""Best segmentations of words against Hugging Face's, ties included."""

import json
from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from modtok.tokenization.piece_trie import trie_of, words_of
from modtok.tokenization.unigram import UnigramModel
from modtok.tokenization.unigram_format import unigram_json
from modtok.tokenization.viterbi import piece_frequencies

WORDS = st.dictionaries(st.text("abcd", min_size=1, max_size=12), st.integers(1, 9), min_size=1, max_size=8)


@settings(max_examples=200, deadline=None)
@given(words=WORDS, data=st.data())
def test_frequencies_are_those_of_hugging_face(words, data):
    """Scores are few and round, so that many segmentations are equally good."""
    pieces = data.draw(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=10, unique=True))
    drawn = data.draw(st.lists(st.integers(-6, -1), min_size=len(pieces), max_size=len(pieces)))
    model = UnigramModel(pieces, np.array(drawn, dtype=float))
    hugging_face = Tokenizer.from_str(json.dumps(unigram_json(model, "whitespace")))
    wanted: Counter[str] = Counter()
    for word, count in words.items():
        for token in hugging_face.encode(word).tokens:
            wanted[token] += count
    counts = np.array(list(words.values()), dtype=np.uint64)
    found = piece_frequencies(words_of(list(words)), counts, trie_of(pieces), model.scores)
    assert found.tolist() == [wanted[piece] for piece in pieces]
