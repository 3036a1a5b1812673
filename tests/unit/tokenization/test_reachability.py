"""Reachability: the compiled segmentation finds what the ranked encoder finds, token by token."""

from hypothesis import event, given, settings
from hypothesis import strategies as st

from modtok.tokenization import reachability
from modtok.tokenization.alphabet import BaseAlphabet
from modtok.tokenization.bpe_file import read_bpe
from modtok.tokenization.hf_format import bpe_json
from modtok.tokenization.ranked_encoder import RankedEncoder
from modtok.tokenization.reachability import unreachable

BASE = BaseAlphabet("bytes").tokens
picks = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), max_size=20)


def file_of(merges):
    return read_bpe(bpe_json("bytes", "whitespace", [*BASE, *map("".join, merges)], merges))


def drawn(pairs):
    """A merge of two of the tokens there are, where it spells a new one: proper, but not all reachable."""
    tokens, merges = list("abc"), []
    for left, right in pairs:
        parts = (tokens[left % len(tokens)], tokens[right % len(tokens)])
        if "".join(parts) not in tokens:
            merges.append(parts)
            tokens.append("".join(parts))
    return merges


@given(picks)
@settings(max_examples=200, deadline=None)
def test_the_compiled_segmentation_finds_what_the_definition_says(pairs):
    file = file_of(drawn(pairs))
    encoder = RankedEncoder(file.table)
    tokens = [(surface, number) for surface, number in file.vocabulary.items() if number > 3]
    expected = [text for text, number in tokens if encoder.encode(file.units(text)) != [number]]
    event(f"some are unreachable: {bool(expected)}")
    assert reachability._tokens_in_order(file) is not None
    assert unreachable(file) == expected


def test_a_table_whose_ids_are_not_in_the_order_of_merges_goes_token_by_token():
    """ab comes before bc, so abc, made of a and bc, is not reached."""
    merges = [("b", "c"), ("a", "b"), ("a", "bc")]
    tokenizer_json = bpe_json("bytes", "whitespace", [*BASE, *map("".join, merges)], merges)
    tokenizer_json["model"]["merges"] = [["a", "b"], ["b", "c"], ["a", "bc"]]
    file = read_bpe(tokenizer_json)
    assert reachability._tokens_in_order(file) is None
    assert unreachable(file) == ["abc"]


def test_a_character_without_a_token_makes_a_token_unreachable():
    file = file_of([("a", "b")])
    file.vocabulary["a東"] = len(file.vocabulary)
    assert unreachable(file) == ["a東"]
