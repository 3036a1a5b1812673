"""Selection and deletion: what goes first, what repair restores, what goes along."""

import pytest

from modtok.core.errors import ConfigError
from modtok.surgery.byte_level import byte_level
from modtok.surgery.deletion import delete
from modtok.surgery.derivations import derivations
from modtok.surgery.scripts import scripts_by_token
from modtok.surgery.selection import Policy, Selection, select
from oracle.byte_tables import byte_json
from oracle.slow_ranked import slow_unreachable

POLICY = Policy(("Cyrillic",), ("Thai",), ("Latin",))


def table(*merges, added=()):
    """A tokenizer of bytes and these merges of texts, each result a token; ids in the order given."""
    written = [(left.encode(), right.encode()) for left, right in merges]
    tokens = list(dict.fromkeys(left + right for left, right in written))
    ids = list(range(257 + len(tokens)))
    return byte_level(byte_json(tokens, written, ids, False, [text.encode() for text in added]), "table")


def test_candidates_go_by_descending_id_within_the_scripts_in_their_order(bpe):
    scripts = scripts_by_token(bpe.tokens)
    chosen = select(bpe, scripts, Policy(("Greek",), ("Cyrillic", "Thai"), ("Latin",)))
    order = [(("Cyrillic", "Thai").index(*scripts[number]), -number) for number in chosen.optional]
    assert order == sorted(order)
    assert chosen.reset == []
    assert len(chosen) == sum(bool(found & {"Cyrillic", "Thai"}) for found in scripts.values())


def test_the_reset_takes_all_rows_of_the_target_whatever_is_kept(bpe):
    scripts = scripts_by_token(bpe.tokens)
    chosen = select(bpe, scripts, Policy(("Cyrillic",), ("Thai",), ("Cyrillic", "Latin")))
    assert chosen.reset == sorted((n for n, found in scripts.items() if "Cyrillic" in found), reverse=True)
    spared = select(bpe, scripts, Policy(("Cyrillic",), ("Thai",), ("Latin",), reset=False))
    assert spared.reset == []
    assert spared.optional == chosen.optional


def test_a_script_cannot_be_deleted_and_kept():
    with pytest.raises(ConfigError, match="Thai: in --delete-scripts and in --keep-scripts"):
        Policy(("Cyrillic",), ("Thai",), ("Thai",)).check()


def test_rows_that_go_are_as_many_as_slots_and_break_nothing(bpe):
    derived = derivations(bpe)
    chosen = select(bpe, scripts_by_token(bpe.tokens), POLICY)
    most = delete(bpe, derived, chosen)
    needed = len(chosen.reset) + len(most.closure)
    for slots in (0, 1, len(chosen.reset) - 1, needed, len(most.deleted)):
        done = delete(bpe, derived, chosen, slots)
        assert len(done.deleted) == slots
        assert slow_unreachable(done.bpe.tokenizer_json()) <= derived.unreachable


def test_what_a_token_that_stays_is_made_of_is_restored_and_the_next_goes():
    bpe = table(("a", "b"), ("ab", "c"), ("d", "e"))
    ab, abc, de = (bpe.ids[token] for token in (b"ab", b"abc", b"de"))
    done = delete(bpe, derivations(bpe), Selection([], [ab, de]), 1)
    assert (done.deleted, done.restored, done.breaks) == ([de], [ab], [1])
    assert abc in done.bpe.surfaces


def test_what_is_made_of_rows_that_have_to_go_goes_along():
    bpe = table(("a", "b"), ("ab", "c"), ("d", "e"))
    ab, abc, de = (bpe.ids[token] for token in (b"ab", b"abc", b"de"))
    done = delete(bpe, derivations(bpe), Selection([ab], [de]), 2)
    assert (done.deleted, done.closure) == ([ab, abc], [abc])
    with pytest.raises(ConfigError, match="are 2; give at least that"):
        delete(bpe, derivations(bpe), Selection([ab], []), 1)


def test_a_derivation_goes_on_through_an_added_token():
    """abc is an added token, so it stays; abcd is made of it, so ab has to stay as well."""
    abcd = table(("a", "b"), ("ab", "c"), ("abc", "d"), ("d", "e"), added=["abc"])
    ab, abc, de = (abcd.ids[token] for token in (b"ab", b"abc", b"de"))
    assert derivations(abcd).ancestors(abcd.ids[b"abcd"]) >= {ab, abc}
    done = delete(abcd, derivations(abcd), Selection([], [ab, de]), 1)
    assert (done.deleted, done.restored) == ([de], [ab])
    alone = table(("a", "b"), ("ab", "c"), added=["abc"])
    done = delete(alone, derivations(alone), Selection([], [alone.ids[b"ab"]]), 1)
    assert (done.deleted, done.breaks) == ([ab], [])


def test_a_token_with_another_derivation_is_not_broken():
    bpe = table(("a", "b"), ("ab", "c"), ("b", "c"), ("a", "bc"))
    done = delete(bpe, derivations(bpe), Selection([], [bpe.ids[b"ab"]]), 1)
    assert done.breaks == []
    assert slow_unreachable(done.bpe.tokenizer_json()) == set()


def test_fewer_rows_than_slots_is_an_error_that_says_how_many():
    bpe = table(("a", "b"), ("ab", "c"), ("d", "e"))
    with pytest.raises(ConfigError, match="only 1 rows can go"):
        delete(bpe, derivations(bpe), Selection([], [bpe.ids[b"ab"], bpe.ids[b"de"]]), 2)
