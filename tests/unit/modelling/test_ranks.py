"""Two processes that train together do what one does, and resume what was killed."""

import subprocess

import pytest
from safetensors.torch import load_file

from modtok.core.errors import ConfigError
from modtok.modelling.pretraining import pretrain
from modtok.modelling.ranks import Ranks
from unit.modelling.conftest import changed
from unit.modelling.test_pretraining import kill_on_its_way, log_of, start

TWO = ("--processes", "2")


ODD = {"model": "d=12,layers=2,heads=3,hidden=22,context=32", "tokens": 12 * 4 * 32}


def test_two_processes_train_what_one_does(task, tmp_path):
    task = changed(task, **ODD)
    assert start(task, tmp_path / "together", *TWO).wait() == 0
    compare_with_one(task, tmp_path)


def test_two_processes_killed_and_resumed_train_what_one_does(task, tmp_path):
    task = changed(task, **ODD, offload=1, tied=True, accumulation=2)
    together = tmp_path / "together"
    kill_on_its_way(start(task, together, *TWO, start_new_session=True), together, steps=4)
    assert start(task, together, *TWO).wait() == 0
    compare_with_one(task, tmp_path)


def compare_with_one(task, tmp_path):
    """What two have trained, in the folder `together`, against one."""
    together = tmp_path / "together"
    pretrain(task, tmp_path / "alone")
    alone, both = log_of(tmp_path / "alone"), log_of(together)
    assert len(both) == 12
    for one, other in zip(alone, both, strict=True):
        for column, value in one.items():
            if column in ("loss", "gradient_norm"):
                assert float(other[column]) == pytest.approx(float(value), rel=1e-4)
            else:
                assert other[column] == value
    expected, found = (load_file(folder / "model.safetensors") for folder in (tmp_path / "alone", together))
    assert expected.keys() == found.keys()
    for name, tensor in expected.items():
        # AdamW divides by the size of gradients, so that rounding counts where these are next to nothing
        assert (tensor - found[name]).abs().mean() < 1e-3 * tensor.abs().mean(), name


def test_a_gpu_that_is_not_seen_is_told_once_before_processes_start(task, tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_GPUS_ON_NODE", "2")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    started = start(task, tmp_path / "model", *TWO, stderr=subprocess.PIPE, text=True)
    _, said = started.communicate()
    assert started.returncode == 1
    assert said.startswith("error: SLURM_GPUS_ON_NODE=2: SLURM gave this job a GPU")
    assert len(said.splitlines()) == 1


def test_an_error_of_all_processes_is_one_line(task, tmp_path):
    odd = changed(task, batch=3)
    started = start(odd, tmp_path / "model", *TWO, stderr=subprocess.PIPE, text=True)
    _, said = started.communicate()
    assert started.returncode == 1
    told = "error: pretraining.batch: 3 sequences are not divided by 2 processes; change one"
    assert said.splitlines() == [told]


def test_sequences_are_shared_out():
    assert [Ranks(rank, 3).own(12) for rank in range(3)] == [range(4), range(4, 8), range(8, 12)]
    with pytest.raises(ConfigError, match="3 sequences are not divided by 2"):
        Ranks(0, 2).own(3)
