"""Whole trainings: kills, changes, and errors that keep what there is."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch

from modtok.core.errors import ConfigError, DataError
from modtok.core.io import read_tsv
from modtok.modelling.checkpoint import read_model
from modtok.modelling.forecast import check_memory
from modtok.modelling.pretraining import pretrain
from modtok.modelling.state import MEASURED
from unit.modelling.conftest import changed

WORKFLOW = Path(__file__).parents[3] / "workflow"


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def log_of(folder):
    """The rows of a log without what is measured."""
    rows = read_tsv(folder / "train_log.tsv")
    return [{name: cell for name, cell in row.items() if name not in MEASURED} for row in rows]


def files_of(folder):
    return {name: (folder / name).read_bytes() for name in ("config.json", "model.safetensors")}


def test_a_training_writes_a_model_and_a_log_and_learns(task, tmp_path):
    pretrain(task, tmp_path / "model")
    rows = log_of(tmp_path / "model")
    assert [row["step"] for row in rows] == [str(step) for step in range(1, 25)]
    assert {row["subtokenizer"] for row in rows} > {"en", "fi", "en+fi"}
    losses = [float(row["loss"]) for row in rows if row["subtokenizer"] == "en"]
    assert losses[-1] < losses[0] - 0.2
    model = read_model(tmp_path / "model")
    assert model.about["regime"] == "samp-sub1"
    assert model.about["steps"] == 24
    assert not (tmp_path / "model.state").exists()
    assert (tmp_path / "model" / "model.safetensors").stat().st_mode & 0o444 == 0o444


@pytest.mark.parametrize("changes", [{}, {"rows": "dense"}, {"offload": 0}, {"offload": 1}], ids=str)
def test_a_training_that_is_killed_and_resumed_ends_as_an_undisturbed_one(changes, task, tmp_path):
    task = changed(task, **changes)
    pretrain(task, tmp_path / "whole")
    killed = tmp_path / "killed"
    kill_on_its_way(start(task, killed, start_new_session=True), killed)
    assert start(task, killed).wait() == 0
    assert log_of(killed) == log_of(tmp_path / "whole")
    assert files_of(killed) == files_of(tmp_path / "whole")


def start(task, out, *options, **given):
    """The step as a process of its own, which saves its state after each step."""
    mixture = out.parent / "mixture.tsv"
    mixture.write_text("lang\tshare\n" + "".join(f"{lang}\t{share}\n" for lang, share in task.shares.items()))
    command = [sys.executable, "-m", "modtok.steps.pretrain", "--tokenizer", str(task.tokenizer)]
    command += ["--regime", task.regime, "--mixture", str(mixture), "--seed", str(task.seed)]
    command += ["--texts", *(f"{lang}={path}" for lang, path in task.texts.items())]
    command += ["--settings", json.dumps(asdict(task.settings)), "--save-seconds", "0", "--out", str(out)]
    return subprocess.Popen([*command, *options], env={**os.environ, "PYTHONPATH": str(WORKFLOW)}, **given)


def kill_on_its_way(started, out, steps=8):
    """Kill a training and all its processes when it has done some steps."""
    log = out.with_name(out.name + ".state") / "train_log.tsv"
    deadline = time.monotonic() + 100
    while not (log.is_file() and log.read_bytes().count(b"\n") > steps) and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    assert log.with_name("state.safetensors").is_file(), "it was killed on its way"


def test_workers_change_nothing(task, tmp_path):
    pretrain(task, tmp_path / "none")
    pretrain(task, tmp_path / "some", workers=2)
    assert files_of(tmp_path / "none") == files_of(tmp_path / "some")


def test_repetitions_differ_and_seeds_differ(task, tmp_path):
    others = {"one": task, "other": replace(task, repeat=2), "seed": replace(task, seed=2)}
    weights = set()
    for name, other in others.items():
        pretrain(changed(other, tokens=1), tmp_path / name)
        weights.add(files_of(tmp_path / name)["model.safetensors"])
    assert len(weights) == 3


def broken_off(task, folder):
    """A training that has left a state: its loss becomes no number, far from the start."""
    bad = changed(task, learning_rate=1e30, warmup=0.5)
    with pytest.raises(
        DataError, match=r"step \d+ \(.*\): loss .*; lower pretraining.learning_rate"
    ) as raised:
        pretrain(bad, folder, save_seconds=0)
    return bad, str(raised.value)


def test_a_loss_that_is_no_number_stops_in_one_line_and_keeps_the_state(task, tmp_path):
    _, message = broken_off(task, tmp_path / "model")
    state = tmp_path / "model.state"
    assert f"the state after step 1 is in {state}" in message
    assert "\n" not in message
    assert (state / "state.safetensors").is_file()
    assert not (tmp_path / "model" / "model.safetensors").exists()


def test_the_state_of_another_training_is_refused_and_named(task, tmp_path):
    bad, _ = broken_off(task, tmp_path / "model")
    with pytest.raises(ConfigError, match=r"differs in settings\) is there; remove the folder .*model.state"):
        pretrain(task, tmp_path / "model")
    with pytest.raises(ConfigError, match="differs in regime, seed"):
        pretrain(replace(bad, regime="mono-only", seed=2), tmp_path / "model")


def test_the_state_of_another_tokenizer_or_of_other_text_is_refused(task, tmp_path):
    bad, _ = broken_off(task, tmp_path / "model")
    tokenizer = tmp_path / task.tokenizer.name
    shutil.copytree(task.tokenizer, tokenizer)
    (tokenizer / "tokenizer.json").write_text((tokenizer / "tokenizer.json").read_text() + "\n")
    with pytest.raises(ConfigError, match=r"differs in tokenizer_digest\) is there; remove the folder"):
        pretrain(replace(bad, tokenizer=tokenizer), tmp_path / "model")
    (tmp_path / "en.bin").write_bytes(task.texts["fi"].read_bytes())
    with pytest.raises(ConfigError, match="differs in texts"):
        pretrain(replace(bad, texts={**task.texts, "en": tmp_path / "en.bin"}), tmp_path / "model")
    assert (tmp_path / "model.state" / "state.safetensors").is_file()


def test_a_broken_state_is_named(task, tmp_path):
    bad, _ = broken_off(task, tmp_path / "model")
    (tmp_path / "model.state" / "state.safetensors").write_bytes(b"\x01\x02")
    with pytest.raises(DataError, match=r"state\.safetensors: not a state of this training"):
        pretrain(bad, tmp_path / "model")


def test_too_little_memory_is_told_before_the_start(task, tmp_path):
    huge = changed(task, batch=2**40, tokens=2**50)
    with pytest.raises(
        ConfigError, match=r"needs about .* GB of memory \(body .*activations .*\), .* GB are free"
    ):
        pretrain(huge, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
    check_memory({"body": 1.0}, torch.device("cpu"))


def test_tied_models_and_accumulation_train(task, tmp_path):
    pretrain(changed(task, tied=True, accumulation=2, tokens=256), tmp_path / "model")
    model = read_model(tmp_path / "model")
    assert model.output is model.embedding
