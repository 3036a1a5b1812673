"""Training BPE from word counts: the definition in small, and what goes wrong. Oracles: tests/oracle."""

import numpy as np
import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.tokenization import bpe, bpe_training, native_loop
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.pretokenization import SPECIAL_TOKENS, forbidden
from modtok.tokenization.word_count_files import WordCounts


def counts(**words: int) -> WordCounts:
    return WordCounts(list(words), np.array(list(words.values()), dtype=np.uint64))


def results(tokenizer: bpe.TrainedBPE) -> list[str]:
    return tokenizer.tokens[len(tokenizer.alphabet.tokens) :]


def test_the_most_frequent_pair_is_merged_first():
    """(e, s) occurs 9 times, then (es, t), then (l, o) 7 times, ahead of (e, w) with 6."""
    corpus = counts(low=5, lower=2, newest=6, widest=3)
    assert results(train_bpe(corpus, budget=256 + 6)) == ["es", "est", "lo", "low", "ew", "new"]


def test_overlapping_pairs_all_count_and_are_replaced_from_left_to_right():
    """aaa holds (a, a) twice, so its 2 * 3 beats (b, c) with 5; then aaa is aa + a."""
    assert results(train_bpe(counts(aaa=3, bc=5), budget=256 + 3)) == ["aa", "bc", "aaa"]


def test_ties_go_to_the_smaller_left_then_right_id():
    assert results(train_bpe(counts(bc=2, ad=2, ac=2), budget=256 + 3)) == ["ac", "ad", "bc"]


def test_a_pair_rarer_than_min_frequency_is_never_merged():
    with pytest.warns(UserWarning, match=r"ran out at 257 of 300 tokens.*occurs 3 times"):
        tokenizer = train_bpe(counts(ab=3, cd=2), budget=300, min_frequency=3)
    assert results(tokenizer) == ["ab"]


def test_the_budget_counts_the_base_alphabet_and_merges_but_not_special_tokens():
    tokenizer = train_bpe(counts(ab=2), budget=257)
    assert len(tokenizer.tokens) == 257 + len(SPECIAL_TOKENS)


def test_a_budget_of_the_alphabet_alone_makes_no_merge():
    assert results(train_bpe(counts(ab=2), budget=256)) == []


def test_an_alphabet_larger_than_the_budget_is_an_error_that_names_the_remedies():
    with pytest.raises(
        ConfigError, match=r"budget 257: the base alphabet alone has 258 tokens; raise the budget, or"
    ):
        train_bpe(counts(ab=2), budget=257, alphabet="characters")


def test_an_empty_corpus_is_an_error():
    with pytest.raises(DataError, match="no words to train on"):
        train_bpe(WordCounts([], np.array([], dtype=np.uint64)), budget=300)


def test_counts_that_64_bits_cannot_sum_are_an_error():
    given = WordCounts(["ab"], np.array([2**62], dtype=np.uint64), "en.tsv")
    with pytest.raises(DataError, match=rf"en\.tsv: the counts stand for {2**63} bytes of text, .*; scale"):
        train_bpe(given, budget=300)


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
def test_the_counts_may_take_all_of_63_bits(alphabet):
    given = WordCounts(["ab", "c"], np.array([2**62 - 1, 1], dtype=np.uint64))
    with pytest.warns(UserWarning, match="ran out"):
        assert train_bpe(given, budget=300, alphabet=alphabet).tokens[-1] == "ab"


def test_a_least_frequency_beyond_64_bits_merges_nothing():
    with pytest.warns(UserWarning, match="ran out at 256"):
        train_bpe(counts(ab=2**62 - 1), budget=300, min_frequency=10**30)


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
@pytest.mark.parametrize("name", [*SPECIAL_TOKENS, "<0x41>", "<0xe9>", "<0x+1>"])
def test_no_merge_spells_the_name_of_a_special_or_byte_token(alphabet, name):
    """The name is by far the most frequent word, and a longer word holds it, too."""
    corpus = WordCounts([name, f"x{name}y"], np.array([1000, 10], dtype=np.uint64))
    with pytest.warns(UserWarning, match="ran out"):
        tokenizer = train_bpe(corpus, budget=400, alphabet=alphabet)
    assert any(name == left + right for left in tokenizer.tokens for right in tokenizer.tokens)
    assert [token for token in results(tokenizer) if forbidden(token)] == []


def test_progress_is_told_the_size_and_the_budget():
    told = []
    train_bpe(counts(abcd=2), budget=259, progress=lambda size, budget: told.append((size, budget)))
    assert told == [(259, 259)]


def test_each_token_has_one_merge_and_the_table_is_proper():
    corpus = counts(low=5, lower=2, newest=6, widest=3)
    table = train_bpe(corpus, budget=256 + 10).table
    assert table.is_proper()
    assert table.has_one_merge_each()


def test_the_library_and_numba_in_the_process_give_the_same_merges(monkeypatch):
    corpus = counts(low=5, lower=2, newest=6, widest=3, aaaaa=4, banana=7)
    linked = train_bpe(corpus, budget=256 + 15)
    monkeypatch.setattr(bpe_training, "load_loop", native_loop.jit_loop)
    assert train_bpe(corpus, budget=256 + 15).tokens == linked.tokens
