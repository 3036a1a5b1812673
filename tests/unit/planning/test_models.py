"""Forecasts of trainings."""

import pytest

from modtok.core.model_names import ModelName
from modtok.planning.models import rows_of_steps, step_kinds
from modtok.planning.run import Job
from modtok.planning.speed import Speed, operations, settings
from unit.planning.forecasts import rows_of


def test_training_is_forecast_from_its_operations(work):
    job = Job("pretrain", {"trained": "sequential-bpe+mono-only"})
    slow, fast = (rows_of([job], work, speed=Speed(at, timed=True))["pretrain"] for at in (1e9, 1e10))
    shape = settings(work.config).shape
    steps = 977  # of 16 sequences of 64 tokens, for a million tokens
    assert slow.hours == pytest.approx(3 * operations(shape, 24000) * steps * 1024 / 1e9 / 3600)
    assert slow.hours == pytest.approx(10 * fast.hours)
    assert slow.gpu_hours == fast.gpu_hours > 0


@pytest.mark.parametrize(
    ("regime", "active"),
    [
        ("mono-only", 24000),
        ("samp-sub1", 24000 * (0.5 + 0.5 * 1.63)),
        ("baseline", 64000),
        ("late60-full", None),
    ],
)
def test_active_rows_follow_the_regime(regime, active, work):
    name = ModelName("joint-bpe-64000" if regime == "baseline" else "sequential-bpe", regime)
    whole = work.modular_tokens(work.langs)
    kinds = step_kinds(name, work)
    assert sum(share for share, _ in kinds) == pytest.approx(1)
    mean = sum(share * rows for share, rows in kinds)
    assert mean == pytest.approx(active or 0.8 * 24000 + 0.2 * whole)


def test_a_training_holds_the_subtokenizers_that_it_draws(work):
    memory = {
        regime: rows_of([Job("pretrain", {"trained": f"sequential-bpe+{regime}"})], work)[
            "pretrain"
        ].memory_mb
        for regime in ("mono-only", "samp-full", "samp-sub1")
    }
    # Three pairs of three languages, of 39,120 tokens each, and fewer rows at a time than all.
    assert memory["samp-sub1"] - memory["mono-only"] > 4e-4 * 3 * 39_120
    assert memory["samp-full"] > memory["mono-only"]


def test_steps_are_timed_with_the_rows_of_all_models(work):
    jobs = [Job("pretrain", {"trained": f"sequential-bpe+{regime}"}) for regime in ("mono-only", "samp-sub1")]
    rows = rows_of_steps(jobs, work)
    assert sorted(rows) == pytest.approx([24_000, 24_000 * 1.63])
