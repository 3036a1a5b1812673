"""Whether a model that was taken out of another has the other's logits on its rows, through transformers.

A logit is a sum over d, and the order of a sum decides its last bits. On one thread, products of four or
more positions sum each logit alike, however many rows the matrix has. With fewer, the kernels for a vector,
and for the last one to three rows of a matrix, have orders of their own: there logits agree to rounding.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from modtok.core.errors import DataError, require

MANY, FEW = (4, 16), (1, 2, 3)
"positions of the calls that are compared"
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Verified:
    """The largest differences of logits, in float32 on the CPU, as shares of the largest logit above 1."""

    many: float
    "over calls of four or more positions"
    few: float

    @property
    def ok(self) -> bool:
        """Whether the first is 0 and the second rounding."""
        return self.many == 0 and self.few <= TOLERANCE

    def __str__(self) -> str:
        agree = "bit for bit" if self.many == 0 else f"to {self.many:.1e} only"
        return f"logits agree {agree} over 4 and 16 positions, to {self.few:.1e} over 1 to 3"


def verify(full: Path, part: Path, ids: np.ndarray, seed: int = 1) -> Verified:
    """Compare the logits of two models' folders on random tokens of the part.

    `ids`: the full model's id of each of the part's tokens. Error: a folder that transformers does not load.

    verify(Path("sequential-bpe+samp-sub2"), Path("fr-en"), np.load("fr-en/full_ids.npy")).ok -> True
    """
    models, rows = [load_model(folder) for folder in (full, part)], torch.from_numpy(ids)
    generator = torch.Generator().manual_seed(seed)

    def largest(calls: Iterable[int]) -> float:
        prompts = (torch.randint(len(ids), (1, positions), generator=generator) for positions in calls)
        # not max, which passes over what is no number
        return float(np.max([_difference(models, rows, tokens) for tokens in prompts]))

    with _one_thread():
        verified = Verified(largest(MANY), largest(FEW))
    finite = math.isfinite(verified.many) and math.isfinite(verified.few)
    require(finite, f"{full}: its logits, or its part's, are no numbers; see its weights")
    return verified


@torch.no_grad()
def _difference(models: Sequence[Any], rows: torch.Tensor, tokens: torch.Tensor) -> float:
    full, part = models
    expected = full(input_ids=rows[tokens]).logits.index_select(-1, rows)
    found = part(input_ids=tokens).logits
    return float((expected - found).abs().max() / expected.abs().max().clamp(min=1))


@contextmanager
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def load_model(folder: Path) -> Any:
    """A transformers model in float32 on the CPU; no code of the folder runs, and nothing is fetched.

    Errors: transformers does not load it, or would draw some of its weights by chance.
    """
    from huggingface_hub.errors import StrictDataclassError
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    logging.disable_progress_bar()
    loader: Any = AutoModelForCausalLM  # whose types do not know output_loading_info
    settings = {"local_files_only": True, "trust_remote_code": False, "use_safetensors": True}
    try:
        model, loaded = loader.from_pretrained(
            str(folder), dtype=torch.float32, output_loading_info=True, **settings
        )
    except (OSError, ValueError, KeyError, RuntimeError, StrictDataclassError) as error:
        raise DataError(f"{folder}: transformers does not load it ({error}); see what it asks for") from error
    missing = sorted(loaded["missing_keys"])
    lacks = f"{folder}: its config.json is another model's, the weights have no {', '.join(missing[:3])}"
    require(not missing, lacks)
    return model.eval()
