"""Unigram tokenizers as files: Hugging Face's tokenizer.json and SentencePiece's tokenizer.model.

Both hold the same ids and scores, and encode alike wherever a text holds no U+2581, which SentencePiece takes
for a space. A tokenizer.model knows no pre-tokenization; that of `whitespace` follows from the pieces (see
unigram), that of `gpt2` does not, so for `gpt2` there is only a tokenizer.json.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]  # made at import

from modtok.core.errors import DataError, require
from modtok.core.io import atomic
from modtok.tokenization.hf_format import frame, pretokenization_of, write_tokenizer
from modtok.tokenization.pretokenization import BYTE_TOKENS, SPECIAL_TOKENS, hf_splits
from modtok.tokenization.unigram import SPACE_SYMBOL, UnigramModel, on_grid

NAMES = (*SPECIAL_TOKENS, *BYTE_TOKENS)


def write_unigram(directory: Path, model: UnigramModel, pretokenization: str) -> None:
    """Write tokenizer.model (for `whitespace`), tokenizer_config.json and, last, tokenizer.json.

    write_unigram(Path("mono-unigram-fi"), on_grid(model), "whitespace")
    """
    write_sentencepiece(directory, model, pretokenization)
    write_tokenizer(directory, unigram_json(model, pretokenization))


def write_sentencepiece(directory: Path, model: UnigramModel, pretokenization: str) -> None:
    """Write tokenizer.model for `whitespace`, nothing for `gpt2`."""
    assert np.array_equal(model.scores, on_grid(model).scores), "scores are rounded before they are written"
    if pretokenization == "whitespace":
        with atomic(directory / "tokenizer.model") as partial:
            partial.write_bytes(sentencepiece_bytes(model))


def unigram_json(model: UnigramModel, pretokenization: str) -> dict[str, Any]:
    """The tokenizer.json of a model; the name guard keeps special and byte tokens from matching text."""
    vocabulary = [[name, 0.0] for name in NAMES]
    vocabulary += [[piece, score] for piece, score in zip(model.pieces, model.scores.tolist(), strict=True)]
    return frame(
        hf_splits(pretokenization, "Unigram"),
        {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
        {"type": "Unigram", "unk_id": 0, "vocab": vocabulary, "byte_fallback": True},
    )


def read_unigram(file: Path, pretokenization: str | None = None) -> UnigramModel:
    """The model in a tokenizer.json that write_unigram wrote.

    Errors: any other file; one whose pre-tokenization is not the one that is expected here.
    """
    try:
        tokenizer_json = json.loads(file.read_bytes())
        model, found = unigram_of(tokenizer_json), pretokenization_of(tokenizer_json)
    except (ValueError, KeyError, TypeError) as error:
        message = f"{file}: not a unigram tokenizer.json ({error}); make one with modtok train unigram"
        raise DataError(message) from error
    expected = found if pretokenization is None else pretokenization
    require(found == expected, f"{file}: cuts text by '{found}', the word counts were cut by '{expected}'")
    return model


def unigram_of(tokenizer_json: Mapping[str, Any]) -> UnigramModel:
    """The model in the content of such a file; any other content raises ValueError, KeyError or TypeError."""
    rows = [(str(piece), float(score)) for piece, score in tokenizer_json["model"]["vocab"]]
    if tuple(piece for piece, _ in rows[: len(NAMES)]) != NAMES:
        raise ValueError("the vocabulary does not start with our special and byte tokens")
    pieces = rows[len(NAMES) :]
    return UnigramModel([piece for piece, _ in pieces], np.array([score for _, score in pieces]))


def sentencepiece_bytes(model: UnigramModel) -> bytes:
    """The SentencePiece model file of a model: the same ids and scores, U+2581 for spaces."""
    kinds = ModelProto.SentencePiece
    proto = ModelProto()
    for name in NAMES:
        kind = kinds.BYTE if name in BYTE_TOKENS else kinds.UNKNOWN if name == "<unk>" else kinds.CONTROL
        proto.pieces.add(piece=name, score=0.0, type=kind)
    for piece, score in zip(model.pieces, model.scores.tolist(), strict=True):
        proto.pieces.add(piece=piece.replace(" ", SPACE_SYMBOL), score=score, type=kinds.NORMAL)
    trainer, normalizer = proto.trainer_spec, proto.normalizer_spec
    trainer.model_type, trainer.vocab_size = trainer.UNIGRAM, len(proto.pieces)
    trainer.unk_id, trainer.bos_id, trainer.eos_id, trainer.pad_id = range(len(SPECIAL_TOKENS))
    trainer.byte_fallback = True
    normalizer.name, normalizer.escape_whitespaces = "identity", True
    normalizer.add_dummy_prefix, normalizer.remove_extra_whitespaces = False, False
    return proto.SerializeToString(deterministic=True)
