"""Modular tokenizers: sets of ids on disk, unions, extraction with dense ids, and what is refused."""

import json

import numpy as np
import pytest
from transformers import AutoTokenizer

from modtok.core.errors import ConfigError, DataError
from modtok.tokenization.alphabet import BaseAlphabet
from modtok.tokenization.audit import audit
from modtok.tokenization.hf_format import bpe_json
from modtok.tokenization.modular import Modular
from modtok.tokenization.subtokenizer import load_subtokenizer
from modtok.tokenization.unigram import UnigramModel
from modtok.tokenization.unigram_format import unigram_json

BASE = BaseAlphabet("bytes").tokens
MERGES = [("a", "b"), ("ab", "c"), ("d", "e"), ("ab", "e")]
ALWAYS = list(range(len(BASE)))
AB, ABC, DE, ABE = range(len(BASE), len(BASE) + 4)


@pytest.fixture
def modular():
    """xx says abc, yy says abe and de."""
    tokens = [*BASE, *(left + right for left, right in MERGES)]
    sets = {"xx": [*ALWAYS, AB, ABC], "yy": [*ALWAYS, AB, DE, ABE]}
    return Modular(
        bpe_json("bytes", "whitespace", tokens, MERGES),
        {lang: np.array(ids, np.int64) for lang, ids in sets.items()},
    )


def merges(tokenizer_json):
    return [tuple(pair) for pair in tokenizer_json["model"]["merges"]]


def test_what_is_written_is_read_again(modular, tmp_path):
    modular.write(tmp_path)
    read = Modular.load(tmp_path)
    assert read.tokenizer_json == modular.tokenizer_json
    assert {lang: ids.tolist() for lang, ids in read.modules.items()} == {
        lang: ids.tolist() for lang, ids in modular.modules.items()
    }
    assert (read.kind, read.pretokenization, read.size) == ("bpe", "whitespace", len(BASE) + 4)


def test_modules_json_is_as_agreed(modular, tmp_path):
    modular.write(tmp_path)
    written = json.loads((tmp_path / "modules.json").read_text())
    assert written["kind"] == "bpe"
    assert written["order"] == ["xx", "yy"]
    assert written["languages"]["xx"] == [*ALWAYS, AB, ABC]


def test_a_subtokenizer_has_the_merges_whose_three_parts_are_in_its_set(modular):
    assert merges(modular.extract(["xx"]).tokenizer_json) == [("a", "b"), ("ab", "c")]
    assert merges(modular.extract(["yy"]).tokenizer_json) == [("a", "b"), ("d", "e"), ("ab", "e")]


def test_a_union_is_the_union_of_the_sets_in_any_order(modular):
    assert modular.ids(["yy", "xx"]).tolist() == [*ALWAYS, AB, ABC, DE, ABE]
    assert merges(modular.extract(["yy", "xx"]).tokenizer_json) == MERGES


def test_dense_ids_are_positions_in_the_sorted_set(modular, tmp_path):
    extracted = modular.write_subtokenizer(tmp_path, ["yy"])
    full_ids = np.load(tmp_path / "full_ids.npy")
    assert full_ids.dtype == np.int64
    assert full_ids.tolist() == [*ALWAYS, AB, DE, ABE] == extracted.full_ids.tolist()
    for surface, dense in json.loads((tmp_path / "tokenizer.json").read_text())["model"]["vocab"].items():
        assert modular.surfaces[full_ids[dense]] == surface


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_transformers_loads_an_extracted_folder(modular, tmp_path):
    modular.write_subtokenizer(tmp_path, ["yy"])
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    ids = loaded("abe <s> de abc", add_special_tokens=False)["input_ids"]
    assert loaded.decode(ids) == "abe <s> de abc"
    assert ids[0] == len(BASE) + 2
    assert len(loaded) == len(BASE) + 3


def test_a_unigram_subtokenizer_has_its_pieces_with_their_scores(tmp_path):
    model = UnigramModel(["a", "b", " ab"], np.array([-1.5, -2.0, -3.25]))
    full = unigram_json(model, "whitespace")
    modular = Modular(full, {"xx": np.array([*range(260), 260, 262])})
    modular.write_subtokenizer(tmp_path, ["xx"])
    assert json.loads((tmp_path / "tokenizer.json").read_text())["model"]["vocab"][260:] == [
        ["a", -1.5],
        [" ab", -3.25],
    ]
    assert (tmp_path / "tokenizer.model").is_file()


