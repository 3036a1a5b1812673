"""The loss over active rows, in pieces, is the plain one."""

import pytest
import torch
from torch.nn import functional

from modtok.core.errors import ConfigError
from modtok.modelling.cross_entropy import IGNORED, cross_entropy

POSITIONS, ACTIVE, WIDTH = 37, 53, 11


def batch(dtype=torch.float64):
    generator = torch.Generator().manual_seed(3)
    hidden = 3 * torch.randn(POSITIONS, WIDTH, dtype=dtype, generator=generator)
    rows = torch.randn(ACTIVE, WIDTH, dtype=dtype, generator=generator)
    targets = torch.randint(0, ACTIVE, (POSITIONS,), generator=generator)
    targets[::5] = IGNORED
    return hidden.requires_grad_(), rows.requires_grad_(), targets


def plain(hidden, rows, targets):
    return functional.cross_entropy(hidden @ rows.T, targets, ignore_index=IGNORED, reduction="sum")


@pytest.mark.parametrize("max_logits", [ACTIVE, 3 * ACTIVE + 1, 10**6])
def test_loss_and_gradients_are_those_of_the_plain_loss(max_logits):
    hidden, rows, targets = batch()
    scale = 0.37
    ours = cross_entropy(hidden, rows, targets, max_logits)
    found = torch.autograd.grad(ours * scale, (hidden, rows))
    truth = plain(hidden, rows, targets)
    wanted = torch.autograd.grad(truth * scale, (hidden, rows))
    torch.testing.assert_close(ours, truth, rtol=0, atol=1e-10)
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-10)


def test_a_target_without_a_chance_has_a_large_loss_not_inf():
    hidden, rows = torch.tensor([[1000.0]]), torch.tensor([[1.0], [-1.0]])
    assert cross_entropy(hidden, rows, torch.tensor([1]), 2).item() == 2000.0


def test_in_bfloat16_it_is_as_exact_as_the_naive_loss():
    hidden, rows, targets = batch(torch.float32)
    truth = plain(hidden, rows, targets)
    half, half_rows = hidden.detach().bfloat16(), rows.detach().bfloat16()
    naive = plain(half, half_rows, targets).float()
    ours = cross_entropy(half, rows, targets, ACTIVE * 5)
    assert (ours - truth).abs() <= (naive - truth).abs() + 1e-3 * truth


def test_halved_hidden_states_lose_no_more_than_plainly_and_rows_sum_in_float32():
    hidden, rows, targets = batch()
    plain(hidden, rows, targets).backward()
    errors = []
    for name in ("ours", "plain"):
        half = hidden.detach().bfloat16().requires_grad_()
        own = rows.detach().float().requires_grad_()
        if name == "ours":
            cross_entropy(half, own, targets, ACTIVE).backward()
        else:
            plain(half, own.bfloat16(), targets).backward()
        errors.append(
            [float((one.grad - truth.grad).abs().max()) for one, truth in ((half, hidden), (own, rows))]
        )
    (hidden_error, rows_error), (plain_hidden_error, plain_rows_error) = errors
    assert 0 < hidden_error < 1.1 * plain_hidden_error
    assert 0 < rows_error < plain_rows_error


def test_pieces_too_small_for_one_position_are_an_error():
    with pytest.raises(ConfigError, match="max_logits: 52 are fewer than one position has, 53"):
        cross_entropy(*batch(), max_logits=ACTIVE - 1)
