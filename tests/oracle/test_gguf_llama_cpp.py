"""Exported tokenizers and models in llama.cpp, against our own encoding and transformers' logits.

They skip where llama-cpp-python is not installed: it is built from source, which takes long, and nothing else
here needs it.
"""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM

from modtok.core.model_shapes import ModelShape
from modtok.modelling.architecture import Architecture
from modtok.modelling.export import Checkpoint, extract_model
from modtok.modelling.gguf_file import write_gguf
from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.gguf_vocabulary import gguf_fields
from modtok.tokenization.loading import from_json, load, read_tokenizer_json
from modtok.tokenization.modular import Modular
from small_models import write_drawn
from small_tokenizers import train_sequential

llama_cpp = pytest.importorskip("llama_cpp", reason="needs llama-cpp-python, which is built from source")

LANGS = ("en", "el", "te")
HARD = [
    "<s> a </s> <0x41>",
    "a\u00a0b  c\n\n d\t\u2028e\u3000",
    "don't we'll I'M 12३५ ½ x²",
    "",
    " ",
    "\n",
    "👩‍🚀 café e\u0301",
]


@pytest.fixture(scope="module")
def modular(tmp_path_factory: pytest.TempPathFactory) -> Modular:
    folder = tmp_path_factory.mktemp("full")
    return Modular.load(train_sequential(folder, LANGS, Settings(600), pretokenization="gpt2"))


def lines(folder: Path) -> list[str]:
    return [
        line for file in sorted(folder.iterdir()) for line in file.read_text(encoding="utf-8").splitlines()
    ]


def differing(file: Path, ours, texts: list[str]) -> list[str]:
    """The texts that llama.cpp encodes otherwise."""
    theirs = llama_cpp.Llama(str(file), vocab_only=True, verbose=False)
    ids = [theirs.tokenize(text.encode(), add_bos=False, special=False) for text in texts]
    return [text for text, one, own in zip(texts, ids, ours.encode_batch(texts), strict=True) if one != own]


@pytest.mark.parametrize("langs", [["en"], ["te"], ["en", "el"]])
def test_llama_cpp_finds_the_same_tokens(
    modular: Modular, langs: list[str], repository: Path, tmp_path: Path
) -> None:
    table = modular.extract(langs).tokenizer_json
    write_gguf(tmp_path / "a.gguf", "a", gguf_fields(table, "a"))
    texts = [*lines(repository / "tests/smoke/parallel"), *HARD]
    assert differing(tmp_path / "a.gguf", from_json(table, "a"), texts) == []


@pytest.mark.data
def test_llama_cpp_finds_the_same_tokens_on_real_text(
    modular: Modular, real_data: Path, tmp_path: Path
) -> None:
    table = modular.extract(LANGS).tokenizer_json
    write_gguf(tmp_path / "a.gguf", "a", gguf_fields(table, "a"))
    for folder in sorted((real_data / "parallel").iterdir()):
        assert differing(tmp_path / "a.gguf", from_json(table, "a"), lines(folder)) == []


def test_llama_cpp_computes_the_same_logits(modular: Modular, tmp_path: Path) -> None:
    architecture = Architecture(ModelShape(64, 2, 4, 2, 160, 256), modular.size, tied=False)
    write_drawn(tmp_path / "full", architecture, 7)
    modular.write(tmp_path / "tokenizer")
    part = tmp_path / "en"
    extract_model(tmp_path / "full", tmp_path / "tokenizer", modular, ["en"], part)
    fields = gguf_fields(read_tokenizer_json(part / "tokenizer.json"), "en")
    write_gguf(tmp_path / "en.gguf", "en", fields, Checkpoint.open(part))
    theirs = llama_cpp.Llama(
        str(tmp_path / "en.gguf"),
        n_ctx=256,
        logits_all=True,
        flash_attn=False,
        type_k=0,
        type_v=0,
        verbose=False,
    )
    text = "The sea is wide, and the ships are small."
    ids = theirs.tokenize(text.encode(), add_bos=True)
    assert ids == [1, *load(part).encode_batch([text])[0]]
    theirs.eval(ids)
    with torch.no_grad():
        ours = LlamaForCausalLM.from_pretrained(part)(torch.tensor([ids])).logits[0].numpy()
    found = np.array(theirs.scores[: len(ids)])
    assert found == pytest.approx(ours, abs=2e-4 * float(np.abs(ours).max()))
