"""Metrics of forward times on machines of known speed, and where a model does not fit."""

import numpy as np
import pytest
import torch

from modtok.core.errors import DataError
from modtok.core.model_shapes import ModelShape
from modtok.evaluation import latency_metrics as module
from modtok.evaluation.latency import Device
from modtok.evaluation.latency_metrics import Passes, latency_metrics, workloads_of
from modtok.evaluation.latency_prediction import work
from modtok.evaluation.token_counts import TokenCounts

SMALL, LARGE = ModelShape(16, 1, 2, 2, 24, 8), ModelShape(32, 2, 2, 2, 48, 8)
SHAPES = {"large": LARGE, "small": SMALL}
MACHINE = np.array([[2e-9, 1e-10], [3e-9, 1e-11]])


def counts(name: str, size: int, **tokens: list[int]) -> TokenCounts:
    return TokenCounts(name, size, {("set", lang): np.array(of) for lang, of in tokens.items()})


COUNTS = [
    counts("mono-bpe-el", 100, el=[9, 12, 30, 4]),
    counts("mono-bpe-en", 100, en=[8, 11, 25, 5]),
    counts("sequential-bpe+el", 100, el=[9, 12, 30, 4]),
    counts("sequential-bpe", 900, el=[8, 11, 30, 4], en=[8, 10, 25, 5]),
]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch):
    """A machine that takes exactly MACHINE's seconds, half as many again in the second round.

    A test says how much of its memory is free.
    """
    monkeypatch.setattr(Device, "found", lambda: Device(torch.device("cpu"), torch.float32))

    def timed(model, workloads, rounds, seed):
        shape = model.body.architecture.shape
        own = {name: (work(shape, one, 4) * MACHINE).sum(axis=2) for name, one in workloads.items()}
        return {name: np.stack([one, 1.5 * one, one])[:rounds] for name, one in own.items()}

    monkeypatch.setattr(module, "time_rounds", timed)
    return lambda free: monkeypatch.setattr(module, "free_memory", lambda device: free)


def passes(lines: int | None = None, rounds: int = 3, hours: float = 1) -> Passes:
    number, workloads = workloads_of(COUNTS, "set", ["el", "en"], lines)
    return Passes("set", number, workloads, rounds, hours, seed=1)


def values(metrics, **wanted) -> dict[tuple[str, str], float]:
    chosen = [one for one in metrics if all(getattr(one, key) == value for key, value in wanted.items())]
    return {(one.tokenizer, one.lang): one.value for one in chosen}


def test_ratios_are_over_the_monolingual_tokenizer_of_the_same_round(machine) -> None:
    machine(1e12)
    metrics = list(latency_metrics(SHAPES, SHAPES, passes()))
    seconds = values(metrics, metric="forward_seconds", model="small")
    ratios = values(metrics, metric="forward_ratio", model="small")
    assert ratios["mono-bpe-el", "el"] == ratios["sequential-bpe+el", "el"] == 1
    assert ratios["sequential-bpe", "en"] == pytest.approx(
        seconds["sequential-bpe", "en"] / seconds["mono-bpe-en", "en"]
    )
    slow = next(one for one in metrics if one.metric == "forward_seconds")
    assert (slow.low, slow.high) == pytest.approx((slow.value, 1.5 * slow.value))
    # a round that was slow for all tokenizers moves no ratio
    same = [one for one in metrics if one.metric == "forward_ratio" and one.model == "small"]
    assert all(one.low == pytest.approx(one.high) for one in same)


def test_predictions_meet_the_measurements_on_a_machine_that_is_what_they_assume(machine) -> None:
    machine(1e12)
    metrics = list(latency_metrics(SHAPES, SHAPES, passes()))
    for model in SHAPES:
        ratios = values(metrics, metric="forward_ratio", model=model)
        predicted = values(metrics, metric="forward_ratio_predicted", model=model)
        assert predicted == {key: pytest.approx(value, rel=0.03) for key, value in ratios.items()}
    assert {one.device for one in metrics if one.metric == "forward_ratio_predicted"} == {""}


