"""Learning on top of a foreign table: its ids stay, what is learned can be reached, the rest is reported."""

import gzip
import json
from itertools import combinations

import numpy as np
import pytest
from tokenizers import Tokenizer
from transformers import AutoTokenizer

from modtok.core.errors import DataError
from modtok.core.io import read_tsv
from modtok.tokenization.alphabet import BYTE_SYMBOLS
from modtok.tokenization.audit import audit
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.bpe_file import read_bpe
from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.loading import load
from modtok.tokenization.modular import Modular
from modtok.tokenization.pretokens import split_again
from modtok.tokenization.ranked_encoder import RankedEncoder
from modtok.tokenization.reachability import unreachable
from modtok.tokenization.seed_table import read_seed, unreachable_of
from modtok.tokenization.sequential_bpe import SequentialBPE
from unit.tokenization.learning import check_the_last_language_may_come_later, counted, counted_texts

LANGS = ("fr", "fi", "el", "te")
SUBSETS = [list(subset) for size in range(1, len(LANGS) + 1) for subset in combinations(LANGS, size)]
DIGITS = {
    "type": "Split",
    "pattern": {"Regex": r"\p{N}| ?\p{L}+|\s+|[^\s\p{L}\p{N}]+"},
    "behavior": "Isolated",
}
LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
DEAD = ("xyz", "qqqq")
"Tokens of the foreign table that nothing makes."
SPECIALS = ("<|begin|>", "<|end|>")


def foreign_json(surfaces: list[str]) -> dict:
    """A file as tiktoken's tables are converted: all splits of each token, special tokens behind."""
    numbers = {surface: number for number, surface in enumerate([*sorted(BYTE_SYMBOLS), *surfaces, *DEAD])}
    splits = [
        (numbers[text], numbers[text[:cut]], numbers[text[cut:]], text[:cut], text[cut:])
        for text in surfaces
        for cut in range(1, len(text))
        if text[:cut] in numbers and text[cut:] in numbers
    ]
    added = [
        {"id": len(numbers) + n, "content": name, "special": True, "single_word": False}
        | {"lstrip": False, "rstrip": False, "normalized": False}
        for n, name in enumerate(SPECIALS)
    ]
    model = {"type": "BPE", "vocab": numbers, "merges": [f"{a} {b}" for *_, a, b in sorted(splits)]}
    return {
        "added_tokens": added,
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{**DIGITS, "invert": False}, LEVEL]},
        "post_processor": {**LEVEL, "use_regex": True},
        "decoder": {**LEVEL, "use_regex": True},
        "model": {**model, "ignore_merges": True},
    }


@pytest.fixture(scope="module")
def smoke_counts(repository):
    return counted_texts(repository, ("en", *LANGS))


