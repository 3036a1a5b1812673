"""What surgery is compared with: each baseline on a small tokenizer, by what it says of itself."""

import numpy as np
import pytest

from modtok.core.errors import DataError
from modtok.surgery import request
from modtok.surgery.baselines import METHODS, Case
from modtok.surgery.baselines_append import appended, rank_conflict
from modtok.surgery.baselines_continued import continued
from modtok.surgery.baselines_matching import LongestMatch
from modtok.surgery.baselines_order import by_frequency, by_id
from modtok.surgery.baselines_pruning import leaves
from modtok.surgery.baselines_retraining import retrained
from modtok.surgery.byte_level import byte_level
from modtok.surgery.donor import train_donor
from modtok.surgery.segmentation import Segmenter, token_frequencies
from modtok.surgery.selection import Policy
from modtok.surgery.verification import unreachable, verify
from modtok.tokenization.alphabet import BYTE_SYMBOLS
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.hf_format import bpe_json
from modtok.tokenization.loading import from_json
from modtok.tokenization.pretokens import split_again
from modtok.tokenization.word_count_files import WordCounts, read_counts

SLOTS = 70


@pytest.fixture
def case(bpe, counts_files):
    policy = Policy(("Cyrillic",), ("Thai",), ("Latin",))
    corpora = {lang: counts_files[lang] for lang in ("en", "uk")}
    return Case(bpe, policy, SLOTS, counts_files["uk"], corpora)


def tokens_of(bpe, counts):
    """Tokens of counted words."""
    segmenter = Segmenter(bpe)
    lengths = [len(segmenter.ids(word.encode())) for word in split_again(counts, bpe.frame).words]
    return int(np.array(lengths) @ split_again(counts, bpe.frame).counts.astype(np.int64))


@pytest.mark.parametrize("method", sorted(METHODS.keys() - {"retrained"}))
def test_a_baseline_has_the_size_of_surgery_and_breaks_nothing(case, method):
    after = METHODS[method](case)
    found = verify(case.bpe, after)
    assert after.surfaces.keys() == case.bpe.surfaces.keys()
    assert found.newly_broken == []
    assert all(after.surfaces[number] == case.bpe.surfaces[number] for number in case.bpe.protected)
    assert SLOTS / 2 < len(found.inserted) <= SLOTS  # rows that the few words cannot fill are given back
    assert method == "naive" or found.inserted_unreachable == []


def test_the_donor_is_trained_once(case, monkeypatch):
    trained = []

    def training(*given):
        trained.append(train_donor(*given))
        return trained[-1]

    monkeypatch.setattr(request, "train_donor", training)
    METHODS["naive"](case)
    assert len(trained) == 1


@pytest.mark.parametrize("method", ["global", "frequency", "continued"])
def test_a_baseline_is_for_the_target(case, method, ukrainian):
    assert tokens_of(METHODS[method](case), ukrainian) < tokens_of(case.bpe, ukrainian)


def test_a_retrained_tokenizer_keeps_bytes_and_special_tokens_alone(bpe, ukrainian):
    small = bpe.without(range(270, 1000))
    after = retrained(small, split_again(ukrainian, small.frame))
    assert after.surfaces.keys() == small.surfaces.keys()
    assert all(after.surfaces[number] == small.surfaces[number] for number in small.protected)
    assert unreachable(after) == set()
    assert tokens_of(after, ukrainian) < tokens_of(small, ukrainian)


def test_retraining_on_too_few_words_is_an_error(bpe, ukrainian):
    with pytest.raises(DataError, match=r"text: retraining finds .* merges for 1.. rows; take more text"):
        retrained(bpe, split_again(ukrainian, bpe.frame))


# --- the donor's merges as they are ---


@pytest.fixture
def conflicting():
    """A tokenizer that merges a space with the first byte of Cyrillic letters."""
    tokens = ["<unk>", *BYTE_SYMBOLS, "ĠÐ"]
    return byte_level(bpe_json("bytes", "whitespace", tokens, [("Ġ", "Ð")]), "conflicting")


def test_an_appended_merge_may_come_too_late(conflicting):
    pairs = [("д".encode(), "а".encode()), (b" ", "да".encode())]
    after = appended(conflicting, range(300, 310), pairs)
    assert [token.decode() for number, token in after.tokens.items() if number >= 300] == [
        "д",
        "а",
        "да",
        " да",
    ]
    assert unreachable(after) == {after.ids[" да".encode()]}
    found = rank_conflict(after, " да".encode())
    assert found is not None
    assert found.parts == (b" ", "да".encode())
    assert found.taken == (b" ", b"\xd0")
    assert found.rank > found.taken_rank == 0
    assert found.pieces == (b" \xd0", b"\xb4", "а".encode())
    assert rank_conflict(after, "да".encode()) is None


