"""The forecast of memory: its parts, and that a training stays below it."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from modtok.core.errors import ConfigError
from modtok.modelling.architecture import Architecture
from modtok.modelling.forecast import check_memory, check_need, forecast, free_memory, group_memory
from unit.modelling.conftest import SETTINGS

CPU = torch.device("cpu")
WORKFLOW = Path(__file__).parents[3] / "workflow"


def parts(**changes):
    settings = replace(SETTINGS, **changes)
    return forecast(settings, Architecture(settings.shape, 50_000, tied=settings.tied), 1000, CPU)


def test_each_part_grows_with_what_it_is_for():
    assert parts(tied=True)["vocabulary"] == 3 * 4 * 16 * 50_000 == parts()["vocabulary"] / 2
    assert parts(batch=8)["activations"] == 2 * parts()["activations"]
    assert parts(batch=8, accumulation=2)["activations"] == parts()["activations"]
    assert parts(max_logits=2000)["logits"] == 16_000
    assert parts()["logits"] == 8 * min(SETTINGS.max_logits, 4 * 32 * 1000)


def test_free_memory_is_what_the_machine_has():
    assert 1e6 < free_memory(CPU) < 1e14
    with pytest.raises(ConfigError, match=r"needs about 1000000.0 GB of memory \(body 1000000.0\)"):
        check_memory({"body": 1e15}, CPU)


TRAINING = """
import json, re, sys, torch
sys.path.insert(0, sys.argv[1])
from modtok.modelling.architecture import Architecture
from modtok.modelling.batches import Batch
from modtok.modelling.forecast import forecast
from modtok.modelling.regimes import Draw
from modtok.modelling.settings import settings_of
from modtok.modelling.training import Trainer
settings = settings_of(json.loads(sys.argv[2]))
architecture = Architecture(settings.shape, 60_000, settings.tied)
# VmHWM begins anew with a program; ru_maxrss may be that of the process that started it
peak = lambda: 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])


def train(ids, sequences):
    trainer = Trainer(settings, architecture, 1, torch.device("cpu"))
    for moment in trainer.vocabulary.moments.values():
        moment.fill_(0)
    tokens = torch.randint(0, len(ids), (sequences, settings.shape.context + 1)).numpy()
    for step in range(2):
        trainer.step(step, Batch(Draw("en", 0, ("en",)), ids, tokens))


ids = torch.arange(0, 60_000, 6).numpy()
whole, architecture = architecture, Architecture(settings.shape, 10, settings.tied)
train(ids[:2] // 6, 1)  # loads the library's own code
architecture = whole
before = peak()
train(ids, settings.batch)
needed = sum(forecast(settings, architecture, len(ids), torch.device("cpu")).values())
print((peak() - before) / needed)
"""


def test_a_training_takes_about_what_was_forecast():
    given = vars(SETTINGS) | {
        "model": "d=128,layers=3,heads=4,context=128",
        "batch": 16,
        "max_logits": 1 << 20,
    }
    command = [sys.executable, "-c", TRAINING, str(WORKFLOW), json.dumps(given)]
    share = float(subprocess.check_output(command, text=True))
    print(f"taken over forecast: {share:.2f}")
    assert 0.6 < share < 1.15


def test_dense_rows_need_the_gradient_of_a_whole_table():
    dense = parts(rows="dense")
    assert dense.pop("gradient of all rows") == 4 * 16 * 50_000
    assert dense == parts()


def test_several_processes_share_the_body_and_the_batch():
    architecture = Architecture(SETTINGS.shape, 50_000, tied=False)
    plenty = replace(SETTINGS, max_logits=10**6)
    one, two = (forecast(plenty, architecture, 1000, CPU, processes) for processes in (1, 2))
    halved = {name for name in one if two[name] == one[name] / 2}
    assert halved == {"body", "activations", "logits"}
    assert all(two[name] == one[name] for name in one.keys() - halved)
    # parts that are as small already stay so
    small = replace(SETTINGS, accumulation=4)
    parts_of = [forecast(small, architecture, 1000, CPU, processes)["activations"] for processes in (1, 2)]
    assert parts_of[0] == parts_of[1]


def test_rows_on_their_way_are_counted():
    offloaded = parts(offload=1)
    assert offloaded.pop("rows on their way") == 4 * 4 * 2 * 16 * 1000
    assert offloaded == parts()


def test_logits_of_one_position_must_fit():
    settings = replace(SETTINGS, max_logits=999)
    architecture = Architecture(settings.shape, 50_000, tied=False)
    with pytest.raises(ConfigError, match="max_logits: 999 are fewer than one position may have, 1,000"):
        check_need(settings, architecture, 1000, CPU)
    check_need(replace(SETTINGS, max_logits=1000), architecture, 1000, CPU)


def group(folder, names, limit, used, given_back):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in zip(names, (limit, used), strict=True):
        (folder / name).write_text(f"{content}\n")
    key = "inactive_file" if names[0] == "memory.max" else "total_inactive_file"
    (folder / "memory.stat").write_text(f"anon 5\n{key} {given_back}\nactive_file 7\n")


TWO = "memory.max", "memory.current"
ONE = "memory.limit_in_bytes", "memory.usage_in_bytes"


@pytest.mark.parametrize(
    ("line", "names", "mounted"), [("0::/job/step", TWO, "."), ("4:memory:/job/step", ONE, "memory")]
)
def test_the_tightest_group_around_the_process_counts(line, names, mounted, tmp_path):
    own, root = tmp_path / "cgroup", tmp_path / mounted
    own.write_text(f"9:name=systemd:/\n3:cpu,cpuacct:/elsewhere\n{line}\n")
    assert group_memory(tmp_path, own) == float("inf")
    group(root / "job" / "step", names, "max", 900, 0)
    group(root / "job", names, 1000, 900, 300)
    assert group_memory(tmp_path, own) == 400
    group(root, names, 10_000, 2000, 10)
    group(root / "elsewhere", names, 1, 1, 0)
    assert group_memory(tmp_path, own) == 400
    group(root / "job" / "step", names, 500, 450, 20)
    assert group_memory(tmp_path, own) == 70


def test_a_container_s_group_is_where_its_tree_begins(tmp_path):
    (tmp_path / "cgroup").write_text("0::/docker/0123456789ab\n")
    group(tmp_path, TWO, 800, 100, 0)
    assert group_memory(tmp_path, tmp_path / "cgroup") == 700
    assert group_memory(tmp_path, tmp_path / "absent") == float("inf")
