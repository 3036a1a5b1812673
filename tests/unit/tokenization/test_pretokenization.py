"""The two pre-tokenizations: what they cut, and that nothing is lost."""

import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from modtok.tokenization.pretokenization import (
    BYTE_TOKENS,
    PATTERNS,
    SPECIAL_TOKENS,
    WHITE_SPACE,
    forbidden,
    hf_splits,
    split,
    split_words,
)

# Characters that one library or another takes for white space, plain text, names and contractions.
TRAPS = (
    *WHITE_SPACE,
    *"\x1c\x1d\x1e\x1f\x00\u180e\u200b\u2060\ufeff\u2581\ud800\u0345\u0378",
    *" aÉж5½'.<>",
    *("'s", "'ll", "<0x41>", "<s>", "</s>", "<unk>", "<pad>", "\r\n", "  "),
)
texts = st.one_of(st.text(), st.lists(st.sampled_from(TRAPS)).map("".join))


def test_white_space_is_unicode_white_space() -> None:
    everything = "".join(map(chr, range(0x110000)))
    assert "".join(regex.findall(r"\p{White_Space}", everything)) == WHITE_SPACE
    assert "".join(regex.findall(r"\s", everything)) == WHITE_SPACE
    assert len(WHITE_SPACE) == 25


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("two words", ["two", " words"]),
        (" leading", [" leading"]),
        ("a  two spaces", ["a", " ", " two", " spaces"]),
        ("a   three", ["a", "  ", " three"]),
        ("trailing  ", ["trailing", "  "]),
        ("tab\tstands alone", ["tab", "\t", "stands", " alone"]),
        ("two\t\ttabs", ["two", "\t", "\t", "tabs"]),
        ("line\r\n end", ["line", "\r\n", " end"]),
        ("no\xa0break", ["no", "\xa0", "break"]),
        ("file\x1cseparator is no white space", ["file\x1cseparator", " is", " no", " white", " space"]),
        ("zero\u200bwidth", ["zero\u200bwidth"]),
        ("\ufeffmark", ["\ufeffmark"]),
    ],
)
def test_whitespace_examples(text: str, pieces: list[str]) -> None:
    assert split(text, "whitespace") == pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("it's 20° here", ["it", "'s", " 20", "°", " here"]),
        ("don't, we'll", ["don", "'t", ",", " we", "'ll"]),
        ("а\u0301 combining accent", ["а", "\u0301", " combining", " accent"]),
        ("lone \ud800 surrogate", ["lone", " \ud800", " surrogate"]),
        ("unassigned\u0378", ["unassigned", "\u0378"]),
    ],
)
def test_gpt2_examples(text: str, pieces: list[str]) -> None:
    assert split(text, "gpt2") == pieces


@pytest.mark.parametrize("pretokenization", PATTERNS)
@given(text=texts)
def test_pieces_join_to_the_text(pretokenization: str, text: str) -> None:
    assert "".join(split(text, pretokenization)) == text


@given(text=texts)
def test_whitespace_equals_its_pattern(text: str) -> None:
    assert split(text, "whitespace") == regex.findall(PATTERNS["whitespace"], text)


@given(text=texts)
def test_gpt2_equals_its_pattern_on_characters_both_unicode_versions_know(text: str) -> None:
    known = "".join(c for c in text if unicodedata.category(c) != "Cn")
    assert split(known, "gpt2") == regex.findall(PATTERNS["gpt2"], known)


@given(text=texts)
def test_gpt2_cuts_the_whitespace_pieces_and_nothing_across_them(text: str) -> None:
    known = "".join(c for c in text if unicodedata.category(c) != "Cn")
    assert split_words(split(known, "whitespace")) == regex.findall(PATTERNS["gpt2"], known)


def test_only_unigram_has_the_name_guard() -> None:
    assert len(hf_splits("gpt2")) == 1
    assert [step["type"] for step in hf_splits("gpt2", "Unigram")] == ["Split", "Split"]


def test_names_are_forbidden() -> None:
    # The last three are what Hugging Face's ByteFallback decoder would turn into a byte.
    assert all(map(forbidden, [*SPECIAL_TOKENS, *BYTE_TOKENS, "<0xaf>", "<0xaF>", "<0x+7>"]))
    assert not any(
        map(forbidden, ["", "<", "<0x4", "<0x41", "<0x411>", "<0xGG>", " <s>", "<S>", "s>", "<0x4 >"])
    )
