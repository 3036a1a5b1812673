"""Forecasts of the rules that time models."""

from dataclasses import replace

import pytest

from modtok.planning.run import Job, merged
from modtok.planning.speed import Speed
from unit.planning.forecasts import rows_of


def timed(work, **latency):
    """The config with other models and lines to time."""
    config = merged(work.config, {"evaluation": {"latency": {"timed": ["0.5B"], "hours": 6} | latency}})
    return rows_of([Job("measure_latency", {})], replace(work, config=config), memory_mb=64_000)[
        "measure_latency"
    ]


def test_timing_models_takes_as_long_as_its_lines(work):
    few, many = timed(work, lines=8), timed(work, lines=16)
    assert many.hours == pytest.approx(2 * few.hours)
    assert few.memory_mb == many.memory_mb > 2000


def test_a_model_that_would_take_too_long_is_left_out_of_the_timing(work):
    assert timed(work, lines="all", hours=0.001).hours == 0
    assert timed(work, timed=["0.5B", "30B"], lines=8).hours == timed(work, lines=8).hours
    assert timed(work, timed=[]).hours == 0


def offloaded(work, **offload):
    """The config with other models and rows to offload."""
    config = merged(work.config, {"evaluation": {"offload": {"models": ["0.5B"], "hours": 1e6} | offload}})
    return rows_of([Job("measure_offload", {})], replace(work, config=config), memory_mb=64_000)[
        "measure_offload"
    ]


def test_offloading_takes_the_memory_of_all_languages_held(work):
    few, many = (offloaded(work, languages=[number], others=[0]) for number in (5, 20))
    rows = 15 * work.budget * 2  # of two tables, 1536 wide; weights, gradients and two moments in float32
    assert many.memory_mb - few.memory_mb == pytest.approx(rows * 1536 * 4 * 4 / 1e6)
    assert many.hours == few.hours
    assert offloaded(work, languages=[5, 200], others=[0]).hours == few.hours, "these do not fit"
    assert offloaded(work, languages=[5], others=[0], steps=10).hours / few.hours == pytest.approx(32 / 17)


def test_without_a_gpu_here_one_elsewhere_times_what_it_holds(work):
    none = timed(work, lines=8, hours=1e-6)
    assert none.hours == none.gpu_hours == 0
    small = timed(work, lines=8)
    assert 0 < small.gpu_hours < small.hours / 1000
    both = timed(work, timed=["0.5B", "30B"], lines=8)
    assert both.gpu_hours > 10 * small.gpu_hours, "30B are 60 GB in bfloat16"
    assert both.hours == small.hours
    assert 60_000 < both.gpu_memory_mb < 80_000


def test_offloading_on_a_gpu_elsewhere_has_the_memory_that_the_job_asks_for(work):
    changes = {"evaluation": {"offload": {"models": ["0.5B"], "languages": [20], "others": [0]}}}
    own = replace(work, config=merged(work.config, changes))
    # The tables of 20 languages, their gradients and moments: 23.6 GB.
    few, many = (
        rows_of([Job("measure_offload", {}, asked)], own, memory_mb=16_000)["measure_offload"]
        for asked in (20_000, 30_000)
    )
    assert few.hours == many.hours == 0
    assert few.gpu_hours == 0 < many.gpu_hours


def test_on_a_gpu_here_its_memory_counts(work):
    config = merged(work.config, {"evaluation": {"latency": {"timed": ["0.5B", "30B"], "lines": 8}}})
    speed = Speed(1e14, on_gpu=True, timed=True)
    small, large = (
        rows_of([Job("measure_latency", {})], replace(work, config=config), speed=speed, gpu_memory_mb=most)
        for most in (24_000, 80_000)
    )
    small, large = small["measure_latency"], large["measure_latency"]
    assert small.hours == small.gpu_hours < large.gpu_hours
    assert large.memory_mb < 1000
