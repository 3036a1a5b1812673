"""Our tokenizer.json: lossless for every text, and the same ids in every library that reads it."""

import json
import warnings
from collections import Counter
from functools import cache

import numpy as np
import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from modtok.tokenization.alphabet import BYTE_SYMBOLS
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.hf_format import write_tokenizer
from modtok.tokenization.loading import load
from modtok.tokenization.pretokenization import PATTERNS, split
from modtok.tokenization.word_count_files import WordCounts

TEXTS = ["the lowest of the low lower the new", " näin on hyvä, näin on", "це не те, що це", "తెలుగు తెలుగు"]
TRAPS = [
    "",
    " ",
    "<0x41>",
    "A<0x0A><0xE9><0x+1>",
    "<s>",
    "x<unk></s><pad>y",
    "\u2581 \u2581a",
    "NUL \0 inside",
    "line\r\nline\n\r\n",
    "runs    of     spaces   ",
    "\u0301 lone combining \u0301",
    "tab\tand\u00a0nbsp\u3000wide",
    "\ue000 private \U0010ffff",
    "👩‍👩‍👧 東京 ﷽",
    "\ufeffBOM",
]
load_once = cache(load)  # hypothesis calls a test hundreds of times
FORMS = [("bytes", "whitespace"), ("bytes", "gpt2"), ("characters", "whitespace"), ("characters", "gpt2")]


@pytest.fixture(scope="module", params=FORMS, ids="-".join)
def folder(request, tmp_path_factory):
    """A small tokenizer of every form; the alphabet of `characters` lacks the rarest letters of its text."""
    alphabet, pretokenization = request.param
    words = Counter(word for text in TEXTS for word in split(text, pretokenization))
    counts = WordCounts(list(words), 3 * np.array(list(words.values()), dtype=np.uint64))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the small corpus runs out
        trained = train_bpe(counts, budget=400, alphabet=alphabet, character_coverage=0.9)
    path = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(path, trained.tokenizer_json(pretokenization))
    return path


@pytest.mark.parametrize("text", TRAPS)
def test_known_traps_come_back_as_they_were(folder, text):
    tokenizer = load(folder)
    assert tokenizer.decode(tokenizer.encode_batch([text])[0]) == text


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
@settings(max_examples=200, deadline=None)
def test_every_text_comes_back_as_it_was(folder, text):
    tokenizer = load_once(folder)
    assert tokenizer.decode(tokenizer.encode_batch([text])[0]) == text


def test_special_tokens_in_text_are_text(folder):
    ids = load(folder).encode_batch(["<s>the<unk>"])[0]
    assert min(ids) > 3


@pytest.mark.parametrize("loader", [AutoTokenizer, PreTrainedTokenizerFast])
def test_transformers_loads_it_with_the_same_ids_and_special_tokens(folder, loader):
    theirs = loader.from_pretrained(folder)
    assert [theirs.encode(text) for text in TRAPS + TEXTS] == load(folder).encode_batch(TRAPS + TEXTS)
    assert (theirs.unk_token_id, theirs.bos_token_id, theirs.eos_token_id, theirs.pad_token_id) == (
        0,
        1,
        2,
        3,
    )


def test_hugging_faces_own_copy_of_the_file_encodes_the_same(folder, tmp_path):
    Tokenizer.from_file(str(folder / "tokenizer.json")).save(str(tmp_path / "tokenizer.json"))
    assert load(tmp_path).encode_batch(TRAPS + TEXTS) == load(folder).encode_batch(TRAPS + TEXTS)


def test_merges_are_pairs_and_the_config_names_no_llama_class(folder):
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    assert all(len(merge) == 2 for merge in tokenizer["model"]["merges"])
    assert config["tokenizer_class"] == "PreTrainedTokenizerFast"
    assert config["split_special_tokens"] is True


@pytest.mark.parametrize("folder", [("bytes", "gpt2")], indirect=True, ids="-".join)
def test_tiktoken_gives_the_same_ids_from_the_byte_tokens_by_rank(folder):
    vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    bytes_of = {symbol: byte for byte, symbol in enumerate(BYTE_SYMBOLS)}
    ranks = {
        bytes(bytes_of[symbol] for symbol in token): number
        for token, number in vocabulary.items()
        if number > 3
    }
    theirs = tiktoken.Encoding("ours", pat_str=PATTERNS["gpt2"], mergeable_ranks=ranks, special_tokens={})
    assert [theirs.encode(text, disallowed_special=()) for text in TEXTS + TRAPS] == load(
        folder
    ).encode_batch(TEXTS + TRAPS)
