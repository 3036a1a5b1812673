"""Token maps, read as SGLang and vLLM read them."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from modtok.core.errors import ConfigError
from modtok.tokenization.token_map import write_token_map

IDS = np.array([0, 1, 2, 3, 7, 8, 12])
SIZE = 15


def test_sglang_finds_the_ids(tmp_path: Path) -> None:
    write_token_map(tmp_path / "fr.pt", IDS, SIZE)
    # sglang.srt.speculative.spec_utils.load_token_map
    hot_token_id = torch.load(tmp_path / "fr.pt", weights_only=True)
    assert torch.tensor(hot_token_id, dtype=torch.int64).tolist() == IDS.tolist()


def test_vllm_puts_the_drafts_logits_in_the_targets_places(tmp_path: Path) -> None:
    write_token_map(tmp_path / "fr.safetensors", IDS, SIZE)
    found = load_file(tmp_path / "fr.safetensors")
    assert {name: tensor.dtype for name, tensor in found.items()} == {"d2t": torch.int64, "t2d": torch.bool}
    # vllm.model_executor.models.llama_eagle3.compute_logits
    logits = torch.arange(float(len(IDS)))[None]
    placed = logits.new_full((1, SIZE), float("-inf"))
    placed[:, torch.arange(len(IDS)) + found["d2t"]] = logits
    assert placed[0, IDS].tolist() == logits[0].tolist()
    assert torch.isfinite(placed[0]).tolist() == found["t2d"].tolist()


@pytest.mark.parametrize("ending", ["pt", "safetensors"])
def test_the_same_bytes_by_any_name(tmp_path: Path, ending: str) -> None:
    for name in ("a", "another"):
        write_token_map(tmp_path / f"{name}.{ending}", IDS, SIZE)
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"another.{ending}").read_bytes()


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--out .*fr.bin: name a .pt file for SGLang, or a .safetensors"):
        write_token_map(tmp_path / "fr.bin", IDS, SIZE)
    assert list(tmp_path.iterdir()) == []
