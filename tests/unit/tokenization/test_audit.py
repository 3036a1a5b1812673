"""The audit: what it finds in good and in broken files, and that nothing in a file makes it fail."""

import copy
import json

import numpy as np
import pytest

from modtok.core.errors import DataError
from modtok.tokenization.alphabet import BYTE_SYMBOLS, BaseAlphabet
from modtok.tokenization.audit import Audit, audit
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.hf_format import bpe_json, write_tokenizer
from modtok.tokenization.word_count_files import WordCounts

COUNTS = WordCounts([" low", " lower", " newest"], np.array([5, 2, 6], dtype=np.uint64))


def bytes_file(merges: list[tuple[str, str]]) -> dict:
    """A tokenizer.json over bytes with these merges; their results are tokens in order."""
    tokens = [*BaseAlphabet("bytes").tokens, *dict.fromkeys(left + right for left, right in merges)]
    return bpe_json("bytes", "whitespace", tokens, merges)


def audited(tmp_path, tokenizer_json: object) -> Audit:
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(tokenizer_json), encoding="utf-8")
    return audit(file)


def values(report: Audit) -> dict[str, str]:
    return {row["check"]: row["value"] for row in report.rows()}


@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
def test_our_own_tokenizers_pass_every_check(tmp_path, alphabet):
    write_tokenizer(tmp_path, train_bpe(COUNTS, budget=267, alphabet=alphabet).tokenizer_json("whitespace"))
    report = audit(tmp_path)
    assert report.ok, report.rows()
    assert values(report)["byte coverage"] == "256 of 256"
    assert values(report)["vocabulary"] == "271"


def test_a_merge_before_its_part_is_improper_and_its_token_may_still_be_reachable(tmp_path):
    report = audited(tmp_path, bytes_file([("ab", "c"), ("a", "b")]))
    assert values(report)["improper merges"] == "1"
    assert values(report)["unreachable tokens"] == "0"


def test_a_token_whose_parts_are_merged_away_is_unreachable(tmp_path):
    """b c is merged first, so abc comes out as a, bc."""
    report = audited(tmp_path, bytes_file([("b", "c"), ("a", "b"), ("ab", "c")]))
    assert values(report)["unreachable tokens"] == "1"
    assert "'abc'" in next(row["detail"] for row in report.rows() if row["check"] == "unreachable tokens")


def test_ignore_merges_and_added_tokens_do_not_make_a_token_reachable(tmp_path):
    file = bytes_file([("b", "c"), ("a", "b"), ("ab", "c")])
    file["model"]["ignore_merges"] = True
    assert values(audited(tmp_path, file))["unreachable tokens"] == "1"


def test_added_tokens_are_not_asked_to_be_reachable(tmp_path):
    file = bytes_file([("b", "c"), ("a", "b"), ("ab", "c")])
    added = {**file["added_tokens"][0], "id": file["model"]["vocab"]["abc"], "content": "abc"}
    file["added_tokens"].append(added)
    assert values(audited(tmp_path, file))["unreachable tokens"] == "0"


def test_several_merges_of_one_token_are_counted(tmp_path):
    file = bytes_file([("a", "b"), ("b", "c"), ("ab", "c"), ("a", "bc")])
    assert values(audited(tmp_path, file))["tokens with several merges"] == "1"


def test_merges_as_strings_are_read_like_pairs(tmp_path):
    file = bytes_file([("a", "b"), ("ab", "c")])
    file["model"]["merges"] = ["a b", "ab c"]
    report = audited(tmp_path, file)
    assert report.ok, report.rows()
    assert values(report)["merges"] == "2"


def test_broken_merges_are_counted(tmp_path):
    file = bytes_file([("a", "b")])
    file["model"]["merges"] = ["a b", "a", "a b c", ["a", "x", "y"], ["a", 3], 7, ["a", "c"], ["no", "token"]]
    report = audited(tmp_path, file)
    assert values(report)["broken merges"] == "7"
    assert values(report)["lossless"] == "does not load"


def test_a_missing_byte_is_named(tmp_path):
    file = bytes_file([])
    del file["model"]["vocab"][BYTE_SYMBOLS[0x20]]
    rows = {row["check"]: row for row in audited(tmp_path, file).rows()}
    assert rows["byte coverage"]["value"] == "255 of 256"
    assert rows["byte coverage"]["detail"] == "missing: 0x20"
    assert rows["lossless"]["ok"] == "no"


