"""What GGUF says of a tokenizer, and which tokenizers are refused."""

import numpy as np
import pytest

from modtok.core.errors import DataError
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.gguf_vocabulary import gguf_fields
from modtok.tokenization.hf_format import frame
from modtok.tokenization.modular import Modular
from modtok.tokenization.sequential_bpe import SequentialBPE
from modtok.tokenization.word_count_files import WordCounts

WORDS = {
    "en": WordCounts([" the", " then", " sea"], np.array([9, 5, 4])),
    "fi": WordCounts([" ensi", " sen", " nyt"], np.array([8, 6, 5])),
}


@pytest.fixture(scope="module")
def modular() -> Modular:
    growing = SequentialBPE.empty("bytes", "gpt2")
    for lang, counts in WORDS.items():
        growing.add(lang, counts, Settings(260))
    return growing.modular()


def test_fields_are_the_tokenizers(modular: Modular) -> None:
    table = modular.extract(["fi"]).tokenizer_json
    fields = gguf_fields(table, "fi")
    vocabulary = table["model"]["vocab"]
    tokens = fields["tokenizer.ggml.tokens"]
    assert {token: number for number, token in enumerate(tokens)} == vocabulary
    assert fields["tokenizer.ggml.merges"] == [" ".join(pair) for pair in table["model"]["merges"]]
    assert len(fields["tokenizer.ggml.merges"]) == 4
    assert all(len(merge.split(" ")) == 2 for merge in fields["tokenizer.ggml.merges"])
    kinds = dict(zip(tokens, fields["tokenizer.ggml.token_type"], strict=True))
    assert {token for token, kind in kinds.items() if kind == 3} == {"<unk>", "<s>", "</s>", "<pad>"}
    ids = {key.split(".")[-1]: value for key, value in fields.items() if key.endswith("_token_id")}
    assert ids == {"unknown_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "padding_token_id": 3}
    assert (fields["tokenizer.ggml.model"], fields["tokenizer.ggml.pre"]) == ("gpt2", "gpt-2")


def test_cuts_at_white_space_are_refused() -> None:
    table = train_bpe(WORDS["en"], budget=258).tokenizer_json("whitespace")
    with pytest.raises(DataError, match=r"its words are cut at white space .*--pretokenization gpt2"):
        gguf_fields(table, "mono-bpe-en")


def test_characters_are_refused() -> None:
    table = train_bpe(WORDS["en"], budget=266, alphabet="characters").tokenizer_json("gpt2")
    with pytest.raises(DataError, match="its alphabet is characters"):
        gguf_fields(table, "mono-bpe-en")


def test_unigram_is_refused(modular: Modular) -> None:
    table = {**modular.tokenizer_json, "model": {"type": "Unigram", "vocab": [], "unk_id": None}}
    with pytest.raises(DataError, match=r"a Unigram tokenizer; llama\.cpp reads BPE of ours"):
        gguf_fields(table, "merged-unigram")


@pytest.mark.parametrize(
    "table", [{}, frame([{"type": "Split", "pattern": {"Regex": "x"}}], {"type": "x"}, {"type": "BPE"})]
)
def test_tokenizers_of_others_are_refused(table: dict) -> None:
    with pytest.raises(DataError, match="open-x: not a tokenizer of modtok"):
        gguf_fields(table, "open-x")
