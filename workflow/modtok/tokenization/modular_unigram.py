"""A Unigram tokenizer with a set of ids per language, as files that Hugging Face and SentencePiece read."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from modtok.tokenization.modular import Modular
from modtok.tokenization.unigram import UnigramModel
from modtok.tokenization.unigram_format import NAMES, unigram_json, write_sentencepiece


def module(places: np.ndarray) -> np.ndarray:
    """The sorted ids of a subtokenizer: special and byte tokens, and the pieces at `places` in the model."""
    return np.concatenate([np.arange(len(NAMES)), len(NAMES) + np.sort(places)]).astype(np.int64)


def write_modular_unigram(
    directory: Path, model: UnigramModel, modules: Mapping[str, np.ndarray], pretokenization: str
) -> None:
    """Write tokenizer.model (for `whitespace`), modules.json and, last, tokenizer.json."""
    write_sentencepiece(directory, model, pretokenization)
    Modular(unigram_json(model, pretokenization), modules).write(directory)