def test_merges_are_appended_as_long_as_there_are_rows(conflicting):
    after = appended(conflicting, [300, 301], [("д".encode(), "а".encode()), (b"a", b"b")])
    assert [after.tokens[300].decode(), after.tokens[301].decode()] == ["д", "а"]
    assert len(after.table) == len(conflicting.table) + 2


def test_longest_match_reaches_what_the_merges_do_not(conflicting):
    after = appended(conflicting, range(300, 310), [("д".encode(), "а".encode()), (b" ", "да".encode())])
    added = [number for number in after.tokens if number >= 300]
    matched = LongestMatch(after, added)
    assert matched.ids(" да".encode()) == [after.ids[" да".encode()]]
    assert matched.count_batch(["так да", ""]).tolist() == [len(matched.ids("так".encode())) + 1, 0]
    assert matched.ids(b"ab") == [after.ids[b"a"], after.ids[b"b"]]
    assert from_json(after.tokenizer_json(), "after").count_batch([" да"]).tolist() == [3]


def test_the_size_of_a_vocabulary_counts_added_tokens_as_the_library_does(content):
    more = [*content["added_tokens"], {**content["added_tokens"][0], "id": 999, "content": "<|behind|>"}]
    file = {**content, "added_tokens": more}
    size = LongestMatch(byte_level(file, "small"), []).vocabulary_size
    assert size == from_json(file, "small").vocabulary_size == len(content["model"]["vocab"]) + 1


# --- which rows go ---


def test_deletion_by_id_takes_the_latest_and_by_frequency_the_rarest(bpe):
    free = sorted(bpe.surfaces.keys() - bpe.protected)
    frequency = np.arange(max(bpe.surfaces) + 1) % 7
    assert by_id(bpe, [300]).optional[:2] == [free[-1], free[-2]]
    rarest = by_frequency(bpe, [300], frequency).optional
    assert rarest == sorted(set(free) - {300}, key=lambda number: (number % 7, -number))


def test_frequencies_weigh_corpora_alike(bpe):
    corpora = {
        "one": WordCounts([" the"], np.array([1], dtype=np.uint64)),
        "two": WordCounts(["x"], np.array([1_000_000], dtype=np.uint64)),
    }
    frequency = token_frequencies(bpe, corpora)
    assert frequency.sum() == pytest.approx(2)
    assert frequency[bpe.ids[b"x"]] >= 1


def test_only_leaves_are_pruned_and_their_parts_after_them(bpe):
    chosen = leaves(bpe, np.zeros(max(bpe.surfaces) + 1), 60)
    kept = bpe.without(chosen)
    assert len(kept.surfaces) == len(bpe.surfaces) - 60
    assert unreachable(kept) == unreachable(bpe) - set(chosen)
    for result, left, right in zip(bpe.table.result, bpe.table.left, bpe.table.right, strict=True):
        if {int(left), int(right)} & set(chosen):
            assert int(result) in chosen


def test_text_of_a_pruned_token_counts_for_its_parts():
    tokens = [*BYTE_SYMBOLS, "ab", "abc", "xy"]
    merges = [("a", "b"), ("ab", "c"), ("x", "y")]
    small = byte_level(bpe_json("bytes", "whitespace", tokens, merges), "small")
    frequency = np.zeros(len(tokens))
    frequency[small.ids[b"abc"]], frequency[small.ids[b"xy"]] = 3, 4
    # ab stands alone nowhere, but three times once abc is gone; so it goes before xy
    assert leaves(small, frequency, 3) == [small.ids[token] for token in (b"abc", b"ab", b"xy")]
    with pytest.raises(DataError, match="leaf pruning can free 3 tokens"):
        leaves(small, frequency, 4)


def test_continued_bpe_learns_what_training_from_the_start_would(counts_files):
    """On top of nothing, continuing is BPE: the same tokens in the same order."""
    counts = read_counts([counts_files["uk"]])
    trained = train_bpe(counts, budget=256 + 12, min_frequency=1)
    content = trained.tokenizer_json("whitespace")
    whole = byte_level(content, "whole")
    learned = sorted(whole.surfaces.keys() - whole.protected)
    again = continued(whole, learned, counts)
    assert again.surfaces == whole.surfaces
    assert again.tokenizer_json()["model"]["merges"] == content["model"]["merges"]


def test_rows_that_the_words_cannot_fill_are_given_back(bpe):
    few = WordCounts(["qxq"], np.array([5], dtype=np.uint64), "few words")
    chosen = leaves(bpe, np.zeros(max(bpe.surfaces) + 1), 60)
    found = verify(bpe, continued(bpe, chosen, few))
    assert sorted(found.inserted) == sorted(chosen[:2])
    single = WordCounts(["q"], np.array([5], dtype=np.uint64), "single letters")
    with pytest.raises(DataError, match="single letters: its words are single tokens"):
        continued(bpe, chosen, single)
