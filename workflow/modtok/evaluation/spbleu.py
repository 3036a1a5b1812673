"""The SentencePiece model of spBLEU, checked before models train: no job downloads it."""

import hashlib
from pathlib import Path

from modtok.core.errors import ConfigError, require


def check_spbleu(model: Path, sha256: str) -> None:
    """Error: no such file, or another one than its checksum says.

    check_spbleu(Path("sacrebleu_tokenizer_spm.model"), "3d5c…")
    """
    remedy = "mend evaluation.translation.spbleu, or set it to null to leave spBLEU out"
    require(model.is_file(), f"{model}: no such file; {remedy}", ConfigError)
    found = hashlib.sha256(model.read_bytes()).hexdigest()
    require(found == sha256, f"{model}: its SHA-256 is {found}, not {sha256}; {remedy}", ConfigError)
