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


def by_definition(file):
    encoder = RankedEncoder(file.table)
    tokens = [(surface, number) for surface, number in file.vocabulary.items() if surface not in file.outside]
    return [text for text, number in tokens if encoder.encode(file.units(text)) != [number]]


@given(picks)
@settings(max_examples=200, deadline=None)
def test_the_compiled_segmentation_finds_what_the_definition_says(pairs):
    file = file_of(drawn(pairs))
    event(f"some are unreachable: {bool(by_definition(file))}")
    assert reachability._room(file) is not None
    assert unreachable(file) == by_definition(file)


@given(picks, st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_foreign_tables_are_read_as_the_definition_says(pairs, rng):
    """All splits of each token into two, in any order, some twice; and words of the token with id 0."""
    surfaces = [*"abc", *map("".join, drawn(pairs))]
    splits = [(text[:cut], text[cut:]) for text in surfaces for cut in range(1, len(text))]
    merges = [split for split in splits if split[0] in surfaces and split[1] in surfaces]
    shuffled = rng.sample(2 * merges, 2 * len(merges))
    file = read_bpe(bpe_json("bytes", "whitespace", surfaces, shuffled))
    event(f"some are unreachable: {bool(by_definition(file))}")
    assert reachability._room(file) is not None
    assert unreachable(file) == by_definition(file)


def test_a_table_whose_merges_do_not_add_up_goes_token_by_token():
    """A byte token is one unit of text, but six letters of the next token's name."""
    base = BaseAlphabet("characters", "0146<>xab")
    tokens = [*base.tokens, "<0x41>b", "ab"]
    file = read_bpe(bpe_json("characters", "whitespace", tokens, [("<0x41>", "b"), ("a", "b")]))
    assert reachability._room(file) is None
    assert unreachable(file) == ["<0x41>b"]


def test_a_character_without_a_token_makes_a_token_unreachable():
    file = file_of([("a", "b")])
    file.vocabulary["a東"] = len(file.vocabulary)
    assert unreachable(file) == ["a東"]
