"""Hugging Face cuts every text as `split` does, all of Unicode included."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models

from modtok.tokenization.pretokenization import (
    BYTE_TOKENS,
    PATTERNS,
    SPECIAL_TOKENS,
    WHITE_SPACE,
    forbidden,
    hf_splits,
    split,
)

NAMES = (*SPECIAL_TOKENS, *BYTE_TOKENS)
TRAPS = (*WHITE_SPACE, *"\x1c\x1d\x1e\x1f\x00\u180e\u200b\u2060\ufeff\u2581\u0378 aÉж5½'.<>", *NAMES)
texts = st.one_of(st.text(), st.lists(st.sampled_from(TRAPS)).map("".join))


def pre_tokenizer(pretokenization: str, model: str = "BPE") -> Tokenizer:
    written = json.loads(Tokenizer(models.BPE()).to_str())
    splits = hf_splits(pretokenization, model)
    written["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": splits}
    return Tokenizer.from_str(json.dumps(written)).pre_tokenizer


HF = {name: pre_tokenizer(name) for name in PATTERNS}
HF_GUARDED = {name: pre_tokenizer(name, "Unigram") for name in PATTERNS}


def hf_split(text: str, splits: dict[str, Tokenizer], pretokenization: str) -> list[str]:
    return [piece for piece, _ in splits[pretokenization].pre_tokenize_str(text)]


@pytest.mark.parametrize("pretokenization", PATTERNS)
@given(text=texts)
def test_hugging_face_cuts_alike(pretokenization: str, text: str) -> None:
    assert hf_split(text, HF, pretokenization) == split(text, pretokenization)


@pytest.mark.parametrize("pretokenization", PATTERNS)
def test_hugging_face_cuts_alike_at_every_code_point(pretokenization: str) -> None:
    """Each code point between a letter and a digit; the Unicode versions of the libraries must not show."""
    # Planes 4 to 16 hold unassigned and private characters alone, but for some in plane 14: a sample will do.
    points = [*range(0xD800), *range(0xE000, 0x40000), *range(0x40000, 0x110000, 97)]
    text = " ".join(f"a{chr(point)}1" for point in points)
    assert hf_split(text, HF, pretokenization) == split(text, pretokenization)


@pytest.mark.parametrize("pretokenization", PATTERNS)
@given(text=texts)
def test_no_name_stands_in_a_guarded_piece(pretokenization: str, text: str) -> None:
    pieces = hf_split(text, HF_GUARDED, pretokenization)
    assert "".join(pieces) == text
    assert not any(name in piece for piece in pieces for name in NAMES)


def test_what_the_byte_fallback_decoder_reads_as_a_byte_is_forbidden() -> None:
    decoder = decoders.ByteFallback()
    digits = [*map(chr, range(128)), "é"]
    surfaces = [f"<0x{a}{b}>" for a in digits for b in digits]
    read_as_bytes = [surface for surface in surfaces if decoder.decode([surface]) != surface]
    assert read_as_bytes
    assert all(map(forbidden, read_as_bytes))
