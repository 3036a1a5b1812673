"""What of a rule does not fit: this machine, a GPU, or what its jobs ask for."""

from collections.abc import Sequence

from modtok.planning.basis import Basis, Limits
from modtok.planning.costs import Estimate
from modtok.planning.drivers import Drivers
from modtok.planning.models import GPU_MEMORY_MB
from modtok.planning.rows import in_hours
from modtok.planning.run import Job

MOST_SYMBOLS_M = 2**31 / 3 / 1e6
"characters of different words that training can hold (bpe_training.check_counts), one byte each"
YEAR_S = 365 * 24 * 3600
TRAINING = "train_"
"how the rules are called that read word counts"
MODEL = "pretrain"
"the rule whose jobs go on from a checkpoint, and may have several processes"
FETCHING = "fetch_shard"
"the rule that downloads"


def misfit(jobs: Sequence[Job], amounts: Sequence[Drivers], known: Sequence[Estimate], basis: Basis) -> str:
    """What does not fit of a rule's jobs, with their drivers and estimates; empty where all does."""
    years = max(one.seconds for one in known) / YEAR_S
    elsewhere = years >= 1 and not basis.speed.on_gpu and any(one.gpu_memory_mb for one in known)
    here = "" if elsewhere else "; ".join(filter(None, [_memory(known, basis), _memory_asked(jobs, known)]))
    said = [
        _needs_gpu(jobs[0], years) if elsewhere else here,
        _gpu_memory(jobs[0].rule, known, basis.limits),
        _time_asked(jobs, known),
        _different_words(jobs[0].rule, amounts),
    ]
    return "; ".join(filter(None, said))


def _needs_gpu(job: Job, years: float) -> str:
    """Of a rule that has none by the profile."""
    return "" if job.gpus else f"{years:,.0f} years on one core: needs a GPU"


def _memory(known: Sequence[Estimate], basis: Basis) -> str:
    needed, has = max(one.memory_mb for one in known), basis.limits.memory_mb
    on_gpu = basis.speed.on_gpu and any(one.gpu_memory_mb for one in known)
    too_much = needed > has and not on_gpu
    return f"memory: {needed / 1000:,.0f} GB, the machine has {has / 1000:,.0f}" if too_much else ""


def _gpu_memory(rule: str, known: Sequence[Estimate], limits: Limits) -> str:
    """Without a GPU here, that of the GPU that hours are said for counts."""
    needed = max(one.gpu_memory_mb for one in known)
    has, whose = limits.gpu_memory_mb or GPU_MEMORY_MB, "this GPU" if limits.gpu_memory_mb else "an H100"
    remedy = ": more processes, pretraining.offload, accumulation up to batch" if rule == MODEL else ""
    said = f"GPU memory: {needed / 1000:,.0f} GB, {whose} has {has / 1000:,.0f}{remedy}"
    return said if needed > has else ""


def _memory_asked(jobs: Sequence[Job], known: Sequence[Estimate]) -> str:
    pairs = [(job.memory_mb, one.memory_mb) for job, one in zip(jobs, known, strict=True)]
    asked = [asks for asks, needs in pairs if asks and asks < needs]
    return f"a job asks for {min(asked):,} MB only, and is sent again with more" if asked else ""


def _time_asked(jobs: Sequence[Job], known: Sequence[Estimate]) -> str:
    """The longest of the jobs that a cluster would end before they are done."""
    late = [
        (_hours(job, one), job.minutes / 60, job)
        for job, one in zip(jobs, known, strict=True)
        if job.minutes and not job.local and _hours(job, one) > job.minutes / 60
    ]
    if not late:
        return ""
    needs, asks, job = max(late, key=lambda each: each[0])
    gpus = f"{job.processes} GPUs" if job.processes > 1 else "a GPU"
    place = f" on {gpus}" if any(one.gpu_seconds for one in known) else ""
    said = f"time: {in_hours(needs)}{place}, a job asks for {in_hours(asks)}: on a cluster, raise "
    if job.rule != MODEL:
        return f"{said}set-resources {job.rule}:runtime of the profile"
    remedies = f"set-resources {MODEL}:runtime or {MODEL}:processes of the profile"
    return f"{said}{remedies}; what is sent again goes on from its last checkpoint"


def _hours(job: Job, one: Estimate) -> float:
    return (one.gpu_seconds / job.processes or one.seconds) / 3600


def _different_words(rule: str, amounts: Sequence[Drivers]) -> str:
    symbols = max(one["symbols_m"] for one in amounts)
    too_many = rule.startswith(TRAINING) and rule != "train_quality" and symbols > MOST_SYMBOLS_M
    said = f"different words: {symbols:,.0f} million characters, training holds {MOST_SYMBOLS_M:,.0f}"
    return f"{said}: lower tokenizers.max_words" if too_many else ""


def disk_misfit(disk_mb: float, passing_mb: float, basis: Basis) -> str:
    """Of all rules: what they leave, and the downloads that at most wait to be read and removed."""
    if disk_mb + passing_mb <= basis.limits.disk_mb:
        return ""
    disk, passing, free = (size / 1000 for size in (disk_mb, passing_mb, basis.limits.disk_mb))
    each = passing / basis.work.config["corpus"]["shards"]
    unread = f" and up to {passing:,.0f} GB of unread downloads ({each:,.0f} a shard)" if passing else ""
    return f"disk: {disk:,.0f} GB{unread}, {free:,.0f} free"
