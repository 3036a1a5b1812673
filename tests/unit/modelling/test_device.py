"""Where models run, as far as a machine without a GPU can say."""

import pytest
import torch

from modtok.core.errors import ConfigError
from modtok.modelling.device import CHOSEN, IDS, NUMBER, find_device


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (CHOSEN, NUMBER, *IDS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


def test_without_a_gpu_it_is_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_GPUS_ON_NODE", "0")
    assert find_device() == torch.device("cpu")


@pytest.mark.parametrize(("name", "value"), [(NUMBER, "2"), *((name, "0") for name in IDS)])
def test_a_gpu_that_was_given_and_is_not_seen_is_an_error(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=rf"{name}={value}: SLURM gave this job a GPU.*MODTOK_DEVICE=cpu"):
        find_device()
    monkeypatch.setenv(CHOSEN, "cpu")
    assert find_device() == torch.device("cpu")


def test_each_process_has_the_gpu_of_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert find_device() == torch.device("cuda")
    assert find_device(3) == torch.device("cuda", 3)
    monkeypatch.setenv(CHOSEN, "cpu")
    assert find_device(3) == torch.device("cpu")
