"""What surgery does to text, on counts that can be added by hand."""

import numpy as np
import pytest

from modtok.evaluation.surgery import columns_of, measure_surgery
from modtok.evaluation.token_counts import TokenCounts

SETS = {
    "both": {"uk": ["а б", "в"], "en": ["a b c", "d"], "pl": ["e", "f g"]},
    "fewer": {"uk": ["а"], "en": ["a"]},
    "none": {},
}


def counts(name, **tokens):
    by_lang = {("both", lang): np.array(values) for lang, values in tokens.items()}
    return TokenCounts(name, 300, by_lang | {("fewer", lang): np.array([7]) for lang in ("uk", "en")})


@pytest.fixture
def metrics():
    before = counts("open-x", uk=[6, 2], en=[3, 1], pl=[2, 4])
    after = {"surgery-guided-open-x": counts("surgery-guided-open-x", uk=[4, 2], en=[3, 1], pl=[2, 5])}
    columns = columns_of("uk", [["en", "pl"]])
    measured = measure_surgery(before, after, SETS, columns, resamples=50, seed=1)
    return {(m.tokenizer, m.dataset, m.lang, m.metric): m for m in measured}


def test_columns_are_the_target_then_groups_and_their_members():
    assert columns_of("uk", [["en"], ["cs", "pl"], []]) == ["uk", "en", "cs+pl", "cs", "pl"]


def test_change_is_in_percent_of_the_tokens_before(metrics):
    found = metrics["surgery-guided-open-x", "both", "uk", "change"]
    assert found.value == pytest.approx(-25)
    assert found.low <= -25 <= found.high
    assert (found.unit, found.n) == ("percent", 2)
    assert metrics["surgery-guided-open-x", "both", "en", "change"].value == 0


def test_a_group_counts_its_tokens_together(metrics):
    # 4 + 6 tokens before, 4 + 7 after
    assert metrics["surgery-guided-open-x", "both", "en+pl", "change"].value == pytest.approx(10)
    assert metrics["open-x", "both", "en+pl", "tokens"].value == 10


def test_before_there_are_tokens_per_word_and_no_change(metrics):
    assert metrics["open-x", "both", "uk", "fertility"].value == pytest.approx(8 / 3)
    assert ("open-x", "both", "uk", "change") not in metrics


def test_a_set_without_a_language_has_no_column_of_it(metrics):
    assert {lang for _, dataset, lang, _ in metrics if dataset == "fewer"} == {"uk", "en"}