def test_a_file_without_a_byte_alphabet_is_reported(tmp_path):
    file = bytes_file([])
    file["pre_tokenizer"] = None
    assert values(audited(tmp_path, file))["byte coverage"] == "0 of 256"


def test_a_normalizer_that_loses_text_is_found(tmp_path):
    file = bytes_file([])
    file["normalizer"] = {"type": "NFKC"}
    rows = {row["check"]: row for row in audited(tmp_path, file).rows()}
    assert rows["lossless"]["ok"] == "no"
    assert "comes back as" in rows["lossless"]["detail"]


def test_unigram_files_are_audited_for_duplicates_and_bytes(tmp_path):
    file = bytes_file([])
    vocab = [["<unk>", 0.0], ["a", -1.0], ["b", -2.0], ["a", -3.0]]
    file["model"] = {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": False}
    file["added_tokens"] = []
    report = values(audited(tmp_path, file))
    assert (report["model"], report["duplicate pieces"]) == ("Unigram", "1")
    assert report["byte coverage"] == "2 of 256"


def test_a_model_of_another_kind_is_reported(tmp_path):
    file = bytes_file([])
    file["model"] = {"type": "WordPiece", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    assert values(audited(tmp_path, file))["model"] == "WordPiece"


BREAKS = {
    "no model": lambda file: file.pop("model"),
    "model is a list": lambda file: file.update(model=[1]),
    "no merges": lambda file: file["model"].pop("merges"),
    "merges are a number": lambda file: file["model"].update(merges=3),
    "vocabulary is a list": lambda file: file["model"].update(vocab=["a"]),
    "an id is a string": lambda file: file["model"]["vocab"].update(a="4"),
    "an id is negative": lambda file: file["model"]["vocab"].update(a=-4),
    "an id is huge": lambda file: file["model"]["vocab"].update(a=2**40),
    "a lone surrogate": lambda file: file["model"]["vocab"].update({"\ud800x": 999}),
    "added tokens are numbers": lambda file: file.update(added_tokens=[3]),
    "pre-tokenizer is a list": lambda file: file.update(pre_tokenizer=["ByteLevel"]),
    "Unigram of nothing": lambda file: file["model"].update(type="Unigram", vocab=[3]),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_file_gives_findings_and_no_exception(tmp_path, name):
    file = copy.deepcopy(bytes_file([("a", "b")]))
    BREAKS[name](file)
    assert not audited(tmp_path, file).ok


@pytest.mark.parametrize("content", ["", "no JSON", "[1, 2]", "[" * 100_000])
def test_what_is_no_json_object_is_an_error_that_names_the_file(tmp_path, content):
    (tmp_path / "other.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=r"other\.json: not a tokenizer\.json"):
        audit(tmp_path / "other.json")


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "unreachable", "proper"),
    [("gemma3", 4, False), ("llama3", 588, False), ("qwen3", 0, True), ("gptoss", 0, False)],
)
def test_open_tokenizers_have_the_unreachable_tokens_that_are_known(real_data, name, unreachable, proper):
    report = values(audit(real_data / "open_tokenizers" / f"{name}.tokenizer.json.gz"))
    assert report["unreachable tokens"] == str(unreachable)
    assert (report["improper merges"] == "0") is proper


@pytest.mark.parametrize("name", ["continuing_subword_prefix", "end_of_word_suffix"])
def test_a_model_that_marks_subwords_is_not_audited(tmp_path, name):
    file = bytes_file([("a", "b")])
    file["model"][name] = "##"
    report = audited(tmp_path, file)
    assert values(report)["merges"] == "not audited"
    assert "unreachable tokens" not in values(report)
    assert f"{name} '##'" in next(row["detail"] for row in report.rows() if row["check"] == "merges")


def test_tokens_that_share_an_id_are_found(tmp_path):
    file = bytes_file([("a", "b")])
    file["model"]["vocab"]["extra"] = file["model"]["vocab"]["ab"]
    assert values(audited(tmp_path, file))["tokens that share an id"] == "2"


def test_a_token_that_stands_twice_in_the_vocabulary_is_found(tmp_path):
    text = json.dumps(bytes_file([("a", "b")])).replace('"ab": ', '"ab": 5, "ab": ')
    (tmp_path / "tokenizer.json").write_text(text, encoding="utf-8")
    report = audit(tmp_path)
    assert (report.ok, values(report)["keys given twice"]) == (False, "1")
    assert values(audited(tmp_path, bytes_file([("a", "b")])))["keys given twice"] == "0"