def test_a_model_that_does_not_fit_is_predicted_from_the_one_that_did(machine, capsys) -> None:
    machine(1e12)
    measured = values(latency_metrics(SHAPES, SHAPES, passes()), metric="forward_ratio", model="large")
    needed = module.needed_memory(
        SMALL, [one for own in passes().workloads.values() for one in own.values()], torch.float32
    )
    machine(needed)
    metrics = list(latency_metrics(SHAPES, SHAPES, passes()))
    assert values(metrics, metric="forward_ratio", model="large") == {}
    predicted = values(metrics, metric="forward_ratio_predicted", model="large")
    assert predicted == {key: pytest.approx(value, rel=0.03) for key, value in measured.items()}
    said = capsys.readouterr().out
    assert said.startswith("device: CPU, threads: ")
    assert "large: needs" in said


def test_a_model_that_would_take_too_long_is_predicted(machine, capsys) -> None:
    machine(1e12)
    every = [(lang, one) for lang, own in passes().workloads.items() for one in own.values()]
    seconds = sum(3 * (work(SMALL, one, 4) * MACHINE).sum() for _, one in every)
    metrics = list(latency_metrics(SHAPES, SHAPES, passes(hours=1.5 * seconds / 3600)))
    assert {one.model for one in metrics if one.metric == "forward_ratio"} == {"small"}
    assert "large: its times are predicted; time fewer lines or languages" in capsys.readouterr().out


def test_a_model_that_is_not_to_be_timed_is_predicted(machine) -> None:
    machine(1e12)
    metrics = list(latency_metrics(SHAPES, ["small"], passes()))
    assert {one.model for one in metrics if one.metric == "forward_ratio"} == {"small"}
    assert {one.model for one in metrics if one.metric == "forward_ratio_predicted"} == set(SHAPES)


def test_a_model_far_larger_than_the_timed_one_is_predicted_by_operations(machine, monkeypatch) -> None:
    machine(1e12)
    monkeypatch.setattr(module, "FARTHEST", LARGE.body_parameters / SMALL.body_parameters - 0.1)
    found = list(latency_metrics(SHAPES, ["small"], passes()))
    machine(0)
    alone = list(latency_metrics(SHAPES, SHAPES, passes()))
    far = {"metric": "forward_ratio_predicted", "model": "large"}
    assert values(found, **far) == values(alone, **far)


def test_where_nothing_fits_the_ratio_is_that_of_operations(machine) -> None:
    machine(0)
    metrics = list(latency_metrics(SHAPES, SHAPES, passes()))
    assert {one.metric for one in metrics} == {"forward_ratio_predicted"}
    assert values(metrics, model="small")["sequential-bpe", "el"] > 1


def test_lines_are_spread_over_the_set_and_the_same_for_all() -> None:
    number, found = workloads_of(COUNTS, "set", ["el"], 2)
    assert number == 2
    assert found["el"]["mono-bpe-el"].batches == ((1, 30), (1, 9))  # the third and the first
    assert found["el"]["sequential-bpe"].batches == ((1, 30), (1, 8))
    assert list(found["el"]) == ["mono-bpe-el", "sequential-bpe+el", "sequential-bpe"]


def test_a_sample_larger_than_the_set_is_the_set() -> None:
    assert workloads_of(COUNTS, "set", ["el"], 100) == workloads_of(COUNTS, "set", ["el"], None)


def test_a_language_without_its_reference_is_an_error() -> None:
    with pytest.raises(DataError, match="no token counts of mono-bpe-fi on set; run count_tokens"):
        workloads_of(COUNTS, "set", ["el", "fi"], None)


def test_one_round_has_no_spread(machine) -> None:
    machine(1e12)
    metrics = list(latency_metrics({"small": SMALL}, ["small"], passes(rounds=1)))
    assert {(one.low, one.high) for one in metrics} == {(None, None)}
    assert {one.n for one in metrics} == {4}
