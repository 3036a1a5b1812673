"""Merging monolingual Unigram vocabularies: the union, the start, the sets, the scores."""

import numpy as np
import pytest

from modtok.core.errors import ConfigError
from modtok.tokenization.merged_unigram import mean_start, merge_unigrams, written_scores
from modtok.tokenization.unigram import GRID, UnigramModel
from modtok.tokenization.word_count_files import WordCounts


def model(**probabilities: float) -> UnigramModel:
    return UnigramModel(list(probabilities), np.log(list(probabilities.values())))


FIRST = model(a=0.5, b=0.25, ab=0.25)
SECOND = model(b=0.5, c=0.25, bc=0.25)
WORDS = WordCounts(["ab", "bc", "c"], np.array([6, 4, 2], dtype=np.uint64))


def test_the_union_keeps_the_order_in_which_languages_bring_pieces():
    merged = merge_unigrams({"xx": FIRST, "yy": SECOND}, WORDS)
    assert merged.model.pieces == ["a", "b", "ab", "c", "bc"]
    common = list(range(260))
    assert merged.modules["xx"].tolist() == [*common, 260, 261, 262]
    assert merged.modules["yy"].tolist() == [*common, 261, 263, 264]


def test_the_start_is_the_mean_over_languages_normalised():
    places = [np.array([0, 1, 2]), np.array([1, 3, 4])]
    assert mean_start([FIRST, SECOND], places, 5) == pytest.approx([0.25, 0.375, 0.125, 0.125, 0.125])
    halved = UnigramModel(SECOND.pieces, SECOND.scores - np.log(2))
    assert mean_start([FIRST, halved], places, 5).sum() == pytest.approx(1)


def test_one_iteration_by_hand():
    """From 1/5 each: ab is ab (1/5) or a b (1/25), so 5/6 and 1/6; bc alike; c is c."""
    merged = merge_unigrams({"xx": FIRST, "yy": SECOND}, WORDS, init="uniform", iterations=1)
    counts = np.array([6 / 6, 6 / 6 + 4 / 6, 6 * 5 / 6, 4 / 6 + 2, 4 * 5 / 6])
    assert merged.model.scores == pytest.approx(np.log(counts / counts.sum()), abs=GRID / 2)
    wanted = 6 * np.log(6 / 25) + 4 * np.log(6 / 25) + 2 * np.log(1 / 5)
    assert merged.log_likelihoods == pytest.approx([wanted])


def test_scores_are_on_the_grid():
    scores = merge_unigrams({"xx": FIRST, "yy": SECOND}, WORDS).model.scores
    assert np.array_equal(scores, np.round(scores / GRID) * GRID)


def test_a_piece_without_expected_count_gets_the_lowest_of_the_others_less_ten():
    assert written_scores(np.array([0.5, 0.0, 0.5])) == pytest.approx(np.log([0.5, 0.5 * np.exp(-10), 0.5]))
    words = WordCounts(["ab"], np.array([1], dtype=np.uint64))
    merged = merge_unigrams({"xx": FIRST, "yy": SECOND}, words, iterations=1)
    scores = dict(zip(merged.model.pieces, merged.model.scores.tolist(), strict=True))
    lowest = min(scores[piece] for piece in ("a", "b", "ab"))
    assert scores["c"] == scores["bc"] == lowest - 10


def test_a_language_appended_leaves_earlier_ids_as_they_were():
    one = merge_unigrams({"xx": FIRST}, WORDS)
    two = merge_unigrams({"xx": FIRST, "yy": SECOND}, WORDS)
    assert two.model.pieces[: len(one.model.pieces)] == one.model.pieces
    assert two.modules["xx"].tolist() == one.modules["xx"].tolist()


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"iterations": 0}, "iterations 0"), ({"tolerance": -1.0}, "tolerance -1")],
)
def test_faulty_settings_are_named(settings, message):
    with pytest.raises(ConfigError, match=message):
        merge_unigrams({"xx": FIRST}, WORDS, **settings)


def test_no_language_is_an_error():
    with pytest.raises(ConfigError, match="no languages"):
        merge_unigrams({}, WORDS)
