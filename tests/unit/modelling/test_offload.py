"""Rows in the CPU's memory: without a delay the plain trainer, with one the scheme written out."""

import random
import time
from dataclasses import replace

import pytest
import torch

from modtok.modelling.architecture import EMBEDDING, Architecture
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.offload import OffloadedRows
from modtok.modelling.rows import ActiveRows
from modtok.modelling.training import Trainer
from unit.modelling.conftest import changed

CPU = torch.device("cpu")
STEPS = 50
TIED = pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])


@pytest.fixture
def train(task):
    """Train some steps on the task's batches; the losses, and the trainer."""
    long = changed(task, tokens=STEPS * 4 * 32)
    maker, size = long.new_maker(), Subtokenizers(task.tokenizer).size

    def run(steps=STEPS, vocabulary=None, resumed=None, **changes):
        settings = replace(long.settings, **changes)
        trainer = Trainer(settings, Architecture(settings.shape, size, settings.tied), 1, CPU)
        if vocabulary:
            trainer.vocabulary = vocabulary(trainer.vocabulary.tables)
        first = 0
        if resumed:
            state, first = resumed
            trainer.restore(state, first)
        made = [maker.make(step) for step in range(first, steps)]
        losses = [
            trainer.step(number, batch, following).loss
            for number, (batch, following) in enumerate(zip(made, [*made[1:], None], strict=True), first)
        ]
        return losses, trainer

    return run


class WrittenOut:
    """The delayed scheme, row by row: what step t - 1 has found moves rows after step t has read its own."""

    def __init__(self, tables):
        self.tables = {name: table.double() for name, table in tables.items()}
        self.moments = {name: ({}, {}) for name in tables}
        self.updates = {}
        self.late = None

    def gather(self, ids):
        rows = {name: table[ids].float().requires_grad_() for name, table in self.tables.items()}
        self.finish()
        return ActiveRows(rows[EMBEDDING], list(rows.values())[-1])

    def ahead(self, ids):
        pass

    def update(self, ids, rows, rate):
        self.late = ids.tolist(), {name: row.grad.double() for name, row in rows.tables.items()}, rate

    def finish(self):
        ids, gradients, rate = self.late or ([], {}, 0)
        for place, row in enumerate(ids):
            count = self.updates[row] = self.updates.get(row, 0) + 1
            for name, gradient in gradients.items():
                first, second = self.moments[name]
                first[row] = 0.9 * first.get(row, 0) + 0.1 * gradient[place]
                second[row] = 0.95 * second.get(row, 0) + 0.05 * gradient[place] ** 2
                size = (second[row] / (1 - 0.95**count)).sqrt() + 1e-8
                step = first[row] / (1 - 0.9**count) / size
                self.tables[name][row] -= rate * (0.1 * self.tables[name][row] + step)
        self.late = None


@TIED
@pytest.mark.parametrize("rows", ["lazy", "dense"])
def test_without_a_delay_it_is_the_plain_trainer_bit_for_bit(train, tied, rows):
    losses, plain = train(tied=tied, rows=rows)
    offloaded, trainer = train(tied=tied, rows=rows, offload=0)
    assert offloaded == losses
    assert plain.state.keys() == trainer.state.keys()
    assert all(torch.equal(tensor, trainer.state[name]) for name, tensor in plain.state.items())


@TIED
def test_with_a_delay_it_is_the_scheme_written_out(train, tied):
    expected, reference = train(tied=tied, vocabulary=WrittenOut)
    losses, trainer = train(tied=tied, offload=1)
    assert losses == pytest.approx(expected, rel=1e-4)
    assert losses != pytest.approx(train(tied=tied)[0], rel=1e-3), "a delay makes a difference"
    for one in (reference, trainer):
        one.finish()
    for name, table in reference.vocabulary.tables.items():
        torch.testing.assert_close(trainer.vocabulary.tables[name], table.float(), rtol=0, atol=2e-3)


def test_neither_a_slow_thread_nor_unknown_next_steps_make_a_difference(train, monkeypatch):
    losses, trainer = train(steps=12, offload=1)
    some = random.Random(1)

    def slowly(job):
        return lambda *given: (time.sleep(0.02 * some.random()), job(*given))[1]

    ahead = OffloadedRows.ahead
    for name in ("_late", "_fetch"):
        monkeypatch.setattr(OffloadedRows, name, slowly(getattr(OffloadedRows, name)))
    slow, late = train(steps=12, offload=1)
    monkeypatch.setattr(OffloadedRows, "ahead", lambda self, ids: ahead(self, None))
    blind, unknowing = train(steps=12, offload=1)
    assert losses == slow == blind
    for other in (late, unknowing):
        assert all(torch.equal(tensor, other.state[name]) for name, tensor in trainer.state.items())


def test_a_state_holds_the_update_that_its_tables_lack(train):
    losses, whole = train(offload=1)
    begun, part = train(steps=20, offload=1)
    state = {name: tensor.clone() for name, tensor in part.state.items()}
    assert {name for name in state if name.startswith("pending.")} == {
        "pending.ids", "pending.rate", "pending.gradient.lm_head.weight",
        "pending.gradient.model.embed_tokens.weight",
    }  # fmt: skip
    rest, resumed = train(offload=1, resumed=(state, 20))
    assert begun + rest == losses
    for one in (whole, resumed):
        one.finish()
    assert "pending.ids" not in whole.state
    assert all(torch.equal(tensor, resumed.state[name]) for name, tensor in whole.state.items())


@pytest.mark.parametrize("delay", [0, 1])
def test_an_error_of_the_thread_stops_the_training(train, monkeypatch, delay):
    def fail(self, update):
        raise MemoryError("no room")

    monkeypatch.setattr(OffloadedRows, "_late", fail)
    with pytest.raises(MemoryError, match="no room"):
        train(steps=4, offload=delay)
