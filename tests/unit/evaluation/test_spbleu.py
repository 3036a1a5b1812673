"""The model of spBLEU is the one that the config names, or an error says so."""

import hashlib
import re

import pytest

from modtok.core.errors import ConfigError
from modtok.evaluation.spbleu import check_spbleu


def test_a_sentencepiece_model_must_be_the_one_that_the_config_names(tmp_path) -> None:
    file = tmp_path / "spm.model"
    with pytest.raises(ConfigError, match="no such file"):
        check_spbleu(file, "0" * 64)
    file.write_bytes(b"pieces")
    digest = hashlib.sha256(b"pieces").hexdigest()
    check_spbleu(file, digest)
    with pytest.raises(ConfigError, match=re.escape(f"its SHA-256 is {digest}, not {'0' * 64}")):
        check_spbleu(file, "0" * 64)
