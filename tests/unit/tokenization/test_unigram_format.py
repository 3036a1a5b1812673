"""What the two files of a unigram tokenizer hold, and reading it back."""

import json
from pathlib import Path

import numpy as np
import pytest
from sentencepiece import SentencePieceProcessor

from modtok.core.errors import DataError
from modtok.tokenization.unigram import UnigramModel
from modtok.tokenization.unigram_format import read_unigram, sentencepiece_bytes, unigram_json, write_unigram

MODEL = UnigramModel([" a", "a", " ", "\u3000"], np.array([-1.5, -2.0, -2.25, -7.0]))


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    write_unigram(tmp_path, MODEL, "whitespace")
    read = read_unigram(tmp_path / "tokenizer.json")
    assert read.pieces == MODEL.pieces
    assert read.scores.tolist() == MODEL.scores.tolist()


def test_json_has_real_spaces_and_special_tokens(tmp_path: Path) -> None:
    written = unigram_json(MODEL, "whitespace")
    assert written["model"]["vocab"][:5] == [
        ["<unk>", 0.0],
        ["<s>", 0.0],
        ["</s>", 0.0],
        ["<pad>", 0.0],
        ["<0x00>", 0.0],
    ]
    assert written["model"]["vocab"][260] == [" a", -1.5]
    assert [token["content"] for token in written["added_tokens"]] == ["<unk>", "<s>", "</s>", "<pad>"]


def test_sentencepiece_has_the_same_ids_and_scores() -> None:
    processor = SentencePieceProcessor(model_proto=sentencepiece_bytes(MODEL))
    assert processor.vocab_size() == 264
    assert [processor.id_to_piece(number) for number in range(260, 264)] == ["▁a", "a", "▁", "\u3000"]
    assert [processor.get_score(number) for number in range(260, 264)] == MODEL.scores.tolist()
    assert (processor.unk_id(), processor.pad_id()) == (0, 3)
    assert all(map(processor.is_byte, range(4, 260)))


def test_gpt2_has_no_sentencepiece_file(tmp_path: Path) -> None:
    write_unigram(tmp_path, MODEL, "gpt2")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tokenizer.json", "tokenizer_config.json"]


OTHERS = ["{}", "[]", "no json", '{"model": {"vocab": {"a": 1}}}', '{"model": {"vocab": []}}']


@pytest.mark.parametrize("content", OTHERS)
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(content)
    with pytest.raises(DataError, match=r"tokenizer\.json: "):
        read_unigram(file)


def test_a_vocabulary_of_others_is_refused(tmp_path: Path) -> None:
    written = unigram_json(MODEL, "whitespace")
    written["model"]["vocab"][0][0] = "<other>"
    (tmp_path / "tokenizer.json").write_text(json.dumps(written))
    with pytest.raises(DataError, match="does not start with our"):
        read_unigram(tmp_path / "tokenizer.json")
