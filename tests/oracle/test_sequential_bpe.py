"""Sequential BPE against its slow definition: the same tokens, merges and sets."""

import gzip
import warnings
from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
import regex
from hypothesis import event, given, settings
from hypothesis import strategies as st

from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.pretokenization import split
from modtok.tokenization.sequential_bpe import SequentialBPE
from modtok.tokenization.word_count_files import WordCounts
from oracle.slow_sequential import RecountingSequential, SlowSequential, covering

RARE = 2
WORDS = regex.compile(r" ?[^\s]+|\s+(?!\S)|\s+")
Languages = Mapping[str, Mapping[str, int]]


def counted(words: Mapping[str, int]) -> WordCounts:
    ordered = sorted(words.items(), key=lambda item: (-item[1], item[0]))
    return WordCounts([word for word, _ in ordered], np.array([n for _, n in ordered], dtype=np.uint64))


def fast(languages: Languages, alphabet: str, given: Settings) -> SequentialBPE:
    sequential = SequentialBPE.empty(alphabet, "whitespace")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the small corpora run out
        for lang, words in languages.items():
            sequential.add(lang, counted(words), given)
    return sequential


def slow(
    languages: Languages, alphabet: str, given: Settings, oracle: type = SlowSequential
) -> SlowSequential:
    sequential = oracle(alphabet)
    for lang, words in languages.items():
        sequential.learn(lang, words, given.budget, given.min_frequency, given.character_coverage)
    return sequential


def assert_same(ours: SequentialBPE, theirs: SlowSequential) -> None:
    table = ours.table.merges
    merges = zip(table.left.tolist(), table.right.tolist(), table.result.tolist(), strict=True)
    assert ours.table.surfaces == theirs.surfaces
    assert list(merges) == theirs.merges
    assert {lang: ids.tolist() for lang, ids in ours.modules.items()} == {
        lang: sorted(ids) for lang, ids in theirs.modules.items()
    }


words = st.text(st.sampled_from("aaabbcé東"), min_size=1, max_size=7) | st.sampled_from(
    ["<s>", "a<s>b", "<0x41>"]
)
corpora = st.lists(st.dictionaries(words, st.integers(1, 9), min_size=1, max_size=9), min_size=2, max_size=4)


@given(corpora, st.integers(0, 14), st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_bytes_are_learned_as_defined(languages, room, min_frequency):
    given_ = Settings(256 + room, min_frequency)
    named = dict(zip("abcd", languages, strict=False))
    expected = slow(named, "bytes", given_)
    event(f"some token did not fit: {expected.passed_over}")
    assert_same(fast(named, "bytes", given_), expected)
    assert slow(named, "bytes", given_, RecountingSequential).modules == expected.modules


@given(corpora, st.integers(0, 14), st.integers(1, 3), st.sampled_from([1.0, 0.9, 0.6]))
@settings(max_examples=100, deadline=None)
def test_characters_are_learned_as_defined(languages, room, min_frequency, coverage):
    named = dict(zip("abcd", languages, strict=False))
    alphabet = max(len(covering(own, coverage)) for own in languages)
    given_ = Settings(256 + alphabet + room, min_frequency, coverage)
    expected = slow(named, "characters", given_)
    event(f"some token did not fit: {expected.passed_over}")
    assert_same(fast(named, "characters", given_), expected)
    assert slow(named, "characters", given_, RecountingSequential).modules == expected.modules


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
def test_real_text_is_learned_as_defined(repository, alphabet):
    languages = {}
    for lang in ("fr", "en", "fi"):
        text = (repository / "tests" / "smoke" / "text" / f"{lang}.txt").read_text(encoding="utf-8")[:800]
        cut = split(text, "whitespace")
        languages[lang] = {word: cut.count(word) for word in cut}
    given_ = Settings(330, 2, 0.99)
    assert_same(fast(languages, alphabet, given_), slow(languages, alphabet, given_))


@pytest.fixture(scope="module")
def six_languages(real_data):
    """Words of six languages in four scripts, cut here by the pattern itself; rare ones cost minutes."""
    languages = {}
    for lang in ("bg", "el", "en", "fi", "fr", "te"):
        with gzip.open(real_data / "text" / f"{lang}.txt.gz", "rt", encoding="utf-8", newline="\n") as file:
            lines = (line.removesuffix("\n").removesuffix("\r") for line in file)
            counts = Counter(word for line in lines for word in WORDS.findall(line))
        languages[lang] = {word: count for word, count in counts.items() if count > RARE}
    return languages


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
def test_six_real_languages_are_learned_as_defined(six_languages, alphabet):
    """A minute for each alphabet."""
    given_ = Settings(2000)
    expected = slow(six_languages, alphabet, given_, RecountingSequential)
    assert_same(fast(six_languages, alphabet, given_), expected)
