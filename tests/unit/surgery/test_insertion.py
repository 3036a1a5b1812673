"""Guided insertion: rows ascending, unreachable tokens revived, whole surfaces or none."""

import numpy as np
import pytest

from modtok.core.errors import DataError
from modtok.surgery.byte_level import byte_level
from modtok.surgery.deletion import delete
from modtok.surgery.derivations import derivations
from modtok.surgery.donor import Donor, donor, interleaved, text_tokens, tokenizer_tokens, train_donor
from modtok.surgery.insertion import Insertion
from modtok.surgery.operation import operate
from modtok.surgery.pair_order import most_frequent_pair
from modtok.surgery.scripts import scripts_by_token
from modtok.surgery.selection import Policy, Selection, select
from modtok.surgery.verification import unreachable, verify
from modtok.tokenization.word_count_files import WordCounts
from oracle.byte_tables import byte_json

FIRST = 300


def empty(*orphans):
    """A tokenizer of bytes and tokens without merges."""
    return byte_level(byte_json(list(orphans), [], list(range(257 + len(orphans))), False), "empty")


def test_the_first_two_pieces_are_joined_until_one_is_left():
    insertion = Insertion(empty(), range(FIRST, FIRST + 9))
    insertion.insert([b"abc", b"abd", b"abc"])
    a, b, c, d = (insertion.finished().ids[token] for token in (b"a", b"b", b"c", b"d"))
    assert insertion.done.tokens == {FIRST: b"ab", FIRST + 1: b"abc", FIRST + 2: b"abd"}
    assert insertion.done.merges == [(a, b, FIRST), (FIRST, c, FIRST + 1), (FIRST, d, FIRST + 2)]


def test_a_token_that_was_unreachable_takes_no_row():
    bpe = empty(b"ab", b"xyz")
    assert unreachable(bpe) == {bpe.ids[b"ab"], bpe.ids[b"xyz"]}
    insertion = Insertion(bpe, [FIRST])
    insertion.insert([b"abc"])
    assert insertion.done.revived == [bpe.ids[b"ab"]]
    assert insertion.done.tokens == {FIRST: b"abc"}
    found = verify(bpe, insertion.finished())
    assert (found.still_unreachable, found.reached_now) == ([bpe.ids[b"xyz"]], [bpe.ids[b"ab"]])


def test_a_surface_that_needs_more_rows_than_are_left_is_skipped_whole():
    insertion = Insertion(empty(), [FIRST, FIRST + 1])
    insertion.insert([b"abcd", b"xy", b"abcd", b"xyz"])
    assert insertion.done.tokens == {FIRST: b"xy", FIRST + 1: b"xyz"}
    assert insertion.done.skipped == [b"abcd", b"abcd"]
    assert insertion.left == 0


def test_the_most_frequent_pair_can_go_first():
    counts = WordCounts(["bcd", "bc", "ab"], np.array([1, 5, 2], dtype=np.uint64))
    insertion = Insertion(empty(), range(FIRST, FIRST + 2), most_frequent_pair(counts))
    insertion.insert([b"abc"])
    assert insertion.done.tokens == {FIRST: b"bc", FIRST + 1: b"abc"}


def test_an_audit_names_what_is_out_of_reach_after():
    """cb is appended behind bc, which comes first in abcb."""
    bpe = empty()
    insertion = Insertion(bpe, range(FIRST, FIRST + 4))
    insertion.insert([b"bc", b"cb"])
    good = insertion.finished()
    assert verify(bpe, good).ok
    b, cb = good.ids[b"b"], good.ids[b"cb"]
    bad = good.with_tokens({FIRST + 2: b"bcb"}, [(b, cb, FIRST + 2)])
    assert verify(bpe, bad).inserted_unreachable == [FIRST + 2]
    assert verify(good, good.without([FIRST]).with_tokens({FIRST: b"q1"}, [])).inserted_unreachable == [FIRST]


def test_a_donor_is_what_fits_the_target_by_script_and_cut(bpe):
    given = donor(bpe, ["ї", "їж", "th", "їa", " їжак", "їж ж", "1", "їж!"], ("Cyrillic",), "given")
    assert given.tokens == ["ї", "їж", " їжак"]  # its pre-tokenizer cuts letters from marks and spaces
    assert given.characters[:2] == ["а", " а"]  # of the target's own, for other languages of the script
    assert {"ї", " ї"} <= set(given.characters)


@pytest.mark.parametrize(
    ("tokens", "said"), [([], "the donor is empty"), (["th"], "no token .* of Cyrillic")]
)
def test_a_donor_with_nothing_to_give_is_an_error(bpe, tokens, said):
    with pytest.raises(DataError, match=said):
        donor(bpe, tokens, ("Cyrillic",), "given")


def test_donors_take_turns():
    assert interleaved([["a", "b", "c"], ["x", "a"]]) == ["a", "x", "b", "c"]


def test_a_tokenizer_gives_its_tokens_by_rank(content, tmp_path):
    import json

    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(content))
    merges = ["".join(merge) for merge in content["model"]["merges"]]
    held = byte_level(content, "small")
    texts = [held.tokens[content["model"]["vocab"][surface]] for surface in merges]
    assert tokenizer_tokens(path)[-5:] == [text.decode() for text in texts if is_text(text)][-5:]
    path.write_text(json.dumps({"model": {"type": "Unigram", "vocab": [["▁b", -2.0], ["a", -1.0]]}}))
    assert tokenizer_tokens(path) == ["a", " b"]
    path.write_text(json.dumps({"model": {"type": "BPE"}}))
    with pytest.raises(DataError, match="no vocabulary"):
        tokenizer_tokens(path)


def is_text(token):
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_rows_that_no_token_needs_are_given_back_to_those_deleted_last(bpe):
    scripts, derived = scripts_by_token(bpe.tokens), derivations(bpe)
    chosen = select(bpe, scripts, Policy(("Cyrillic",), ("Thai",)))
    most = len(delete(bpe, derived, chosen).deleted)
    done = operate(bpe, derived, chosen, Donor([], ["їж", "жа"]), None)
    assert done.after.surfaces.keys() == bpe.surfaces.keys()
    assert done.given_back == most - len(done.deletion.deleted) > 0
    assert {"їж".encode(), "жа".encode()} <= set(done.inserted.tokens.values())
    # the donor has fewer tokens than the reset has rows: the target's old ones fill some of them
    assert set(done.inserted.tokens.values()) & {bpe.tokens[number] for number in chosen.reset}
    assert verify(bpe, done.after).ok


def test_a_donor_that_brings_nothing_new_is_an_error(bpe):
    chosen = Selection([], select(bpe, scripts_by_token(bpe.tokens), Policy(("Greek",), ("Thai",))).optional)
    with pytest.raises(DataError, match="nothing to insert"):
        operate(bpe, derivations(bpe), chosen, Donor([], [" language", "a"]), 3)


def test_a_donor_is_trained_without_a_word_on_the_corpus_running_out(ukrainian):
    tokens = text_tokens(train_donor(ukrainian, rows=500))
    assert tokens[: len(set("".join(ukrainian.words)))] == sorted(set("".join(ukrainian.words)))
    assert " їжа" in tokens
