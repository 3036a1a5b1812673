"""Loading tokenizers of several kinds, and what is no tokenizer."""

import gzip
import io
import json

import numpy as np
import pytest
import sentencepiece

from modtok.core.errors import DataError
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.hf_format import write_tokenizer
from modtok.tokenization.loading import load
from modtok.tokenization.word_count_files import WordCounts


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A byte tokenizer that knows `lo` and `low` only."""
    trained = train_bpe(WordCounts(["low", "lower"], np.array([5, 2], dtype=np.uint64)), budget=258)
    path = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(path, trained.tokenizer_json("whitespace"))
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A SentencePiece model of someone else: its own normalization, no byte fallback."""
    data = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["low lower lowest"] * 20),
        model_writer=data,
        vocab_size=15,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    path = tmp_path_factory.mktemp("model") / "tokenizer.model"
    path.write_bytes(data.getvalue())
    return path


def test_merges_are_applied_in_the_order_learned(folder):
    """The second document's example: lower becomes low, e, r."""
    tokenizer = load(folder)
    ids = tokenizer.encode_batch(["lower", ""])
    assert tokenizer.tokens(ids[0]) == ["low", "e", "r"]
    assert tokenizer.count_batch(["lower", ""]).tolist() == [3, 0]
    assert tokenizer.vocabulary_size == 4 + 258


def test_a_file_and_its_gzip_load_like_the_folder(folder, tmp_path):
    packed = tmp_path / "any.tokenizer.json.gz"
    packed.write_bytes(gzip.compress((folder / "tokenizer.json").read_bytes()))
    expected = load(folder).encode_batch(["lower <s>"])
    assert load(packed).encode_batch(["lower <s>"]) == expected
    assert load(folder / "tokenizer.json").encode_batch(["lower <s>"]) == expected


def test_a_sentencepiece_model_loads_from_file_and_folder(model):
    for path in (model, model.parent):
        tokenizer = load(path)
        ids = tokenizer.encode_batch(["low lower", ""])
        assert tokenizer.decode(ids[0]) == "low lower"
        assert tokenizer.tokens(ids[0])[0].startswith("▁")
        assert tokenizer.count_batch(["low lower", ""]).tolist() == [len(ids[0]), 0]
        assert tokenizer.vocabulary_size > 10


@pytest.mark.parametrize("kind", ["folder", "model"])
def test_a_lone_surrogate_is_an_error_that_names_the_line(kind, request):
    tokenizer = load(request.getfixturevalue(kind))
    with pytest.raises(DataError, match=r"line 2: lone surrogate U\+DC80 at character 3"):
        tokenizer.encode_batch(["fine", "ab\udc80"])
    with pytest.raises(DataError, match="line 1: lone surrogate"):
        tokenizer.count_batch(["\ud800"])


@pytest.mark.parametrize("kind", ["folder", "model"])
@pytest.mark.parametrize("number", [-1, 100_000, 2**40])
def test_an_id_that_no_token_has_is_an_error(kind, number, request):
    tokenizer = load(request.getfixturevalue(kind))
    with pytest.raises(DataError, match=f"no token has the id {number}"):
        tokenizer.decode([5, number])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("text.json", b"not JSON"),
        ("other.json", b'{"vocabulary": 3}'),
        ("bytes.json", b"\xff\xfe\x00"),
        ("cut.json.gz", gzip.compress(b"{}" * 999, mtime=0)[:20]),
        ("plain.json.gz", b"{}"),
        ("text.model", b"not a model"),
        ("empty.model", b""),
    ],
)
def test_a_file_that_is_no_tokenizer_is_an_error_that_names_it(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=rf"(?s){name}: not a .*; name "):
        load(tmp_path / name)


def test_a_folder_without_a_tokenizer_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"no tokenizer\.json and no tokenizer\.model .*; name another"):
        load(tmp_path)


def written(path, model: dict):
    """A tokenizer.json that has a model and no pre-tokenizer."""
    path.write_text(json.dumps({"added_tokens": [], "model": model}), encoding="utf-8")
    return path


def test_dropout_is_turned_off(folder, tmp_path):
    file = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    file["model"]["dropout"] = 0.5
    (tmp_path / "tokenizer.json").write_text(json.dumps(file), encoding="utf-8")
    texts = ["low lower"] * 50
    assert load(tmp_path).encode_batch(texts) == load(folder).encode_batch(texts)


@pytest.mark.parametrize(
    "model",
    [
        {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {"a": 0}},
        {"type": "Unigram", "unk_id": None, "vocab": [["a", -1.0]]},
        {"type": "BPE", "unk_token": "[UNK]", "vocab": {"a": 0}, "merges": []},
    ],
    ids=lambda model: model["type"],
)
def test_a_text_that_the_tokenizer_fails_at_is_an_error_that_names_the_file(tmp_path, model):
    tokenizer = load(written(tmp_path / "unknown.json", model))
    with pytest.raises(DataError, match=r"unknown\.json: this tokenizer cannot encode the text .*; mend"):
        tokenizer.encode_batch(["b"])


def test_a_panic_of_the_library_is_the_error_alone(tmp_path, capfd):
    model = {"type": "BPE", "continuing_subword_prefix": "##", "vocab": {"a": 0, "aa": 1}}
    with pytest.raises(DataError, match=r"panic\.json: not a tokenizer\.json"):
        load(written(tmp_path / "panic.json", model | {"merges": [["a", "a"]]}))
    assert capfd.readouterr().err == ""