def test_ids_of_the_full_tokenizer_come_from_a_subtokenizer(modular, tmp_path):
    modular.write(tmp_path)
    loaded = load_subtokenizer(tmp_path, ["yy"])
    assert loaded.encode_batch(["abe", "abc"]) == [[ABE], [AB, BASE.index("c")]]
    assert loaded.decode([ABE, DE]) == "abede"
    assert loaded.tokens([ABE]) == ["abe"]
    assert loaded.count_batch(["abc"]).tolist() == [2]
    with pytest.raises(DataError, match=f"the id {ABC} is not in the sets"):
        loaded.decode([ABC])


@pytest.mark.parametrize("langs", [["xx", "zz"], ["zz"]])
def test_a_language_that_the_tokenizer_has_not_is_named(modular, langs):
    with pytest.raises(ConfigError, match="no such language: zz; the tokenizer has xx, yy"):
        modular.ids(langs)


def test_no_language_is_an_error(modular):
    with pytest.raises(ConfigError, match="no language"):
        modular.ids([])


BREAKS = {
    "no such kind": (lambda modules: modules.update(kind="unigram"), "of the kind unigram"),
    "no order": (lambda modules: modules.pop("order"), "not a modular tokenizer"),
    "a language without ids": (lambda modules: modules["languages"].pop("xx"), "not a modular tokenizer"),
    "no language": (lambda modules: modules.update(order=[]), "names no language"),
    "not sorted": (lambda modules: modules["languages"]["xx"].reverse(), "'xx': ids are not sorted"),
    "out of range": (
        lambda modules: modules["languages"]["yy"].append(9999),
        "'yy': an id is not in 0 to 263",
    ),
    "negative": (lambda modules: modules["languages"]["yy"].insert(0, -1), "'yy': an id is not in"),
    "no special tokens": (lambda modules: modules["languages"]["yy"].pop(0), "'yy': the special tokens"),
    "words": (lambda modules: modules["languages"].update(xx=["a"]), "not a modular tokenizer"),
    "nothing": (lambda modules: modules["languages"].update(xx=[]), "'xx': not a list of ids"),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_modules_json_is_refused_with_the_reason(modular, tmp_path, name):
    modular.write(tmp_path)
    modules = json.loads((tmp_path / "modules.json").read_text())
    change, message = BREAKS[name]
    change(modules)
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(DataError, match=message):
        Modular.load(tmp_path)


def test_a_vocabulary_smaller_than_its_special_tokens_is_refused(modular, tmp_path):
    modular.write(tmp_path)
    tokenizer = json.loads((tmp_path / "tokenizer.json").read_text())
    tokenizer["model"].update(vocab={"a": 0, "b": 1}, merges=[])
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    modules = json.loads((tmp_path / "modules.json").read_text())
    modules["languages"] = {lang: [0, 1] for lang in modules["order"]}
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(DataError, match="special tokens with the ids 2, 3 are missing"):
        Modular.load(tmp_path)


@pytest.mark.parametrize("name", ["tokenizer.json", "modules.json"])
def test_a_folder_that_is_not_modular_is_refused(modular, tmp_path, name):
    modular.write(tmp_path)
    (tmp_path / name).write_text("no JSON")
    with pytest.raises(DataError, match="not JSON"):
        Modular.load(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(DataError, match=f"not a modular tokenizer, it has no {name}"):
        Modular.load(tmp_path)


def test_the_audit_of_a_folder_names_the_language_whose_set_is_not_closed(modular, tmp_path):
    modular.write(tmp_path)
    assert audit(tmp_path).ok
    open_set = np.array([*ALWAYS, ABC])
    Modular(modular.tokenizer_json, {**modular.modules, "xx": open_set}).write(tmp_path)
    found = {finding.check: finding for finding in audit(tmp_path).findings}
    assert not found["language xx"].ok
    assert "unreachable tokens 1" in found["language xx"].detail
    assert found["language yy"].ok
    (tmp_path / "modules.json").write_text("{}")
    assert [finding.check for finding in audit(tmp_path).findings if not finding.ok] == ["languages"]
