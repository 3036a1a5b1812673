"""Metrics of models and tokenizers."""

import numpy as np

from modtok.core.model_shapes import ModelShape
from modtok.evaluation.compression import by_family
from modtok.evaluation.memory_metrics import MemoryMetric, memory_metrics
from modtok.evaluation.token_counts import TokenCounts

SHAPE = ModelShape(width=24, layers=3, heads=4, kv_heads=2, hidden=40, context=16)
COUNTS = [
    TokenCounts("sequential-bpe+fi", 600, {("set", "fi"): np.array([3, 4])}),
    TokenCounts("sequential-bpe+fr", 604, {("set", "fr"): np.array([5, 6])}),
    TokenCounts(
        "sequential-bpe", 900, {("set", "fi"): np.array([2, 4]), ("other", "fi"): np.array([1, 1, 4])}
    ),
]


def measured(metric: str) -> list[MemoryMetric]:
    return [one for one in memory_metrics({"tiny": SHAPE}, by_family(COUNTS)) if one.metric == metric]


def test_a_model_has_its_shape() -> None:
    assert [one.value for one in measured("hidden")] == [40]
    assert [one.value for one in measured("body_parameters")] == [SHAPE.body_parameters]


def test_parameters_are_of_families_and_of_the_papers_sizes() -> None:
    found = {
        (one.tokenizer, one.embeddings): (one.vocabulary_size, one.value) for one in measured("parameters")
    }
    sizes = {"256000": 256_000, "24000": 24_000, "sequential-bpe+lang": 604, "sequential-bpe": 900}
    assert found == {
        (name, "tied" if tied else "untied"): (size, SHAPE.parameters(size, tied=tied))
        for name, size in sizes.items()
        for tied in (False, True)
    }


def test_the_cache_is_that_of_a_line_on_average() -> None:
    of_a_token = 2 * 3 * 2 * 6 * 2
    found = {(one.tokenizer, one.lang, one.dataset): (one.value, one.n) for one in measured("kv_cache")}
    assert found == {
        ("sequential-bpe+fi", "fi", "set"): (3.5 * of_a_token, 2),
        ("sequential-bpe+fr", "fr", "set"): (5.5 * of_a_token, 2),
        ("sequential-bpe", "fi", "set"): (3 * of_a_token, 2),
        ("sequential-bpe", "fi", "other"): (2 * of_a_token, 3),
    }
