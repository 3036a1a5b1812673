"""What is said not to fit."""

from dataclasses import replace

import pytest

from modtok.planning.rows import readable
from modtok.planning.run import Job, merged
from modtok.planning.speed import Speed
from unit.planning.forecasts import rows_of

MODEL = {"trained": "sequential-bpe+mono-only"}


@pytest.fixture(scope="module")
def large(work):
    """Models that take a GPU a thousand hours."""
    changes = {"pretraining": {"model": "2.5B", "tokens": 100_000_000_000, "max_logits": 10**9}}
    return replace(work, config=merged(work.config, changes))


def trained(work, minutes, processes=1, **own):
    """The forecast of a training that asks for so much."""
    return rows_of([Job("pretrain", MODEL, 64_000, minutes, processes)], work, **own)["pretrain"]


def test_a_training_that_its_time_does_not_hold_is_told_what_helps(large):
    row = trained(large, 2880)
    said = f"time: {row.gpu_hours:,.0f} h on a GPU, a job asks for 48 h: on a cluster, raise"
    assert said in row.fits
    assert "set-resources pretrain:runtime or pretrain:processes" in row.fits
    assert "goes on from its last checkpoint" in row.fits
    assert "time" not in trained(large, 60 * int(row.gpu_hours + 1)).fits
    assert "time" not in trained(large, None).fits, "not known before its inputs are there"


def test_processes_share_the_time_of_a_training(large):
    alone, shared = trained(large, 2880), trained(large, 2880, processes=4)
    assert shared.gpu_hours == alone.gpu_hours
    assert f"time: {alone.gpu_hours / 4:,.0f} h on 4 GPUs" in shared.fits
    assert "time" not in trained(large, 2880, processes=64).fits
    assert shared.gpu_memory_mb < alone.gpu_memory_mb, "each has its share of the body"


def test_other_rules_are_told_their_runtime(work):
    row = rows_of([Job("mixture", {}, 1000, 5)], work)["mixture"]
    assert row.fits == ""
    long = replace(work, config=merged(work.config, {"pretraining": {"model": "30B"}}))
    said = rows_of([Job("evaluate_model", MODEL, None, 1)], long)["evaluate_model"].fits
    assert "on a cluster, raise set-resources evaluate_model:runtime of the profile" in said
    assert "checkpoint" not in said


def test_years_on_a_core_are_told_in_place_of_this_machines_memory(large):
    fits = trained(large, None).fits
    assert "years on one core: needs a GPU" in fits
    assert "the machine has" not in fits
    assert "asks for" not in fits
    assert "years" not in trained(large, None, speed=Speed(1e9, on_gpu=True, timed=True)).fits
    on_a_cluster = rows_of([Job("pretrain", MODEL, gpus=1)], large)["pretrain"]
    assert "years" not in on_a_cluster.fits, "its profile gives it one"


def test_without_a_gpu_here_that_of_an_h100_counts(large):
    row = trained(large, None)
    said = (
        f"GPU memory: {row.gpu_memory_mb / 1000:,.0f} GB, an H100 has 85: more processes, pretraining.offload"
    )
    assert row.gpu_memory_mb > 80_000
    assert said in row.fits
    assert readable([row])[0]["GPU memory"] == f"{row.gpu_memory_mb / 1000:,.0f} GB"
    assert "GPU memory" not in trained(large, None, processes=8).fits


def test_offload_takes_the_vocabulary_off_the_gpu(large):
    offloading = merged(large.config, {"pretraining": {"offload": 1}})
    row, less = trained(large, None), trained(replace(large, config=offloading), None)
    rows, active = large.modular_tokens(large.langs), large.budget
    kept = (3 * rows - 4 * active) * 4 * 3072 * 2 / 1e6  # but the active ones travel
    assert row.gpu_memory_mb - less.gpu_memory_mb == pytest.approx(kept, rel=0.01)


@pytest.mark.parametrize("kept", [False, True])
def test_downloads_are_counted_and_take_disk_until_they_are_read(kept, work):
    changes = {"corpus": {"shards": 4, "keep_downloads": kept}}
    remote = replace(work, config=merged(work.config, changes), warc_mb=8e6, remote_mb=8e6)
    jobs = [Job("fetch_shard", {"shard": f"{number:04}"}, 1000, 60, local=True) for number in range(4)]
    rows = rows_of(jobs, remote, disk_mb=7e6)
    fetched = rows["fetch_shard"]
    assert (fetched.download_mb, fetched.passing_mb) == (8e6, 0 if kept else 8e6)
    assert fetched.disk_mb == pytest.approx(8e6 if kept else 0, abs=1)
    assert fetched.hours == pytest.approx(8e6 / 50 / 3600, rel=1e-3)
    assert fetched.longest_hours > 1, "more than it asks for, which counts on a cluster's nodes alone"
    assert fetched.fits == ""
    assert "downloads at 50 MB a second" in fetched.how
    unread = "" if kept else " and up to 8,000 GB of unread downloads (2,000 a shard)"
    assert rows["all"].fits == f"disk: {fetched.disk_mb / 1000:,.0f} GB{unread}, 7,000 free"
    assert rows_of(jobs, remote, disk_mb=9e6)["all"].fits == ""


def test_without_downloads_a_row_speaks_of_none(work):
    row = rows_of([Job("fetch_shard", {"shard": "0000"})], work)["fetch_shard"]
    assert (row.download_mb, row.passing_mb) == (0, 0)
    assert "downloads" not in row.how
