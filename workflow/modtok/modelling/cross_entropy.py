"""The loss over an active vocabulary, in pieces: at no time more logits stand than a stated number.

The gradient of a logit is known as soon as the logit is, so each piece yields its part of the gradients
while its logits stand, and nothing of the size positions x vocabulary is kept for the backward pass.

# Shape suffixes: N positions (P of a piece), D model width, S active vocabulary.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from modtok.core.errors import ConfigError, require

IGNORED = -100
"a target that has no loss"


def cross_entropy(hidden_ND: Tensor, output_SD: Tensor, targets_N: Tensor, max_logits: int) -> Tensor:
    """Sum over the positions of -log softmax over the S active rows, () in float32 or better, in nats.

    Targets are places in the S rows; those of IGNORED count for nothing. Logits are in the type of
    `hidden_ND`, sums and the rows' gradient in float32. The backward pass can be made once. Error:
    `max_logits` is less than S, the logits of one position.

    cross_entropy(hidden, rows, targets, max_logits=2**24) / (targets != IGNORED).sum()
    """
    return _CrossEntropy.apply(hidden_ND, output_SD, targets_N, max_logits)


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(
        context: Any, hidden_ND: Tensor, output_SD: Tensor, targets_N: Tensor, max_logits: int
    ) -> Tensor:
        total = torch.zeros((), dtype=_exact(hidden_ND.dtype), device=hidden_ND.device)
        rows_SD = output_SD.to(hidden_ND.dtype)
        grad_hidden, grad_output = torch.empty_like(hidden_ND), torch.zeros_like(output_SD)
        for part in _parts(hidden_ND, rows_SD, max_logits):
            logits_PS = (hidden_ND[part] @ rows_SD.T).to(total.dtype)
            total += _softmax(logits_PS, targets_N[part]).sum()
            _subtract_targets(logits_PS, targets_N[part])
            slope_PS = logits_PS.to(hidden_ND.dtype)
            torch.mm(slope_PS, rows_SD, out=grad_hidden[part])
            _add_product(grad_output, slope_PS, hidden_ND[part])
        context.save_for_backward(grad_hidden, grad_output)
        return total

    @staticmethod
    @once_differentiable
    def backward(context: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None]:
        grad_hidden, grad_output = context.saved_tensors
        return grad_hidden.mul_(grad), grad_output.mul_(grad), None, None


def _softmax(logits_PS: Tensor, targets_P: Tensor) -> Tensor:
    """Turn logits into probabilities in their own memory; -log of the targets' ones (P,), 0 where IGNORED."""
    kept = targets_P != IGNORED
    logits_PS.sub_(logits_PS.amax(dim=1, keepdim=True))
    own = logits_PS.gather(1, targets_P.clamp(min=0)[:, None])[:, 0]
    sums_P1 = logits_PS.exp_().sum(dim=1, keepdim=True)
    logits_PS.div_(sums_P1)
    return (sums_P1[:, 0].log() - own).where(kept, torch.zeros_like(own))


def _subtract_targets(probabilities_PS: Tensor, targets_P: Tensor) -> None:
    """Turn probabilities into the slope of the loss by the logits, 0 where the target is IGNORED."""
    kept = (targets_P != IGNORED).to(probabilities_PS.dtype)[:, None]
    probabilities_PS.mul_(kept)
    probabilities_PS.scatter_add_(1, targets_P.clamp(min=0)[:, None], -kept)


def _add_product(total_SD: Tensor, slope_PS: Tensor, hidden_PD: Tensor) -> None:
    if total_SD.dtype == hidden_PD.dtype:
        total_SD.addmm_(slope_PS.T, hidden_PD)
    else:
        total_SD += slope_PS.T @ hidden_PD


def _parts(hidden_ND: Tensor, output_SD: Tensor, max_logits: int) -> Iterator[slice]:
    """Slices of positions whose logits are at most `max_logits`."""
    positions, active = hidden_ND.shape[0], output_SD.shape[0]
    few = f"max_logits: {max_logits:,} are fewer than one position has, {active:,}; raise it"
    require(active <= max_logits, few, ConfigError)
    step = max_logits // active
    return (slice(start, start + step) for start in range(0, positions, step))


def _exact(dtype: torch.dtype) -> torch.dtype:
    """Where sums are taken: float64 stays, all else is float32."""
    return torch.float64 if dtype == torch.float64 else torch.float32
