"""Timings of offloaded steps: which cases there are, and what becomes of those that do not fit."""

import re
from dataclasses import replace

import numpy as np
import pytest

from modtok.evaluation.offload import DEVICE, LEFT_OUT, OFFLOADED, STEP, Case, Plan, offload_metrics
from modtok.modelling.training import Trainer
from unit.modelling.conftest import SETTINGS

TINY = "d=16,layers=1,heads=2,hidden=32,context=32"
PLAN = Plan(SETTINGS, [4, 8], [0, 2], [3, 5], budget=20, steps=3, hours=1)


def test_the_first_model_has_all_numbers_of_languages():
    cases = list(PLAN.cases(["small", "large"]))
    assert cases[:5] == [
        Case("small", 4, 0, 3), Case("small", 4, 2, 3), Case("small", 8, 0, 3), Case("small", 8, 2, 3),
        Case("small", 4, 0, 5),
    ]  # fmt: skip
    assert [case.languages for case in cases if case.model == "large"] == [3] * 4


def test_each_case_is_timed_in_three_ways(monkeypatch):
    batches, step = [], Trainer.step

    def seen(self, number, batch, following=None):
        batches.append((len(self.vocabulary.tables["lm_head.weight"]), batch, following is not None))
        return step(self, number, batch, following)

    monkeypatch.setattr(Trainer, "step", seen)
    metrics = offload_metrics({"tiny": TINY}, replace(PLAN, batches=[8]), seed=1)
    assert [one.metric for one in metrics] == [DEVICE, OFFLOADED, STEP] * 4
    for one in metrics:
        assert 0 < one.low <= one.value <= one.high
        assert (one.n, one.unit, one.batch, one.vocabulary_size) == (3, "s", 8, one.languages * 20)
    for held, batch, _ in batches:
        langs = np.unique(batch.ids_S // 20)
        assert batch.ids_S.tolist() == [lang * 20 + row for lang in langs for row in range(20)]
        assert (held, len(langs)) in {(60, 1), (60, 3), (100, 1), (100, 3)}
    assert {one.tokens_BL.shape for _, one, _ in batches} == {(8, 33), (1, 33)}
    # together: a first step, one to warm up, and one without rows to fetch; then these and three
    assert sum(together for *_, together in batches) == 4 * (2 + 4)


@pytest.mark.parametrize(
    ("shape", "plan", "reason"),
    [
        ("d=65536,layers=100,heads=512", PLAN, "the training needs about .* GB of memory"),
        (TINY, replace(PLAN, hours=1e-9), "hours is 1e-09; raise that, or take a GPU"),
        (TINY, replace(PLAN, batches=[6]), "a batch of 6 is no multiple of 4"),
    ],
    ids=["memory", "time", "batch"],
)
def test_what_does_not_fit_is_left_out_and_said(shape, plan, reason, capsys):
    metrics = offload_metrics({"one": shape}, replace(plan, others=[1], languages=[3]), seed=1)
    assert {(one.metric, one.value, one.n, one.low) for one in metrics} == {(LEFT_OUT, 1, 0, None)}
    assert len(metrics) == len(plan.batches)
    printed = capsys.readouterr()
    assert printed.out == f"device: {metrics[0].device}\n"
    said = printed.err.splitlines()
    assert len(said) == len(metrics)
    assert said[0].startswith(f"one, batch {plan.batches[0]}, 1 other languages of 3: left out: ")
    assert re.search(reason, said[0])
