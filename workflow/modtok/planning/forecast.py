"""What a run will take, by rule: the sum over its jobs, and what will not fit on this machine."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from modtok.planning.basis import Basis, limits_of
from modtok.planning.calibration import calibrate
from modtok.planning.costs import Estimate, estimate, terms_of
from modtok.planning.drivers import Drivers, drivers
from modtok.planning.evaluation import estimate_evaluation
from modtok.planning.misfits import FETCHING, disk_misfit, misfit
from modtok.planning.models import estimate_training, rows_of_steps
from modtok.planning.rows import Row
from modtok.planning.run import WORKFLOW, Job, list_jobs, read_config
from modtok.planning.speed import Speed, time_training
from modtok.planning.timings import estimate_latency, estimate_offload
from modtok.planning.workload import workload_of

DOWNLOAD_MB_S = 50.0
"MB a second of a download, which depends on the network and on how busy the server is"
MODELS = ("pretrain", "evaluate_model", "measure_latency", "measure_offload")
"rules that are forecast by operations"
TIMINGS = {"measure_latency": estimate_latency, "measure_offload": estimate_offload}


def forecast_run(run: Path, workflow: Path = WORKFLOW, profile: Path | None = None) -> list[Row]:
    """The forecast of a run's folder, in half a minute. Errors: those of read_config, list_jobs, workload_of.

    `profile`: the folder of one that the run will be started with. forecast_run(Path("run"))[-1].hours
    """
    config = read_config(run, workflow)
    jobs = list_jobs(run, workflow, profile)
    work = workload_of(run, config, workflow)
    trains = any(job.rule in MODELS for job in jobs)
    speed = time_training(config, rows_of_steps(jobs, work)) if trains else Speed(0.0)
    return forecast(jobs, Basis(work, calibrate(), speed, limits_of(run)))


def forecast(jobs: Sequence[Job], basis: Basis) -> list[Row]:
    """A row for each rule, in the order in which the run is done with them, and one for all."""
    by_rule: dict[str, list[Job]] = {}
    for job in jobs:
        by_rule[job.rule] = [*by_rule.pop(job.rule, []), job]  # to the end: figure_3 comes before any text
    rows = [_row(rule, own, basis) for rule, own in by_rule.items()]
    return [*rows, _total(rows, basis)]


def _row(rule: str, jobs: Sequence[Job], basis: Basis) -> Row:
    amounts = [drivers(job, basis.work) for job in jobs]
    known = [
        one for one in map(lambda job, own: _estimate(job, own, basis), jobs, amounts) if one is not None
    ]
    if len(known) < len(jobs):
        return Row(rule, len(jobs), how="not measured yet: left out")
    downloaded = sum(one.download_mb for one in known)
    return Row(
        rule,
        len(jobs),
        hours=sum(one.seconds for one in known) / 3600,
        longest_hours=max(one.seconds for one in known) / 3600,
        memory_mb=max(one.memory_mb for one in known),
        disk_mb=sum(one.disk_mb for one in known),
        download_mb=downloaded,
        passing_mb=downloaded * (not basis.work.config["corpus"]["keep_downloads"]),
        gpu_hours=sum(one.gpu_seconds for one in known) / 3600,
        gpu_memory_mb=max(one.gpu_memory_mb for one in known),
        fits=misfit(jobs, amounts, known, basis),
        how=_how(jobs[0], basis),
    )


def _estimate(job: Job, amounts: Drivers, basis: Basis) -> Estimate | None:
    if job.rule == "pretrain":
        return estimate_training(job, basis.work, basis.speed)
    if job.rule == "evaluate_model":
        return estimate_evaluation(job, basis.work, basis.speed, basis.machine["start"])
    if job.rule in TIMINGS:
        return TIMINGS[job.rule](job, basis.work, basis.speed, basis.limits)
    terms = terms_of(job)
    found = estimate(terms, amounts, basis.machine) if terms else None
    if found and job.rule == "extract_shard" and basis.work.page_seconds is not None:
        return _with_pages(found, amounts, basis)
    if found and job.rule == FETCHING:
        return _with_download(found, amounts["fetched_mb"])
    return found


def _with_download(found: Estimate, megabytes: float) -> Estimate:
    """The estimate of a job that waits for its downloads, on a core of its own."""
    return replace(found, seconds=found.seconds + megabytes / DOWNLOAD_MB_S, download_mb=megabytes)


def _with_pages(found: Estimate, amounts: Drivers, basis: Basis) -> Estimate:
    """The estimate of a shard with the time that the run's own pages took, not pages in general."""
    term = next(term for term in terms_of(Job("extract_shard", {})) if term.driver == "shard_warc_mb")
    general = term.seconds * basis.machine[term.work]
    own = basis.work.page_seconds or general
    return Estimate(
        found.seconds + amounts["shard_warc_mb"] * (own - general), found.memory_mb, found.disk_mb
    )


def _how(job: Job, basis: Basis) -> str:
    if job.rule in MODELS:
        speed = basis.speed
        source = "timed here" if speed.timed else "assumed: torch is not installed"
        gpu = "its GPU" if speed.on_gpu else "GPU hours: an H100 at 40 %"
        a_second = speed.products or speed.operations if job.rule in TIMINGS else speed.operations
        return f"operations at {a_second / 1e9:,.0f} billion a second ({source}); {gpu}"
    terms = [term for term in terms_of(job) if term.seconds]
    parts = [f"{term.driver} x {term.work} {basis.machine[term.work]:.2f}" for term in terms]
    if job.rule == FETCHING and basis.work.remote_mb:
        parts.append(f"downloads at {DOWNLOAD_MB_S:g} MB a second")
    pages = job.rule == "extract_shard" and basis.work.page_seconds is not None
    return " + ".join(parts) + ("; pages timed here" if pages else "")


def _total(rows: Sequence[Row], basis: Basis) -> Row:
    """All rules together. Their disk includes downloads that are removed again only where they are kept."""
    known = [row for row in rows if row.hours is not None]
    disk, passing = sum(row.disk_mb or 0 for row in known), sum(row.passing_mb for row in known)
    left_out = [row.rule for row in rows if row.hours is None]
    return Row(
        "all",
        sum(row.jobs for row in rows),
        hours=sum(row.hours or 0 for row in known),
        longest_hours=max((row.longest_hours or 0 for row in known), default=0),
        memory_mb=max((row.memory_mb or 0 for row in known), default=0),
        disk_mb=disk,
        download_mb=sum(row.download_mb for row in known),
        passing_mb=passing,
        gpu_hours=sum(row.gpu_hours for row in known),
        gpu_memory_mb=max((row.gpu_memory_mb for row in known), default=0),
        fits=disk_misfit(disk, passing, basis),
        how=_basis(basis) + (f"; without {', '.join(left_out)}" if left_out else ""),
    )


def _basis(basis: Basis) -> str:
    work = basis.work
    said = f"{sum(text.bytes_mb for text in work.texts.values()):,.0f} MB of text from a sample"
    return said + ("; WARC files are remote: taken to be like CommonCrawl's" if work.remote_mb else "")
