"""Our BPE against Hugging Face's BpeTrainer, merge for merge, and against a slow definition of BPE."""

import json
import warnings
from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from modtok.tokenization.bpe import TrainedBPE, train_bpe
from modtok.tokenization.pretokenization import SPECIAL_TOKENS, split
from modtok.tokenization.word_count_files import WordCounts
from oracle.slow_bpe import slow_merges


def counted(words: Mapping[str, int]) -> WordCounts:
    ordered = sorted(words.items(), key=lambda item: (-item[1], item[0]))
    return WordCounts([word for word, _ in ordered], np.array([n for _, n in ordered], dtype=np.uint64))


def trained(words: Mapping[str, int], budget: int, **options: object) -> TrainedBPE:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the small corpora run out
        return train_bpe(counted(words), budget=budget, **options)


def our_merges(tokenizer: TrainedBPE) -> list[tuple[str, str]]:
    return [
        (tokenizer.tokens[a], tokenizer.tokens[b])
        for a, b in zip(tokenizer.table.left, tokenizer.table.right, strict=True)
    ]


def hf_merges(
    words: Mapping[str, int], budget: int, alphabet: list[str], byte_level: bool
) -> list[tuple[str, str]]:
    """What Hugging Face makes of the same words; each is repeated as often as it occurs and never split."""
    tokenizer = Tokenizer(models.BPE())
    if byte_level:
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trainer = trainers.BpeTrainer(
        vocab_size=budget + len(SPECIAL_TOKENS),
        min_frequency=2,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=alphabet,
        show_progress=False,
    )
    tokenizer.train_from_iterator((word for word, count in words.items() for word in [word] * count), trainer)
    return [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]


def hf_bytes(words: Mapping[str, int], budget: int) -> list[tuple[str, str]]:
    return hf_merges(words, budget, pre_tokenizers.ByteLevel.alphabet(), byte_level=True)


def hf_characters(words: Mapping[str, int], budget: int) -> list[tuple[str, str]]:
    characters = sorted(set("".join(words)))
    return hf_merges(words, budget - 256, characters, byte_level=False)


@pytest.fixture(scope="module", params=["en", "fi", "bg", "el", "te"])
def words_of_a_language(request, repository) -> Counter[str]:
    text = (repository / "tests" / "smoke" / "text" / f"{request.param}.txt").read_text(encoding="utf-8")
    return Counter(word for line in text.split("\n") for word in split(line, "whitespace"))


def test_byte_merges_equal_hugging_faces_on_real_text(words_of_a_language):
    ours = our_merges(trained(words_of_a_language, 3000))
    assert len(ours) > 1000
    assert ours == hf_bytes(words_of_a_language, 3000)


def test_character_merges_equal_hugging_faces_on_real_text(words_of_a_language):
    ours = our_merges(trained(words_of_a_language, 3000, alphabet="characters", character_coverage=1.0))
    assert len(ours) > 1000
    assert ours == hf_characters(words_of_a_language, 3000)


def without(characters: str, words: Mapping[str, int]) -> Counter[str]:
    """The words broken at each of these characters, as words of their own."""
    pieces: Counter[str] = Counter()
    for word, count in words.items():
        for piece in "".join("\0" if c in characters else c for c in word).split("\0"):
            pieces[piece] += count if piece else 0
    return +pieces


def test_a_character_outside_the_alphabet_breaks_the_word(words_of_a_language):
    ours = trained(words_of_a_language, 3000, alphabet="characters", character_coverage=0.99)
    rare = "".join(set("".join(words_of_a_language)) - set(ours.alphabet.characters))
    assert rare
    assert our_merges(ours) == hf_characters(without(rare, words_of_a_language), 3000)


few_letters = st.text(st.sampled_from("ab é東"), min_size=1, max_size=12)
small_corpora = st.dictionaries(few_letters, st.integers(1, 9), min_size=1, max_size=12)


@given(small_corpora, st.integers(0, 60))
@settings(max_examples=150, deadline=None)
def test_random_corpora_give_the_same_merges_as_hugging_face(words, merges):
    assert our_merges(trained(words, 256 + merges)) == hf_bytes(words, 256 + merges)
    budget = 256 + len(set("".join(words))) + merges
    ours = our_merges(trained(words, budget, alphabet="characters", character_coverage=1.0))
    assert ours == hf_characters(words, budget)


@given(small_corpora, st.integers(0, 60), st.integers(1, 10**12))
@settings(max_examples=150, deadline=None)
def test_random_corpora_with_any_counts_give_the_merges_of_the_definition(words, merges, factor):
    words = {word: count * factor for word, count in words.items()}
    ours = trained(words, 256 + merges)
    spelled = [ours.alphabet.spelling.spell([word])[0][1:-1].tolist() for word in words]
    expected = slow_merges(spelled, list(words.values()), merges, first_id=260)
    assert list(zip(ours.table.left, ours.table.right, ours.table.result, strict=True)) == expected


def test_counts_beyond_31_bits_order_the_merges():
    """(a, b) occurs 3 * 2^31 times; in the 32 bits of Hugging Face that is negative, and (c, d) would win."""
    words = {"ab": 3 * 2**31, "cd": 2**31}
    assert our_merges(trained(words, 258)) == [("a", "b"), ("c", "d")]
