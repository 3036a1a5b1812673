"""Concatenated merge tables: what is appended, and what can no longer be reached."""

import json
from pathlib import Path

import numpy as np
import pytest

from modtok.core.errors import ConfigError
from modtok.core.io import read_tsv
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.concatenation import concatenate, unreachable_by_language, write_concatenated
from modtok.tokenization.loading import load
from modtok.tokenization.modular import Modular
from modtok.tokenization.word_count_files import WordCounts

FIRST = WordCounts(["bc"], np.array([9]))
SECOND = WordCounts(["abc"], np.array([9]))
"learns ab, then abc: out of reach where bc is merged first"


def table(counts, **settings):
    trained = train_bpe(counts, **{"budget": 258, "alphabet": "bytes", **settings})
    return trained.tokenizer_json("whitespace")


@pytest.fixture
def both():
    return concatenate({"xa": table(FIRST, budget=257), "xb": table(SECOND)})


def merges(modular):
    return [left + " " + right for left, right in modular.tokenizer_json["model"]["merges"]]


def test_of_a_later_table_only_new_results_are_appended(both):
    assert merges(both) == ["b c", "a b", "ab c"]
    again = concatenate({"xa": table(SECOND), "xb": table(SECOND)})
    assert merges(again) == ["a b", "ab c"]


def test_one_table_stays_what_it_is():
    alone = table(SECOND)
    assert json.dumps(concatenate({"xa": alone}).tokenizer_json) == json.dumps(alone)


def test_a_languages_set_are_the_tokens_of_its_table(both):
    surfaces = [both.surfaces[number] for number in both.modules["xb"].tolist()]
    assert sorted(surfaces) == sorted(table(SECOND)["model"]["vocab"])
    assert "bc" not in surfaces


def test_tokens_out_of_reach_are_counted_by_language(both, tmp_path: Path):
    assert unreachable_by_language(both) == {"xa": 0, "xb": 1}
    assert write_concatenated(tmp_path, both) == {"xa": 0, "xb": 1}
    rows = {row["lang"]: row["unreachable"] for row in read_tsv(tmp_path / "unreachable.tsv")}
    assert rows == {"xa": "0", "xb": "1"}
    assert load(tmp_path).tokens(load(tmp_path).encode_batch(["abc"])[0]) == ["a", "bc"]
    assert Modular.load(tmp_path).modules.keys() == both.modules.keys()


def test_new_characters_come_before_the_merges_that_use_them():
    greek = WordCounts(["γδ"], np.array([9]))
    full = concatenate(
        {
            "xa": table(FIRST, alphabet="characters", budget=259),
            "el": table(greek, alphabet="characters", budget=259),
        }
    )
    assert full.surfaces[260:] == ["b", "c", "bc", "γ", "δ", "γδ"]


def test_tables_of_another_shape_are_refused():
    with pytest.raises(ConfigError, match="'xb': another alphabet"):
        concatenate({"xa": table(FIRST, budget=257), "xb": table(SECOND, alphabet="characters", budget=261)})
    with pytest.raises(ConfigError, match="no tables"):
        concatenate({})
