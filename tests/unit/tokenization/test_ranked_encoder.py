"""The ranked encoder against its definition and against Hugging Face's encoder."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from modtok.tokenization.merge_table import MergeTable
from modtok.tokenization.ranked_encoder import RankedEncoder

A, B, C = 0, 1, 2


@pytest.mark.parametrize(
    ("merges", "units", "expected"),
    [
        ([], [A, B], [A, B]),
        ([(A, B, 3)], [], []),
        ([(A, B, 3), (B, C, 4)], [A, B, C], [3, C]),  # lowest rank first
        ([(B, C, 4), (A, B, 3)], [A, B, C], [A, 4]),
        ([(A, A, 3)], [A, A, A], [3, A]),  # leftmost first
        ([(3, C, 4), (A, B, 3)], [A, B, C], [4]),  # a merge that comes before its part still applies
    ],
)
def test_merges_apply_by_rank_then_from_the_left(merges, units, expected):
    assert RankedEncoder(MergeTable.of(merges)).encode(units) == expected


@st.composite
def tables(draw) -> list[tuple[str, str]]:
    """Proper merges over a, b, c, one for each token."""
    tokens, merges = ["a", "b", "c"], []
    for _ in range(draw(st.integers(0, 12))):
        left, right = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if left + right not in tokens:
            tokens.append(left + right)
            merges.append((left, right))
    return merges


@given(tables(), st.text("abc", max_size=30))
def test_hugging_face_encodes_the_same(merges, text):
    vocabulary = {token: number for number, token in enumerate("abc")}
    vocabulary |= {left + right: number for number, (left, right) in enumerate(merges, 3)}
    triples = [(vocabulary[left], vocabulary[right], vocabulary[left + right]) for left, right in merges]
    theirs = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    ours = RankedEncoder(MergeTable.of(triples)).encode([vocabulary[letter] for letter in text])
    assert ours == theirs.encode(text).ids


def test_the_steps_lead_from_the_units_to_the_encoding():
    encoder = RankedEncoder(MergeTable.of([(0, 1, 3), (3, 2, 4)]))
    assert list(encoder.steps([0, 1, 2, 0])) == [[0, 1, 2, 0], [3, 2, 0], [4, 0]]
    assert list(encoder.steps([])) == [[]]