@pytest.fixture(scope="module")
def foreign(smoke_counts, tmp_path_factory):
    """The file of a table trained on English and Greek, its tokens in another order than they were made."""
    tokens = [train_bpe(smoke_counts[lang], budget=500).tokens[260:] for lang in ("en", "el")]
    surfaces = sorted(dict.fromkeys([*tokens[0], *tokens[1]]), key=lambda text: (len(text), text[::-1]))
    file = tmp_path_factory.mktemp("foreign") / "tokenizer.json"
    file.write_text(json.dumps(foreign_json(surfaces), ensure_ascii=False), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def grown(foreign, smoke_counts):
    sequential = SequentialBPE.seeded(foreign)
    for lang in LANGS:
        sequential.add(lang, smoke_counts[lang], Settings(520))
    return sequential


def test_the_foreign_table_is_as_hard_as_real_ones(foreign):
    file = read_bpe(json.loads(foreign.read_text()))
    assert not file.table.has_one_merge_each()
    assert set(DEAD) < set(unreachable(file))


def test_ids_and_merges_of_the_foreign_table_are_kept(foreign, grown):
    given = json.loads(foreign.read_text())
    full = grown.modular().tokenizer_json
    for surface, number in given["model"]["vocab"].items():
        assert full["model"]["vocab"][surface] == number
    assert full["added_tokens"] == given["added_tokens"]
    kept = full["model"]["merges"][: len(given["model"]["merges"])]
    assert [" ".join(pair) for pair in kept] == given["model"]["merges"]
    assert full["pre_tokenizer"] == given["pre_tokenizer"]


def test_all_that_is_learned_can_be_reached_and_nothing_was_lost(foreign, grown):
    before = unreachable(read_bpe(json.loads(foreign.read_text())))
    assert unreachable(read_bpe(grown.modular().tokenizer_json)) == before
    assert [grown.table.surfaces[number] for number in unreachable_of(grown.table)] == before


def test_languages_adopt_tokens_of_the_foreign_table_and_learn_others(grown):
    for row, ids in zip(grown.growth, grown.modules.values(), strict=True):
        assert row["tokens"] == 520 == len(ids) - len(SPECIALS)
        assert row["merges"] > 0
    assert all(row["adopted"] > 0 for row in grown.growth if row["lang"] != "te")
    assert not np.isin(unreachable_of(grown.table), np.concatenate(list(grown.modules.values()))).any()


@pytest.mark.parametrize("subset", SUBSETS, ids="+".join)
def test_every_token_of_every_union_is_reachable(grown, subset):
    extracted = grown.modular().extract(subset)
    assert unreachable(read_bpe(extracted.tokenizer_json)) == []


@pytest.mark.parametrize("subset", [["fr"], ["el", "te"], [*LANGS]], ids="+".join)
def test_an_extracted_folder_loads_and_gives_every_text_back(grown, tmp_path, subset):
    extracted = grown.modular().write_subtokenizer(tmp_path, subset)
    ours, theirs = load(tmp_path), AutoTokenizer.from_pretrained(tmp_path)
    for text in ("Päivää, œuvre d'été 1234", "e\u0301 <|begin|> <s> \u2581 గది", "xyz qqqq\n\t  x"):
        ids = ours.encode_batch([text])[0]
        assert ours.decode(ids) == text
        assert theirs(text, add_special_tokens=False)["input_ids"] == ids
    assert len(theirs) == len(extracted.full_ids)
    assert theirs.convert_tokens_to_ids(SPECIALS[0]) == len(theirs) - len(SPECIALS) - int(
        sum(number >= grown.seed for number in extracted.full_ids)
    )


def test_words_are_segmented_as_hugging_face_does(grown):
    """What training took for the segmentation of its words is what the encoder makes of them."""
    full = grown.modular().tokenizer_json
    encoder, file = RankedEncoder(read_bpe(full).table), read_bpe(full)
    tokenizer = Tokenizer.from_str(json.dumps(full))
    for word in (" bonjour", " hyvää", "Ελληνικά", "1984", "xyz"):
        pieces = split_again(counted({word: 1}), full).words
        units = [file.units("".join(BYTE_SYMBOLS[byte] for byte in piece.encode())) for piece in pieces]
        assert sorted(tokenizer.encode(word).ids) == sorted(n for ids in units for n in encoder.encode(ids))


def test_words_are_cut_again_as_the_file_cuts_text(foreign):
    seed = read_seed(foreign)
    again = split_again(counted({" l'an2024": 3, "an": 2}), seed.tokenizer_json)
    assert dict(zip(again.words, again.counts.tolist(), strict=True)) == {
        " l": 3, "'": 3, "an": 5, "2": 6, "0": 3, "4": 3,
    }  # fmt: skip
    assert again.words[0] == "2"


def test_a_language_added_later_gives_the_bytes_of_learning_at_once(foreign, grown, smoke_counts, tmp_path):
    start = SequentialBPE.seeded(foreign)
    check_the_last_language_may_come_later(start, grown, smoke_counts, Settings(520), tmp_path)


def test_what_is_written_says_where_the_seed_ends_and_what_is_lost(grown, tmp_path):
    grown.write(tmp_path)
    assert (
        Modular.load(tmp_path).seed
        == grown.seed
        == json.loads((tmp_path / "modules.json").read_text())["seed"]
    )
    lost = {row["token"] for row in read_tsv(tmp_path / "seed_unreachable.tsv")}
    assert set(DEAD) < lost
    findings = {finding.check: finding for finding in audit(tmp_path).findings}
    assert findings["unreachable tokens"].value == str(len(lost))
    assert findings["lossless"].ok
    for lang in LANGS:
        assert "unreachable" not in findings[f"language {lang}"].detail


def change(file, tmp_path, **parts):
    content = json.loads(file.read_text())
    for name, part in parts.items():
        content[name] = {**content[name], **part} if isinstance(part, dict) else part
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    return tmp_path


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"model": {"type": "Unigram"}}, "its model is Unigram, not BPE"),
        ({"model": {"merges": ["a never"]}}, "broken merges, such as"),
        ({"model": {"end_of_word_suffix": "</w>"}}, "marks of subwords"),
        ({"model": {"vocab": None}}, "malformed"),
        ({"added_tokens": [{"id": float("inf"), "content": "<|far|>"}]}, "malformed"),
        ({"pre_tokenizer": {"pretokenizers": [DIGITS]}}, "no byte alphabet"),
        ({"pre_tokenizer": {"pretokenizers": [{**LEVEL, "add_prefix_space": True}]}}, "add_prefix_space"),
        ({"added_tokens": [{"id": 9999, "content": "<|far|>"}]}, "its ids are not 0 to"),
        ({"added_tokens": [{"id": 9999, "content": "a"}]}, "has another id in the vocabulary"),
        ({"added_tokens": [{"id": 256, "content": "LONG"}]}, "is made by merges, too"),
    ],
)
def test_what_is_no_byte_level_table_is_refused_with_the_reason(foreign, tmp_path, parts, message):
    first = next(text for text, n in json.loads(foreign.read_text())["model"]["vocab"].items() if n == 256)
    parts = json.loads(json.dumps(parts).replace("LONG", first))
    with pytest.raises(DataError, match=message):
        read_seed(change(foreign, tmp_path, **parts))


@pytest.mark.parametrize(("name", "lost"), [("llama3", 588), ("qwen3", 0), ("gptoss", 0)])
def test_real_tables_take_languages(real_data, smoke_counts, tmp_path, name, lost):
    file = real_data / "open_tokenizers" / f"{name}.tokenizer.json.gz"
    sequential = SequentialBPE.seeded(file)
    for lang in ("fi", "te"):
        sequential.add(lang, smoke_counts[lang], Settings(800))
    assert len(unreachable_of(sequential.table)) == lost
    modular = sequential.write(tmp_path)
    assert len(unreachable(read_bpe(modular.tokenizer_json))) == lost
    given = json.loads(gzip.decompress(file.read_bytes()))
    assert modular.surfaces[: len(given["model"]["vocab"])] == list(given["model"]["vocab"])
    extracted = modular.extract(["fi", "te"])
    assert unreachable(read_bpe(extracted.tokenizer_json)) == []
    modular.write_subtokenizer(tmp_path / "part", ["fi", "te"])
    text = "Hyvää päivää!! గది e\u0301 1234 <|endoftext|>"
    part = load(tmp_path / "part")
    assert part.decode(part.encode_batch([text])[0]) == text
