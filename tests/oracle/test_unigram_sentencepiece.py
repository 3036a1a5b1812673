"""Unigram files against Hugging Face and SentencePiece: lossless, the same tokens, the best segmentation."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

from modtok.tokenization.loading import load
from modtok.tokenization.pretokenization import BYTE_TOKENS, SPECIAL_TOKENS, WHITE_SPACE, split
from modtok.tokenization.unigram import UnigramModel, train_unigram
from modtok.tokenization.unigram_format import write_unigram
from modtok.tokenization.word_count_files import WordCounts

NAMES = (*SPECIAL_TOKENS, *BYTE_TOKENS)
STRANGE = "\x00\x1c\u180e\u200b\ufeff\u2585<>x/s0"
TRAPS = (*WHITE_SPACE, *STRANGE, *NAMES, "<0x+1>", "<0xaf>", "\r\n", "   ", "...")
LANGUAGES = ("fr", "bg", "te")


@pytest.fixture(scope="module")
def words(repository: Path) -> list[str]:
    """Words of three scripts, and markup that looks like the names of byte and special tokens."""
    lines = [
        line
        for lang in LANGUAGES
        for line in (repository / f"tests/smoke/text/{lang}.txt").read_text(encoding="utf-8").split("\n")
    ]
    lines += ["<s>aaa... </s> <b><0x41> <unk>  x   y    <pad>\xa0\xa0\u3000"] * 20
    return [word for line in lines for word in split(line, "whitespace")]


@pytest.fixture(scope="module")
def model(words: list[str]) -> UnigramModel:
    counted = sorted(Counter(words).items(), key=lambda item: (-item[1], item[0]))
    counts = WordCounts([word for word, _ in counted], np.array([n for _, n in counted], dtype=np.uint64))
    return train_unigram(counts, budget=1500, character_coverage=0.999).model


@pytest.fixture(scope="module", params=["whitespace", "gpt2"])
def folder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, model: UnigramModel
) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    write_unigram(folder, model, request.param)
    return folder


@pytest.fixture(scope="module")
def hugging_face(folder: Path) -> Tokenizer:
    return load(folder).tokenizer


@pytest.fixture(scope="module")
def both(
    tmp_path_factory: pytest.TempPathFactory, model: UnigramModel
) -> tuple[Tokenizer, SentencePieceProcessor]:
    folder = tmp_path_factory.mktemp("both")
    write_unigram(folder, model, "whitespace")
    return load(folder).tokenizer, load(folder / "tokenizer.model").processor


def texts_of(words: list[str]) -> st.SearchStrategy[str]:
    known = st.lists(st.sampled_from(words)).map("".join)
    strange = st.lists(st.sampled_from(TRAPS)).map("".join)
    anything = st.text(st.characters(exclude_categories=["Cs"]))
    return st.lists(st.one_of(known, strange, anything)).map("".join)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_lossless(hugging_face: Tokenizer, words: list[str], data: st.DataObject) -> None:
    text = data.draw(st.one_of(texts_of(words), texts_of([*words, "\u2581"])))
    encoding = hugging_face.encode(text)
    assert hugging_face.decode(encoding.ids) == text
    assert not set(encoding.ids) & {0, 1, 2, 3}


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_sentencepiece_agrees_token_for_token(
    both: tuple[Tokenizer, SentencePieceProcessor], words: list[str], data: st.DataObject
) -> None:
    text = data.draw(texts_of(words)).replace("\u2581", "")
    hugging_face, sentencepiece = both
    assert hugging_face.encode(text).ids == sentencepiece.encode(text)


def test_every_code_point_is_lossless_and_agrees(both: tuple[Tokenizer, SentencePieceProcessor]) -> None:
    hugging_face, sentencepiece = both
    points = [*range(0x2581), *range(0x2582, 0xD800), *range(0xE000, 0x30000), *range(0x30000, 0x110000, 97)]
    for start in range(0, len(points), 4096):
        text = "a".join(map(chr, points[start : start + 4096]))
        ids = hugging_face.encode(text).ids
        assert hugging_face.decode(ids) == text
        assert sentencepiece.encode(text) == ids


def test_bytes_stand_for_each_character_without_a_piece(hugging_face: Tokenizer) -> None:
    assert hugging_face.encode("\u2581").tokens == ["<0xE2>", "<0x96>", "<0x81>"]
    assert hugging_face.encode("\u2581\U0001f600").tokens[3:] == ["<0xF0>", "<0x9F>", "<0x98>", "<0x80>"]


def test_names_are_text(hugging_face: Tokenizer) -> None:
    for name in NAMES:
        assert len(hugging_face.encode(name)) >= len("<s>") - 1
        assert hugging_face.decode(hugging_face.encode(f"a {name}{name}b").ids) == f"a {name}{name}b"


def test_transformers_loads_the_folder(folder: Path, words: list[str]) -> None:
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    text = "".join(words[:50]) + "<s> <0x41>  \u2581\r\n "
    assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text
    assert (tokenizer.unk_token_id, tokenizer.pad_token_id) == (0, 3)


def best_score(word: str, scores: dict[str, float], unknown: float) -> float:
    """By trying every way to cut the word; a single character without a piece is unknown."""
    ways = []
    for n in range(len(word)):
        for cuts in combinations(range(1, len(word)), n):
            parts = [word[i:j] for i, j in zip((0, *cuts), (*cuts, len(word)), strict=True)]
            if all(part in scores or len(part) == 1 for part in parts):
                ways.append(sum(scores.get(part, unknown) for part in parts))
    return max(ways)


@settings(max_examples=100, deadline=None)
@given(word=st.text("abc\u2581", min_size=1, max_size=7), data=st.data())
def test_one_unknown_edge_per_character_at_the_minimum_less_ten(
    tmp_path_factory: pytest.TempPathFactory, word: str, data: st.DataObject
) -> None:
    pieces = data.draw(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=8, unique=True))
    drawn = data.draw(st.lists(st.integers(-40, -1), min_size=len(pieces), max_size=len(pieces)))
    scores = dict(zip(pieces, (score / 4 for score in drawn), strict=True))
    folder = tmp_path_factory.mktemp("small")
    write_unigram(folder, UnigramModel(pieces, np.array(list(scores.values()))), "whitespace")
    tokens = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(word).tokens
    known = [token for token in tokens if token not in BYTE_TOKENS]
    unknown = min(scores.values()) - 10
    n_unknown = len(word) - len("".join(known))
    assert sum(map(scores.__getitem__, known)) + n_unknown * unknown == best_score(word, scores, unknown)
