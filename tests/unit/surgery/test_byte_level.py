"""Holding a byte-level tokenizer: what is protected, what is written back, what is refused."""

import json

import pytest

from modtok.core.errors import DataError
from modtok.surgery.byte_level import byte_level, read_byte_level


def with_model(content, **changed):
    return {**content, "model": {**content["model"], **changed}}


def test_bytes_and_added_tokens_are_protected(bpe):
    assert bpe.protected == {0, 1, 2, 3, *bpe.base}


def test_an_added_token_among_the_learned_ones_is_protected(content):
    learned = content["model"]["merges"][-1]
    number = content["model"]["vocab"]["".join(learned)]
    added = [*content["added_tokens"], {"id": number, "content": "".join(learned)}]
    assert number in byte_level({**content, "added_tokens": added}, "small").protected


def test_a_token_that_no_bytes_spell_stays_as_it_is(content):
    vocabulary = {**content["model"]["vocab"], "東": 600}
    held = byte_level(with_model(content, vocab=vocabulary), "small")
    assert 600 in held.protected
    assert held.tokenizer_json()["model"]["vocab"]["東"] == 600


@pytest.mark.parametrize("as_text", [True, False])
def test_merges_are_written_in_the_form_they_had(content, as_text):
    merges = [" ".join(merge) if as_text else merge for merge in content["model"]["merges"]]
    given = with_model(content, merges=merges)
    assert byte_level(given, "small").tokenizer_json() == given


def test_a_merge_stays_iff_its_three_parts_stay(bpe):
    part = (
        int(bpe.table.left[-1]) if int(bpe.table.left[-1]) not in bpe.protected else int(bpe.table.result[0])
    )
    left = bpe.without([part])
    kept = set(
        zip(left.table.left.tolist(), left.table.right.tolist(), left.table.result.tolist(), strict=True)
    )
    every = zip(bpe.table.left.tolist(), bpe.table.right.tolist(), bpe.table.result.tolist(), strict=True)
    assert kept == {merge for merge in every if part not in merge}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model": {"type": "Unigram", "vocab": []}}, "Unigram, not BPE"),
        ({"model": None}, "none, not BPE"),
        ({"pre_tokenizer": None}, "no ByteLevel pre-tokenizer"),
        ({"added_tokens": [7]}, "malformed BPE model"),
        ({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True}}, "add_prefix_space"),
    ],
)
def test_what_is_no_byte_level_bpe_is_refused(content, change, said):
    with pytest.raises(DataError, match=said):
        byte_level({**content, **change}, "small")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"merges": [["x", "no token"]]}, "1 broken merges"),
        ({"vocab": [1]}, "malformed BPE model"),
        ({"vocab": {"a": float("inf")}}, "malformed BPE model"),
        ({"vocab": {"a": 1.0}}, "malformed BPE model"),
        ({"continuing_subword_prefix": "##"}, "continuing_subword_prefix is set"),
    ],
)
def test_a_model_that_merging_cannot_follow_is_refused(content, change, said):
    with pytest.raises(DataError, match=said):
        byte_level(with_model(content, **change), "small")


def test_a_missing_byte_and_a_shared_id_are_refused(content):
    vocabulary = dict(content["model"]["vocab"])
    with pytest.raises(DataError, match="have the id"):
        byte_level(with_model(content, vocab={**vocabulary, "zzzz": 300}), "small")
    del vocabulary["Ā"]
    with pytest.raises(DataError, match="1 of the 256 bytes"):
        byte_level(with_model(content, vocab=vocabulary), "small")


def test_a_file_is_read_from_its_folder(content, bpe, tmp_path):
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    assert read_byte_level(tmp_path).surfaces == bpe.surfaces
