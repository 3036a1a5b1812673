"""Rows for TensorBoard, by a writer that only notes what it is given: the project goes without it."""

import sys
from types import ModuleType

import pytest

from modtok.core.errors import ConfigError
from modtok.core.io import read_tsv
from modtok.modelling.events import SHOWN, events
from modtok.modelling.pretraining import pretrain
from unit.modelling.conftest import changed


@pytest.fixture
def noted(monkeypatch):
    """What a writer is made with, and given."""
    found = []

    class SummaryWriter:
        def __init__(self, log_dir, purge_step):
            found.append((log_dir, purge_step))

        def __enter__(self):
            return self

        def __exit__(self, *error):
            found.append("closed")

        def add_scalar(self, name, value, step):
            found.append((name, value, step))

    module = ModuleType("torch.utils.tensorboard")
    module.SummaryWriter = SummaryWriter
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return found


def test_a_training_shows_its_log(task, tmp_path, noted):
    pretrain(changed(task, tokens=3 * 4 * 32), tmp_path / "model", tensorboard=tmp_path / "events")
    assert (noted[0], noted[-1]) == ((str(tmp_path / "events" / "model"), 1), "closed")
    rows = read_tsv(tmp_path / "model" / "train_log.tsv")
    assert noted[1:-1] == [
        (name, float(row[name]), step) for step, row in enumerate(rows, 1) for name in SHOWN
    ]


def test_a_resumed_training_replaces_what_comes_after_its_state(noted, tmp_path):
    with events(tmp_path, 7):
        pass
    assert noted[0] == (str(tmp_path), 8)


def test_without_tensorboard_it_is_told_before_the_start(task, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(ConfigError, match="--tensorboard: it is not installed here; pip install tensorboard"):
        pretrain(task, tmp_path / "model", tensorboard=tmp_path / "events")
    assert not (tmp_path / "model.state").exists()
    pretrain(changed(task, tokens=1), tmp_path / "model")
