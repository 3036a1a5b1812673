"""Sampled segmentations: their distribution, the canonical limits, seeds, and that they spell the text."""

import json
import math
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.core.errors import ConfigError, DataError
from modtok.tokenization import sampling
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.hf_format import write_tokenizer
from modtok.tokenization.loading import load
from modtok.tokenization.sampling import Sampler, sampler_of
from modtok.tokenization.unigram import UnigramModel, on_grid
from modtok.tokenization.unigram_format import write_unigram
from modtok.tokenization.word_count_files import WordCounts
from oracle.slow_unigram import segmentations

PROBABILITIES = {"a": 0.3, "b": 0.2, "c": 0.1, "ab": 0.4}
TEXT = "abc caab <s> <0x41> \u2581d\U0001f600  bca\r\n"
DRAWS = 10_000


@pytest.fixture(scope="module")
def unigram(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The seed's worked example, with the letters of markup."""
    folder = tmp_path_factory.mktemp("unigram")
    model = UnigramModel([*PROBABILITIES, *" <s>0x41"], np.log([*PROBABILITIES.values(), *[0.001] * 8]))
    write_unigram(folder, on_grid(model), "whitespace")
    return folder


@pytest.fixture(scope="module", params=["bytes", "characters"])
def bpe(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    counts = WordCounts([" abab", "abc", "bc"], np.array([9, 5, 3], dtype=np.uint64))
    letters = 4 if request.param == "characters" else 0
    trained = train_bpe(counts, budget=256 + letters + 5, alphabet=request.param, min_frequency=1)
    write_tokenizer(folder, trained.tokenizer_json("whitespace"))
    return folder


def load_sampler(folder: Path, **settings: float) -> Sampler:
    return sampler_of(json.loads((folder / "tokenizer.json").read_text()), str(folder), **settings)


@cache
def load_sampler_once(folder: Path, **settings: float) -> Sampler:
    return load_sampler(folder, **settings)


load_once = cache(load)


def frequencies(folder: Path, text: str, **settings: float) -> dict[tuple[str, ...], float]:
    """Share of each segmentation among DRAWS ones."""
    sampler, loaded, rng = load_sampler(folder, **settings), load(folder), np.random.default_rng(1)
    drawn = Counter(tuple(sampler.sample(text, rng)) for _ in range(DRAWS))
    return {tuple(loaded.tokens(ids)): times / DRAWS for ids, times in drawn.items()}


def close(found: dict[tuple[str, ...], float], wanted: dict[tuple[str, ...], float]) -> bool:
    """Whether all shares are within five standard deviations, and nothing else was drawn."""
    slack = {parts: 5 * math.sqrt(p * (1 - p) / DRAWS) + 1e-9 for parts, p in wanted.items()}
    return set(found) <= set(wanted) and all(
        abs(found.get(parts, 0) - p) <= slack[parts] for parts, p in wanted.items()
    )


def test_worked_example(unigram):
    """ab c has 0.04 of 0.046: 87 % of the time."""
    found = frequencies(unigram, "abc", temperature=1)
    assert found[("ab", "c")] == pytest.approx(0.87, abs=0.015)
    assert set(found) == {("ab", "c"), ("a", "b", "c")}


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_unigram_draws_in_proportion_to_the_tempered_probability(unigram, temperature):
    weights = {
        tuple(parts): math.prod(PROBABILITIES[part] ** (1 / temperature) for part in parts)
        for parts in segmentations("abcabab", PROBABILITIES)
    }
    wanted = {parts: weight / sum(weights.values()) for parts, weight in weights.items()}
    # files round scores to 1/256
    assert close(frequencies(unigram, "abcabab", temperature=temperature), wanted)


def dropout_distribution(
    units: tuple[str, ...], ranks: dict[tuple[str, str], int], dropout: float
) -> dict[tuple[str, ...], float]:
    """By the definition: drop each possible merge, take the first of the rest, until none is left."""
    possible = sorted((ranks[pair], i) for i, pair in enumerate(pairwise(units)) if pair in ranks)
    found: Counter[tuple[str, ...]] = Counter({units: dropout ** len(possible)})
    for before, (_, i) in enumerate(possible):
        merged = (*units[:i], units[i] + units[i + 1], *units[i + 2 :])
        for parts, p in dropout_distribution(merged, ranks, dropout).items():
            found[parts] += dropout**before * (1 - dropout) * p
    return found


@pytest.mark.parametrize("dropout", [0.1, 0.5])
def test_dropout_has_the_distribution_of_its_definition(bpe, dropout):
    merges = json.loads((bpe / "tokenizer.json").read_text(encoding="utf-8"))["model"]["merges"]
    ranks = {tuple(pair): rank for rank, pair in enumerate(merges)}
    wanted = dropout_distribution(tuple("ababc"), ranks, dropout)
    assert sum(wanted.values()) == pytest.approx(1)
    assert close(frequencies(bpe, "ababc", dropout=dropout), wanted)


def test_dropout_zero_is_canonical_and_one_merges_nothing(bpe):
    rng = np.random.default_rng(1)
    canonical = load(bpe).encode_batch([TEXT])[0]
    assert load_sampler(bpe, dropout=0).sample(TEXT, rng) == canonical
    assert load_sampler(bpe, dropout=1).sample("abab", rng) == [
        number for letter in "abab" for number in load(bpe).encode_batch([letter])[0]
    ]


@pytest.mark.parametrize("temperature", [0, 1e-4])
def test_temperature_to_zero_is_canonical(unigram, temperature):
    canonical = load(unigram).encode_batch([TEXT])[0]
    assert load_sampler(unigram, temperature=temperature).sample(TEXT, np.random.default_rng(1)) == canonical


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"])) | st.text("abc <s>"), seed=st.integers(0, 99))
@pytest.mark.parametrize("strength", [0.3, 1.0])
def test_every_sample_spells_the_text(unigram, bpe, text, seed, strength):
    for folder, setting in ((unigram, "temperature"), (bpe, "dropout")):
        ids = load_sampler_once(folder, **{setting: strength}).sample(text, np.random.default_rng(seed))
        assert load_once(folder).decode(ids) == text
        assert not set(ids) & {0, 1, 2, 3}


def test_a_seed_gives_the_same_samples(unigram, bpe):
    samplers = load_sampler(unigram, temperature=0.5), load_sampler(bpe, dropout=0.5)

    def drawn(seed: int) -> list[list[int]]:
        rng = np.random.default_rng(seed)
        return [sampler.sample(" abab abc bc abab", rng) for _ in range(20) for sampler in samplers]

    assert drawn(3) == drawn(3) != drawn(4)
    assert len({tuple(ids) for ids in drawn(3)}) > 2


def test_a_long_pretoken_is_linear_for_unigram_and_canonical_for_dropout(unigram, bpe, monkeypatch):
    ids = load_sampler(unigram, temperature=1).sample("abc" * 100_000, np.random.default_rng(1))
    assert 200_000 < len(ids) < 300_000
    monkeypatch.setattr(sampling, "LONGEST", 10)
    long = load_sampler(bpe, dropout=1).sample("ab" * 6, np.random.default_rng(1))
    assert long == load(bpe).encode_batch(["ab" * 6])[0]


def test_settings_out_of_range_and_other_kinds_are_named(unigram, bpe):
    for folder, wrong, message in (
        (unigram, {"temperature": -1.0}, "temperature -1"),
        (bpe, {"dropout": 1.5}, "dropout 1.5"),
    ):
        with pytest.raises(ConfigError, match=message):
            load_sampler(folder, **wrong)
    with pytest.raises(DataError, match="words: a WordLevel tokenizer; only Unigram and BPE can be sampled"):
        sampler_of({"model": {"type": "WordLevel"}}, "words")


def test_a_lone_surrogate_is_refused(unigram):
    with pytest.raises(DataError, match=r"U\+D800"):
        load_sampler(unigram, temperature=1).sample("a\ud800", np.random.default_rng(1))
