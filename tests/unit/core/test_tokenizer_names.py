"""Names of tokenizers."""

import pytest

from modtok.core.errors import ConfigError
from modtok.core.tokenizer_names import family_of, full_name, joint_size, languages_of, subtokenizer


@pytest.mark.parametrize(
    ("tokenizer", "family"),
    [
        ("mono-bpe-fr", "mono-bpe"),
        ("mono-unigram-fr", "mono-unigram"),
        ("joint-bpe-4000", "joint-bpe-4000"),
        ("open-mono-bpe-fr", "open-mono-bpe-fr"),
        ("sequential-bpe+fr", "sequential-bpe+lang"),
        ("sequential-bpe+fr+en", "sequential-bpe+fr+en"),
        ("sequential-bpe", "sequential-bpe"),
    ],
)
def test_tokenizers_of_one_language_each_form_a_family(tokenizer: str, family: str) -> None:
    assert family_of(tokenizer) == family


def test_a_monolingual_tokenizer_is_counted_on_its_own_language() -> None:
    assert languages_of("mono-bpe-el", ["bg", "el"]) == ["el"]
    assert languages_of("joint-bpe-4000", ["bg", "el"]) == ["bg", "el"]
    with pytest.raises(ConfigError, match="mono-bpe-fi: its language is not among bg, el"):
        languages_of("mono-bpe-fi", ["bg", "el"])


@pytest.mark.parametrize(
    ("tokenizer", "size"),
    [("joint-bpe-128000", 128000), ("joint-unigram-20", 20), ("open-joint-bpe-20", None)],
)
def test_a_joint_tokenizer_carries_its_size(tokenizer: str, size: int | None) -> None:
    assert joint_size(tokenizer) == size


def test_a_subtokenizer_names_what_it_is_taken_from_and_its_languages() -> None:
    assert subtokenizer("merged-unigram", ["fr", "en"]) == "merged-unigram+fr+en"
    assert full_name("merged-unigram+fr+en") == full_name("merged-unigram") == "merged-unigram"
