"""The speed of this machine in training."""

import pytest

from modtok.core.model_shapes import find_shape
from modtok.planning.run import Job, merged
from modtok.planning.speed import Speed, operations, settings, smaller, time_training
from unit.planning.forecasts import rows_of


def test_active_rows_take_what_they_took_in_a_timed_step(work):
    speed = Speed(1e9, timed=True, rows=((1000.0, 1e-3), (3000.0, 7e-3)))
    assert [speed.row_seconds(rows, 32) for rows in (0, 500, 1000, 2000, 3000, 6000)] == pytest.approx(
        [0, 5e-4, 1e-3, 4e-3, 7e-3, 14e-3]
    )
    job = Job("pretrain", {"trained": "sequential-bpe+mono-only"})
    fast = Speed(1e9, timed=True, rows=((24_000.0, 1e-3),))
    body = 3 * operations(settings(work.config).shape, 0) / 1e9
    assert rows_of([job], work, speed=fast)["pretrain"].hours == pytest.approx(
        977 * 1024 * (body + 1e-3) / 3600
    )


def test_steps_are_timed_with_the_rows_that_are_asked_for(work):
    pytest.importorskip("torch")
    found = time_training(work.config, {300.0, 900.0})
    assert found.timed
    assert [size for size, _ in found.rows] == [512, 900]
    assert found.operations > 1e8
    assert found.products > 1e8


def test_operations_are_those_of_the_plan_of_vocabularies():
    from modtok.evaluation.memory import forward_operations

    shape = find_shape("0.5B")[1]
    exact = forward_operations(shape, 24_000, shape.context) / shape.context
    assert operations(shape, 24_000) == pytest.approx(exact, rel=0.001)


def test_a_timed_step_is_made_small(work):
    config = merged(work.config, {"pretraining": {"model": "2.5B", "batch": 128, "accumulation": 16}})
    small = smaller(settings(config), 4000, 3e10)
    assert (small.batch, small.shape.width) == (1, 3072)
    assert 3 * operations(small.shape, 4000) * small.tokens_per_step < 3e11
