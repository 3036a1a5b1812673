"""Surgery on tokenizers as models ship them, held against the third document and another implementation."""

import gzip
import json
import unicodedata
from functools import cache
from pathlib import Path

import pytest

from modtok.surgery.byte_level import ByteLevelBPE, read_byte_level
from modtok.surgery.request import Request, Surgery
from modtok.surgery.selection import Policy
from modtok.surgery.verification import verify
from modtok.tokenization.loading import from_json
from modtok.tokenization.pretokens import Pretokens
from modtok.tokenization.ranked_encoder import RankedEncoder
from modtok.tokenization.word_counts import count_files

pytestmark = [pytest.mark.data, pytest.mark.slow]
DELETED = (
    "Thai Hebrew Arabic Han Devanagari Hangul Georgian Bengali Armenian Malayalam Gujarati Greek Kannada "
    "Telugu Tamil Katakana Hiragana Khmer"
)  # fmt: skip
NTREX, FLORES = ("ntrex128", "test"), ("flores200", "devtest")


def lines_of(data: Path, dataset: tuple[str, str], code: str) -> list[str]:
    return (data / "parallel" / dataset[0] / f"{code}.{dataset[1]}").read_text().split("\n")


def operated(data: Path, folder: Path, name: str, lang: str, policy: Policy, slots: int | None) -> Surgery:
    """Rows of a shipped tokenizer given to a language, from its counted text."""
    count_files([data / "text" / f"{lang}.txt.gz"], "whitespace", folder / "counts.parquet")
    bpe = read_byte_level(data / "open_tokenizers" / f"{name}.tokenizer.json.gz")
    return Surgery(bpe, Request(policy, slots, [folder / "counts.parquet"]))


def ratio(data: Path, done: Surgery, dataset: tuple[str, str], *codes: str) -> float:
    """Tokens after over tokens before on a language, or on several together."""
    lines = [line for code in codes for line in lines_of(data, dataset, code)]
    before, after = (
        from_json(bpe.tokenizer_json(), "x") for bpe in (done.operation.before, done.operation.after)
    )
    return float(after.count_batch(lines).sum() / before.count_batch(lines).sum())


def assert_encoded_as_by_ranked_merging(bpe: ByteLevelBPE, lines: list[str]) -> None:
    content, encoder, cut = bpe.tokenizer_json(), RankedEncoder(bpe.table), Pretokens(bpe)
    tokenizer = from_json(content, "x")

    @cache
    def ids(word: bytes) -> list[int]:
        whole = content["model"].get("ignore_merges") and word in bpe.ids
        return [bpe.ids[word]] if whole else encoder.encode(bpe.units(word))

    for line, encoded in zip(lines, tokenizer.encode_batch(lines), strict=True):
        assert encoded == [number for word in cut.of(line) for number in ids(word)]
        normalized = unicodedata.normalize("NFC", line) if content["normalizer"] else line
        assert tokenizer.decode(encoded) == normalized


def test_gpt_oss_to_ukrainian(real_data: Path, tmp_path: Path) -> None:
    policy = Policy(("Cyrillic",), tuple(DELETED.split()), ("Latin",))
    done = operated(real_data, tmp_path, "gptoss", "uk", policy, 45_398)
    assert len(done.chosen.reset) == 14_211
    assert ratio(real_data, done, NTREX, "ukr_Cyrl") < 1 - 0.29
    assert ratio(real_data, done, FLORES, "ukr_Cyrl") < 1 - 0.31
    for dataset in (NTREX, FLORES):
        assert abs(ratio(real_data, done, dataset, "eng_Latn") - 1) <= 0.0005
        assert (
            abs(ratio(real_data, done, dataset, "ces_Latn", "deu_Latn", "fra_Latn", "pol_Latn") - 1) <= 0.0005
        )
    assert round(done.operation.same_ids / len(done.bpe.surfaces), 3) == 0.773
    assert verify(done.bpe, done.operation.after).ok
    lines = [
        line
        for code in ("ukr_Cyrl", "rus_Cyrl", "eng_Latn", "tel_Telu")
        for line in lines_of(real_data, FLORES, code)
    ]
    assert_encoded_as_by_ranked_merging(done.operation.after, lines)


def test_qwen_to_greek(real_data: Path, tmp_path: Path) -> None:
    policy = Policy(("Greek",), ("Thai", "Hebrew", "Arabic", "Hangul"), ("Latin",))
    done = operated(real_data, tmp_path, "qwen3", "el", policy, 3_000)
    assert ratio(real_data, done, NTREX, "ell_Grek") < 0.45
    for code in ("eng_Latn", "ukr_Cyrl", "rus_Cyrl", "tel_Telu", "pol_Latn"):
        assert ratio(real_data, done, NTREX, code) == 1
    found = verify(done.bpe, done.operation.after)
    assert (found.ok, len(found.inserted)) == (True, 3_000)
    assert_encoded_as_by_ranked_merging(done.operation.after, lines_of(real_data, NTREX, "ell_Grek")[:500])


def test_llama_reports_what_was_unreachable_before_apart(real_data: Path, tmp_path: Path) -> None:
    policy = Policy(("Georgian",), ("Han", "Thai"), ("Latin", "Cyrillic"))
    with gzip.open(real_data / "open_tokenizers" / "llama3.tokenizer.json.gz") as file:
        content = json.load(file)
    bpe = read_byte_level(real_data / "open_tokenizers" / "llama3.tokenizer.json.gz")
    assert bpe.tokenizer_json() == content
    (tmp_path / "counts.tsv").write_text(
        "".join(f" {word}\t5\n" for word in ("ენა", "ენები", "სიტყვა", "სიტყვები"))
    )
    done = Surgery(bpe, Request(policy, 12, [tmp_path / "counts.tsv"]))
    found = verify(bpe, done.operation.after)
    assert found.ok
    assert len(found.unreachable_before) == len(found.still_unreachable) == 588
    assert_encoded_as_by_ranked_merging(done.operation.after, lines_of(real_data, FLORES, "fra_Latn")[:300])
