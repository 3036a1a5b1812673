"""A subtokenizer as the token map of a speculative decoder: the tokens that the draft chooses among.

A draft model over the full vocabulary needs the rows of a few languages only; the target model checks what it
proposes, so that outputs stay the target's own. Two formats, by the file's ending:

- `.pt`: a list of ids, for SGLang's --speculative-token-map. SGLang reads it by torch.load with
  weights_only=True, so torch.save writes it; it holds whole numbers alone, and modtok reads no such file.
- `.safetensors`: `d2t` and `t2d`, the tensors that EAGLE-3 draft checkpoints carry for vLLM and SGLang. Row i
  of the draft's output matrix is token i + d2t[i] of the target; t2d says of each token of the target whether
  the draft has it. They go into the draft's own checkpoint, whose config says draft_vocab_size: vLLM has no
  option for a map.
"""

import io
from pathlib import Path

import numpy as np

from modtok.core.errors import ConfigError
from modtok.core.io import atomic
from modtok.core.safetensors_file import NewTensor, write_tensors


def write_token_map(out: Path, ids: np.ndarray, size: int) -> None:
    """Write sorted ids of a target vocabulary of `size` tokens, in the format of the file's ending.

    Errors: another ending; `.pt` without torch installed.

    write_token_map(Path("fr.pt"), modular.ids(["fr"]), modular.size)
    """
    if out.suffix == ".pt":
        _write_list(out, ids)
    elif out.suffix == ".safetensors":
        offsets = (ids - np.arange(len(ids))).astype("<i8")
        among = np.zeros(size, dtype=bool)
        among[ids] = True
        write_tensors(out, {"d2t": _tensor("I64", offsets), "t2d": _tensor("BOOL", among)})
    else:
        raise ConfigError(
            f"--out {out}: name a .pt file for SGLang, or a .safetensors file for EAGLE-3 drafts"
        )


def _write_list(out: Path, ids: np.ndarray) -> None:
    try:
        import torch
    except ImportError as error:
        raise ConfigError(f"{out}: a .pt file needs torch: pip install 'modtok[models]'") from error
    written = io.BytesIO()  # a file's own name would stand in it
    torch.save(ids.tolist(), written)
    with atomic(out) as partial:
        partial.write_bytes(written.getvalue())


def _tensor(dtype: str, numbers: np.ndarray) -> NewTensor:
    return NewTensor(dtype, numbers.shape, numbers.nbytes, [numbers.view(np.uint8)])
