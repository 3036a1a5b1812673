"""Importing open tokenizers from files and from a hub that is not there."""

import gzip
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models

from modtok.core.errors import ConfigError, DataError
from modtok.core.tokenizer_names import file_name
from modtok.tokenization.loading import load
from modtok.tokenization.open_tokenizers import import_open_tokenizer


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    path = tmp_path / "letters.tokenizer.json"
    Tokenizer(models.BPE(vocab={"a": 0, "b": 1, "ab": 2}, merges=[("a", "b")])).save(str(path))
    return path


def test_a_file_is_copied_byte_for_byte(letters: Path, tmp_path: Path) -> None:
    out = tmp_path / "open-letters" / "tokenizer.json"
    import_open_tokenizer(str(letters), out)
    assert out.read_bytes() == letters.read_bytes()


def test_a_packed_file_is_unpacked(letters: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed.tokenizer.json.gz"
    packed.write_bytes(gzip.compress(letters.read_bytes()))
    out = tmp_path / "open-letters" / "tokenizer.json"
    import_open_tokenizer(str(packed), out)
    assert load(out).count_batch(["aba"]).tolist() == [2]


def test_a_model_of_sentencepiece_stays_one(tmp_path: Path) -> None:
    import sentencepiece

    model = tmp_path / "tiny.model"
    with model.open("wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["words to learn", "more words", "learn more"]),
            model_writer=file,
            vocab_size=30,
            hard_vocab_limit=False,
            minloglevel=2,
        )
    out = tmp_path / "open-tiny" / file_name(str(model))
    import_open_tokenizer(str(model), out)
    assert out.name == "tokenizer.model"
    assert out.read_bytes() == model.read_bytes()


def test_a_model_is_not_written_as_json(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"its file in a run is tokenizer\.model"):
        import_open_tokenizer("tiny.model", tmp_path / "tokenizer.json")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"open_tokenizers: no file .*absent\.json"):
        import_open_tokenizer(str(tmp_path / "absent.json"), tmp_path / "tokenizer.json")


def test_a_file_that_does_not_load_leaves_nothing_behind(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"model": ')
    out = tmp_path / "open-broken" / "tokenizer.json"
    with pytest.raises(DataError, match=r"broken\.json"):
        import_open_tokenizer(str(broken), out)
    assert not out.exists()


def test_a_hub_out_of_reach_is_one_line_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with pytest.raises(
        ConfigError, match=r"no tokenizer\.json of 'some/model' from the Hugging Face hub"
    ) as caught:
        import_open_tokenizer("some/model", tmp_path / "tokenizer.json")
    assert "\n" not in str(caught.value)
    assert "{name: path/to/tokenizer.json}" in str(caught.value)
