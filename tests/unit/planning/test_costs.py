"""Costs of jobs, and what a forecast makes of them."""

import json
from dataclasses import replace

import pytest

from modtok.planning.calibration import PIECES, REFERENCE
from modtok.planning.costs import Term, estimate, read_costs, terms_of
from modtok.planning.crawl import typical_pages
from modtok.planning.drivers import drivers, languages_of, tokenizer_of
from modtok.planning.run import Job
from modtok.planning.sources import Found
from unit.planning.forecasts import MACHINE, TEXT, rows_of


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
    jobs = [Job("train_monolingual", {"model": "bpe", "lang": "fi"}, 3000)]
    row = rows_of(jobs, huge, memory_mb=4000)["train_monolingual"]
    assert "memory: 16 GB, the machine has 4" in row.fits
    assert "asks for 3,000 MB only" in row.fits
    assert "different words: 900 million characters" in row.fits
    assert "disk" in rows_of(jobs, work, disk_mb=0.1)["all"].fits


def test_remote_pages_are_like_a_crawls():
    pages = typical_pages(Found(remote_mb=1000.0), ["en", "fi"])
    assert pages.texts["en"].bytes_mb == pytest.approx(121.5)
    assert sum(text.bytes_mb for text in pages.texts.values()) + pages.other_text_mb == pytest.approx(270)
    assert pages.seconds is None
