"""The paper's full config, 10,000 WARC files and all models: what it takes to see what would run."""

import subprocess
import time
from collections import Counter

import psutil
import pytest
import yaml

from workflow.runs import JOB, PROGRAMS, environment, new_run

pytestmark = pytest.mark.slow

# Processor seconds, which a busy machine does not change; on an idle one they are the seconds one waits.
WORK_S, MEMORY_BYTES = 15, 1e9
FILES = 10_000
NOWHERE = "http://127.0.0.1:9/"  # the port of `discard`, where nothing answers


@pytest.fixture(scope="module")
def dry_run(workflow, tmp_path_factory):
    """(output, processor seconds, peak bytes of the process and all that it starts) of `snakemake -n all`.

    The list of paths is a local one, as it needs no network.
    """
    lines = [f"crawl-data/CC-MAIN-2024-51/segments/{number:05d}.warc.gz\n" for number in range(FILES)]
    sources = [{"warc": "warc.paths", "base_url": NOWHERE}]
    run = new_run(tmp_path_factory.mktemp("paper") / "run", {"corpus": {"sources": sources}})
    (run / "warc.paths").write_text("".join(lines))
    command = [PROGRAMS / "snakemake", "--directory", run, "--dry-run", "all"]
    with (run / "log").open("w") as log:
        process = psutil.Popen(command, cwd=workflow, env=environment(), stdout=log, stderr=subprocess.STDOUT)
        seconds, peak = 0.0, 0
        while process.poll() is None:
            try:
                used = process.cpu_times()
                family = [process, *process.children(recursive=True)]
                peak = max(peak, sum(one.memory_info().rss for one in family))
                seconds = max(seconds, sum(used[:4]))
            except psutil.Error:  # one of them has just ended
                continue
            time.sleep(0.05)
    output = (run / "log").read_text()
    assert process.returncode == 0, output
    return output, seconds, peak


def test_it_is_the_papers_config(dry_run, workflow):
    config = yaml.safe_load((workflow / "config" / "config.yaml").read_text())
    sources = config["corpus"]["sources"]
    jobs = Counter(job[1] for job in JOB.finditer(dry_run[0]))
    assert [source["files"] for source in sources] == [FILES]
    assert jobs["extract_shard"] == config["corpus"]["shards"]
    assert jobs["train_sequential_bpe"] == 21
    models = len(config["pretraining"]["tokenizers"]) * len(config["pretraining"]["regimes"])
    assert jobs["pretrain"] == jobs["evaluate_model"] == models == 12


def test_its_dry_run_takes_seconds_and_little_memory(dry_run):
    output, seconds, peak = dry_run
    jobs = sum(1 for _ in JOB.finditer(output))
    print(f"{jobs} jobs: {seconds:.1f} s of processor time, {peak / 1e6:.0f} MB")
    assert seconds < WORK_S
    assert peak < MEMORY_BYTES
