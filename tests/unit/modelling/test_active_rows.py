"""The step over active rows against the step over the whole vocabulary, masked."""

import pytest
import torch
from torch.nn import functional

from modtok.core.model_shapes import ModelShape
from modtok.modelling.architecture import EMBEDDING, OUTPUT, Architecture
from modtok.modelling.batches import Batch
from modtok.modelling.cross_entropy import IGNORED, cross_entropy
from modtok.modelling.optimizer import FIRST, AdamW, VocabularyRows
from modtok.modelling.regimes import Draw
from modtok.modelling.training import Trainer
from small_models import draw_weights
from unit.modelling.conftest import SETTINGS

SIZE, ACTIVE = 90, 31
ADAMW = AdamW(beta1=0.9, beta2=0.95, epsilon=1e-8, weight_decay=0.1)
IDS = torch.randperm(SIZE, generator=torch.Generator().manual_seed(2))[:ACTIVE].sort().values


def new_model(tied):
    shape = ModelShape(width=12, layers=2, heads=2, kv_heads=1, hidden=20, context=16)
    body, tables = draw_weights(Architecture(shape, SIZE, tied=tied), 9)
    return body.double(), {name: (10 * table).double() for name, table in tables.items()}


def some_tokens():
    """Places in the active ids (3, 9), and targets of which some are ignored."""
    generator = torch.Generator().manual_seed(4)
    tokens = torch.randint(0, ACTIVE, (3, 10), generator=generator)
    targets = tokens[:, 1:].clone()
    targets[torch.rand(targets.shape, generator=generator) < 0.3] = IGNORED
    return tokens[:, :-1], targets


def masked_loss(body, tables, places, targets):
    """Plain: full ids in, logits of all V rows out, those of inactive ones at minus infinity."""
    hidden = body(functional.embedding(IDS[places], tables[EMBEDDING]))
    logits = hidden @ tables.get(OUTPUT, tables[EMBEDDING]).T
    inactive = torch.ones(SIZE, dtype=torch.bool).index_fill(0, IDS, False)
    logits = logits.masked_fill(inactive, -torch.inf)
    full_targets = IDS[targets.clamp(min=0)].where(targets != IGNORED, IGNORED)
    return functional.cross_entropy(
        logits.flatten(0, 1), full_targets.flatten(), ignore_index=IGNORED, reduction="sum"
    )


@pytest.mark.parametrize("tied", [True, False])
def test_loss_and_gradients_equal_the_masked_full_vocabulary(tied):
    body, tables = new_model(tied)
    places, targets = some_tokens()
    rows = VocabularyRows(tables, ADAMW).gather(IDS)
    hidden = body(functional.embedding(places, rows.embedding_SD)).flatten(0, 1)
    ours = cross_entropy(hidden, rows.output_SD, targets.flatten(), 4 * ACTIVE)
    ours.backward()
    found = {name: weight.grad.clone() for name, weight in body.named_parameters()}

    body.zero_grad()
    leaves = {name: table.clone().requires_grad_() for name, table in tables.items()}
    truth = masked_loss(body, leaves, places, targets)
    truth.backward()
    close = {"rtol": 0, "atol": 1e-10}
    torch.testing.assert_close(ours, truth, **close)
    for name, weight in body.named_parameters():
        torch.testing.assert_close(found[name], weight.grad, **close)
    for name, row in rows.tables.items():
        torch.testing.assert_close(row.grad, leaves[name].grad[IDS], **close)
        others = torch.ones(SIZE, dtype=torch.bool).index_fill(0, IDS, False)
        assert leaves[name].grad[others].eq(0).all()


def steps_of(vocabulary, active):
    """Updates with made-up gradients; step i has `active[i]` as its ids. The gradients by step."""
    generator = torch.Generator().manual_seed(8)
    made = []
    for ids in active:
        rows = vocabulary.gather(ids)
        for row in rows.tables.values():
            row.grad = torch.randn(row.shape, dtype=row.dtype, generator=generator)
        made.append({name: row.grad for name, row in rows.tables.items()})
        vocabulary.update(ids, rows, rate=0.01)
    return made


def reference(table, gradients):
    """The table after torch's AdamW."""
    weight = table.clone().requires_grad_()
    optimizer = torch.optim.AdamW([weight], lr=0.01, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
    for gradient in gradients:
        weight.grad = gradient
        optimizer.step()
    return weight.detach()


def test_all_rows_active_is_ordinary_adamw():
    _, tables = new_model(tied=False)
    before = {name: table.clone() for name, table in tables.items()}
    gradients = steps_of(VocabularyRows(tables, ADAMW), [torch.arange(SIZE)] * 5)
    for name, table in tables.items():
        wanted = reference(before[name], [made[name] for made in gradients])
        torch.testing.assert_close(table, wanted, rtol=0, atol=1e-12)


def test_inactive_rows_and_their_state_stay_bit_for_bit():
    _, tables = new_model(tied=False)
    vocabulary = VocabularyRows(tables, ADAMW)
    steps_of(vocabulary, [torch.arange(SIZE)])
    before = {name: tensor.clone() for name, tensor in vocabulary.state.items()}
    steps_of(vocabulary, [IDS, IDS])
    others = torch.ones(SIZE, dtype=torch.bool).index_fill(0, IDS, False)
    for name, tensor in vocabulary.state.items():
        assert torch.equal(tensor[others], before[name][others])
        assert not torch.equal(tensor[IDS], before[name][IDS])


def test_a_lazy_row_has_the_adamw_of_its_own_steps_alone():
    _, tables = new_model(tied=True)
    before = tables[EMBEDDING].clone()
    rest = torch.tensor([0, 1, 2])
    gradients = steps_of(VocabularyRows(tables, ADAMW), [IDS, rest, rest, IDS])
    wanted = reference(before[IDS], [gradients[0][EMBEDDING], gradients[3][EMBEDDING]])
    only = ~torch.isin(IDS, rest)
    torch.testing.assert_close(tables[EMBEDDING][IDS][only], wanted[only], rtol=0, atol=1e-12)


def test_dense_rows_are_adamw_with_gradients_of_zero():
    _, tables = new_model(tied=True)
    before = tables[EMBEDDING].clone()
    gradients = steps_of(VocabularyRows(tables, ADAMW, lazy=False), [IDS, IDS])
    spread = [torch.zeros_like(before).index_copy(0, IDS, made[EMBEDDING]) for made in gradients]
    torch.testing.assert_close(tables[EMBEDDING], reference(before, spread), rtol=0, atol=1e-12)


def test_parts_of_a_batch_give_the_gradients_of_the_whole():
    tokens = torch.randint(0, ACTIVE, (4, 17), generator=torch.Generator().manual_seed(1)).numpy()
    batch = Batch(Draw("en", 0, ("en",)), IDS.numpy(), tokens)
    ended = []
    for accumulation in (1, 2):
        settings = type(SETTINGS)(**{**vars(SETTINGS), "accumulation": accumulation})
        architecture = Architecture(settings.shape, SIZE, tied=False)
        trainer = Trainer(settings, architecture, 1, torch.device("cpu"))
        ended.append((trainer.step(0, batch), trainer.state))
    (one, state), (other, other_state) = ended
    assert one.loss == pytest.approx(other.loss, rel=1e-5)
    assert one.gradient_norm == pytest.approx(other.gradient_norm, rel=1e-4)
    # moments are the gradients times a constant
    moments = [name for name in state if name.startswith(FIRST)]
    assert len(moments) == 12
    for name in moments:
        assert state[name].abs().max() > 0
        torch.testing.assert_close(state[name], other_state[name], rtol=1e-4, atol=1e-8)
