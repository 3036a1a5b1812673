"""Costs of jobs, and what a forecast makes of them."""

import json
from dataclasses import replace

import pytest

from modtok.core.model_names import ModelName
from modtok.core.model_shapes import find_shape
from modtok.planning.calibration import PIECES, REFERENCE
from modtok.planning.costs import Term, estimate, read_costs, terms_of
from modtok.planning.crawl import typical_pages
from modtok.planning.drivers import drivers, languages_of, tokenizer_of
from modtok.planning.forecast import Basis, Limits, forecast
from modtok.planning.models import Speed, mean_active, operations, settings, smaller
from modtok.planning.run import WORKFLOW, Job, merged, read_config
from modtok.planning.sample import Text
from modtok.planning.sources import Found
from modtok.planning.workload import Parallel, Workload

MACHINE = dict.fromkeys(REFERENCE, 1.0)
TEXT = Text(5.0, 0.002, 0.8, 4.5, 0.08, 0.7)
CHANGES = {
    "languages": ["en", "fi", "el"],
    "tokenizers": {"budget": 24000, "joint_sizes": [64000]},
    "evaluation": {
        "combinations": {"orders": 2, "pairs": 1, "triples": 1, "quadruples": 0},
        "bootstrap": 1000,
    },
    "pretraining": {
        "model": "d=128,layers=2,heads=4,context=64",
        "tokens": 1_000_000,
        "batch": 16,
        "accumulation": 1,
    },
}


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    run = tmp_path_factory.mktemp("run")
    (run / "config").mkdir()
    (run / "config" / "config.yaml").write_text("seed: 1\n")
    config = merged(read_config(run, WORKFLOW), CHANGES)
    langs = CHANGES["languages"]
    scripts = {"en": "Latn", "fi": "Latn", "el": "Grek"}
    return Workload(
        config,
        dict.fromkeys(langs, TEXT),
        parallel=dict.fromkeys(langs, Parallel(1000, 0.2)),
        scripts=scripts,
    )


@pytest.mark.parametrize(
    ("job", "langs", "tokenizer"),
    [
        (Job("count_words", {"lang": "fi"}), ["fi"], "sequential-bpe"),
        (Job("train_monolingual", {"model": "unigram", "lang": "el"}), ["el"], "mono-unigram-el"),
        (Job("train_joint", {"model": "bpe", "size": "64000"}), ["en", "fi", "el"], "joint-bpe-64000"),
        (Job("count_tokens", {"tokenizer": "mono-bpe-fi"}), ["fi"], "mono-bpe-fi"),
        (Job("count_tokens", {"tokenizer": "open-gemma3"}), ["en", "fi", "el"], "open-gemma3"),
        (Job("pretrain", {"trained": "merged-unigram+samp-sub2"}), ["en", "fi", "el"], "merged-unigram"),
        (Job("mixture", {}), ["en", "fi", "el"], "sequential-bpe"),
    ],
)
def test_a_job_is_known_by_its_wildcards(job, langs, tokenizer, work):
    assert (languages_of(job, work), tokenizer_of(job)) == (langs, tokenizer)


def test_a_modular_tokenizer_shares_tokens_within_a_writing_system(work):
    assert work.modular_tokens(["en", "el"]) == 48000
    assert work.modular_tokens(["en", "fi"]) == pytest.approx(24000 * 1.63)


def test_a_job_of_all_languages_has_the_text_of_all(work):
    one = drivers(Job("count_words", {"lang": "fi"}), work)
    every = drivers(Job("train_joint", {"model": "bpe", "size": "64000"}), work)
    assert (one["text_mb"], every["text_mb"]) == (5.0, 15.0)
    assert (one["earlier_k"], every["tokens_k"]) == (24.0, 64.0)
    assert every["combined_k"] == (3 * 1 + 2 + 3) * 24


def test_seconds_follow_the_machines_speed_and_memory_does_not():
    terms = [Term("job", "start", 0.5, 100, 1), Term("text_mb", "text", 0.1, 2, 0.4)]
    amounts = {"job": 1.0, "text_mb": 10.0}
    fast, slow = (estimate(terms, amounts, {"start": 1.0, "text": speed}) for speed in (1.0, 3.0))
    assert (fast.seconds, slow.seconds) == (1.5, 3.5)
    assert fast.memory_mb == slow.memory_mb == 120
    assert fast.disk_mb == 5


def test_every_row_of_the_costs_names_a_driver_and_a_kind_of_work(work):
    amounts = drivers(Job("train_joint", {"model": "bpe", "size": "64000"}), work)
    rows = [term for terms in read_costs().values() for term in terms]
    assert {row.driver for row in rows} <= set(amounts)
    assert {row.work for row in rows} <= set(REFERENCE) == set(PIECES)


def rows_of(jobs, work, memory_mb=16_000, disk_mb=1e6, speed=None):
    basis = Basis(work, MACHINE, speed or Speed(2e10, timed=True), Limits(memory_mb, disk_mb))
    return {row.rule: row for row in forecast(jobs, basis)}


def test_a_forecast_adds_up_jobs_by_rule(work):
    jobs = [Job("count_words", {"lang": lang}) for lang in work.langs] + [Job("mixture", {})]
    rows = rows_of(jobs, work)
    one = estimate(terms_of(jobs[0]), drivers(jobs[0], work), MACHINE)
    assert rows["count_words"].hours == pytest.approx(3 * one.seconds / 3600)
    assert rows["count_words"].longest_hours == pytest.approx(one.seconds / 3600)
    assert rows["all"].hours == pytest.approx(rows["count_words"].hours + rows["mixture"].hours)
    assert (rows["all"].jobs, rows["all"].fits) == (4, "")
    json.dumps([vars(row) for row in rows.values()])


def test_a_rule_that_was_not_measured_is_said_and_left_out(work):
    rows = rows_of([Job("mixture", {}), Job("brand_new", {})], work)
    assert rows["brand_new"].hours is None
    assert rows["all"].hours == rows["mixture"].hours
    assert "without brand_new" in rows["all"].how


def test_what_does_not_fit_is_said(work):
    huge = replace(work, texts=dict.fromkeys(work.langs, replace(TEXT, symbols_m=900.0)))
    jobs = [Job("train_monolingual", {"model": "bpe", "lang": "fi"}, 1, 3000)]
    row = rows_of(jobs, huge, memory_mb=4000)["train_monolingual"]
    assert "memory: 16 GB, the machine has 4" in row.fits
    assert "asks for 3,000 MB only" in row.fits
    assert "different words: 900 million characters" in row.fits
    assert "disk" in rows_of(jobs, work, disk_mb=0.1)["all"].fits


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
    assert mean_active(name, work) == pytest.approx(active or 0.8 * 24000 + 0.2 * whole)


def test_operations_are_those_of_the_plan_of_vocabularies():
    from modtok.evaluation.memory import forward_operations

    shape = find_shape("0.5B")[1]
    exact = forward_operations(shape, 24_000, shape.context) / shape.context
    assert operations(shape, 24_000) == pytest.approx(exact, rel=0.001)


def test_a_timed_step_is_made_small(work):
    config = merged(work.config, {"pretraining": {"model": "2.5B", "batch": 128, "accumulation": 16}})
    small = smaller(settings(config), 24000, 3e10)
    assert (small.batch, small.shape.width) == (1, 3072)
    assert 3 * operations(small.shape, 8000) * small.tokens_per_step < 3e11


def test_remote_pages_are_like_a_crawls():
    pages = typical_pages(Found(remote_mb=1000.0), ["en", "fi"])
    assert pages.texts["en"].bytes_mb == pytest.approx(121.5)
    assert sum(text.bytes_mb for text in pages.texts.values()) + pages.other_text_mb == pytest.approx(270)
    assert pages.seconds is None


def timed(work, **latency):
    """The config with other models and lines to time."""
    config = merged(work.config, {"evaluation": {"latency": {"timed": ["0.5B"], "hours": 6} | latency}})
    return rows_of([Job("measure_latency", {}, 8)], replace(work, config=config), memory_mb=64_000)[
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
    return rows_of([Job("measure_offload", {}, 8)], replace(work, config=config), memory_mb=64_000)[
        "measure_offload"
    ]


def test_offloading_takes_the_memory_of_all_languages_held(work):
    few, many = (offloaded(work, languages=[number], others=[0]) for number in (5, 20))
    rows = 15 * work.budget * 2  # of two tables, 1536 wide; weights, gradients and two moments in float32
    assert many.memory_mb - few.memory_mb == pytest.approx(rows * 1536 * 4 * 4 / 1e6)
    assert many.hours == few.hours
    assert offloaded(work, languages=[5, 200], others=[0]).hours == few.hours, "these do not fit"
    assert offloaded(work, languages=[5], others=[0], steps=10).hours / few.hours == pytest.approx(32 / 17)
