"""Loading any tokenizer for encoding: our folders, Hugging Face's tokenizer.json, SentencePiece's .model.

Text is only text: no special token is added, and one that stands in the text is spelled out (in foreign
files, too; their added tokens that are not special stay what they are). BPE dropout, which makes encoding
random, is turned off.
"""

import gzip
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import sentencepiece
from tokenizers import Tokenizer
from tokenizers.models import BPE

from modtok.core.errors import DataError, require
from modtok.core.texts import open_binary

# Texts handed to the encoder at once when only their lengths are kept.
BATCH = 4096


class LoadedTokenizer(Protocol):
    """What every loaded tokenizer can do."""

    @property
    def vocabulary_size(self) -> int:
        """Number of tokens, added ones included."""

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of each text. Error: a lone surrogate, which UTF-8 cannot hold, by the number of its text."""

    def count_batch(self, texts: Sequence[str]) -> np.ndarray:
        """Number of tokens of each text, (texts,) int64."""

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids; special tokens by their names. Error: an id that the tokenizer does not have."""

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """The surface of each id as the tokenizer's file writes it."""


def load(path: Path) -> LoadedTokenizer:
    """Load a folder with tokenizer.json or tokenizer.model, a tokenizer.json(.gz), or a SentencePiece .model.

    Errors: no such file, a file that is no tokenizer.

    load(Path("mono-bpe-fi")).encode_batch(["hyvä"])
    """
    file = tokenizer_file(path)
    if file.suffix == ".model":
        return SentencePieceTokenizer(file)
    return HuggingFaceTokenizer(parse_tokenizer(file, read_json_text(file)), str(file))


def tokenizer_file(path: Path) -> Path:
    """The file to load for a file or a folder."""
    if not path.is_dir():
        return path
    for name in ("tokenizer.json", "tokenizer.json.gz", "tokenizer.model"):
        if (path / name).is_file():
            return path / name
    raise DataError(f"{path}: no tokenizer.json and no tokenizer.model in this folder; name another one")


def read_json_text(file: Path) -> str:
    """The text of a .json or .json.gz file."""
    try:
        with open_binary(file) as stream:
            return stream.read().decode("utf-8-sig")
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise _not_a_tokenizer(file, str(error)) from error


def _not_a_tokenizer(file: Path, why: str) -> DataError:
    return DataError(f"{file}: not a tokenizer.json ({why}); name one that Hugging Face's tokenizers reads")


def parse_tokenizer(file: Path, text: str) -> Tokenizer:
    """Hugging Face's tokenizer for the text of a tokenizer.json, special tokens in text as text."""
    try:
        with _no_panic_lines():
            tokenizer = Tokenizer.from_str(text)
    except BaseException as error:
        if not is_library_fault(error):
            raise
        raise _not_a_tokenizer(file, str(error)) from error
    tokenizer.encode_special_tokens = True
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if isinstance(tokenizer.model, BPE):
        tokenizer.model.dropout = None
    return tokenizer


@contextmanager
def _no_panic_lines() -> Iterator[None]:
    """Nothing on stderr: Rust writes there where it panics; the error it raises says the same."""
    kept, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    os.close(null)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def read_tokenizer_json(file: Path) -> dict[str, Any]:
    """The content of a tokenizer.json(.gz). Error: a file that is no JSON object."""
    return parse_object(file, read_json_text(file))


def parse_object(file: Path, text: str) -> dict[str, Any]:
    """The JSON object that is the text of a tokenizer.json. Error: another text."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _not_a_tokenizer(file, str(error)) from error
    if not isinstance(content, dict):
        raise _not_a_tokenizer(file, "no JSON object")
    return content


def from_json(tokenizer_json: Mapping[str, Any], name: str) -> "HuggingFaceTokenizer":
    """Load the content of a tokenizer.json; `name` stands for its file in errors.

    from_json(modular.extract(["fr"]).tokenizer_json, "sequential-bpe+fr")
    """
    text = json.dumps(tokenizer_json, ensure_ascii=False)
    return HuggingFaceTokenizer(parse_tokenizer(Path(name), text), name)


def is_library_fault(error: BaseException) -> bool:
    """Whether tokenizers failed: it raises bare Exception, and its panics are no Exception at all."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


class HuggingFaceTokenizer:
    """A LoadedTokenizer over Hugging Face's library; `name` stands for it in errors."""

    def __init__(self, tokenizer: Tokenizer, name: str) -> None:
        self.tokenizer = tokenizer
        self.name = name

    def forgetful(self) -> "HuggingFaceTokenizer":
        """The same without its memory of words, some 5 MB that the library does not free with a tokenizer."""
        self.tokenizer.model._resize_cache(0)
        return self

    @property
    def vocabulary_size(self) -> int:
        return self.tokenizer.get_vocab_size(with_added_tokens=True)

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        refuse_surrogates(texts)
        return [encoding.ids for encoding in self._encodings(texts)]

    def count_batch(self, texts: Sequence[str]) -> np.ndarray:
        refuse_surrogates(texts)
        batches = (self._encodings(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH))
        return np.array([len(encoding) for batch in batches for encoding in batch], dtype=np.int64)

    def _encodings(self, texts: Sequence[str]) -> list:
        """Error: a text that the tokenizer fails at, such as one it has no tokens for, not even unknown."""
        try:
            with _no_panic_lines():
                return self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        except BaseException as error:
            if not is_library_fault(error):
                raise
            raise DataError(
                f"{self.name}: this tokenizer cannot encode the text ({error}); mend it or name another one"
            ) from error

    def decode(self, ids: Sequence[int]) -> str:
        self.tokens(ids)
        return self.tokenizer.decode(list(ids), skip_special_tokens=False)

    def tokens(self, ids: Sequence[int]) -> list[str]:
        known = range(2**32)  # ids are unsigned, 32 bits
        surfaces = [self.tokenizer.id_to_token(number) if number in known else None for number in ids]
        return [_known(surface, number, self) for surface, number in zip(surfaces, ids, strict=True)]


class SentencePieceTokenizer:
    """A LoadedTokenizer over SentencePiece; text passes through the model's own normalization."""

    def __init__(self, file: Path) -> None:
        remedy = "name a .model that SentencePiece has trained"
        try:
            with open_binary(file) as stream:
                self.processor = sentencepiece.SentencePieceProcessor(model_proto=stream.read())
        except RuntimeError as error:
            raise DataError(f"{file}: not a SentencePiece model ({error}); {remedy}") from error
        require(self.processor.vocab_size() > 0, f"{file}: not a SentencePiece model (no pieces); {remedy}")

    @property
    def vocabulary_size(self) -> int:
        return self.processor.vocab_size()

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        refuse_surrogates(texts)
        return self.processor.encode(list(texts), out_type=int, num_threads=-1)

    def count_batch(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([len(ids) for ids in self.encode_batch(texts)], dtype=np.int64)

    def decode(self, ids: Sequence[int]) -> str:
        self.tokens(ids)
        return self.processor.decode(list(ids))

    def tokens(self, ids: Sequence[int]) -> list[str]:
        known = range(self.vocabulary_size)
        surfaces = [self.processor.id_to_piece(number) if number in known else None for number in ids]
        return [_known(surface, number, self) for surface, number in zip(surfaces, ids, strict=True)]


def _known(surface: str | None, number: int, tokenizer: LoadedTokenizer) -> str:
    if surface is None:
        raise DataError(
            f"no token has the id {number}; this tokenizer has {tokenizer.vocabulary_size} tokens"
        )
    return surface


def refuse_surrogates(texts: Sequence[str]) -> None:
    """Raise DataError for a lone surrogate, naming the text (line) and the character, both counted from 1."""
    for number, text in enumerate(texts, 1):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            found = f"lone surrogate U+{ord(text[error.start]):04X} at character {error.start + 1}"
            raise DataError(
                f"line {number}: {found}; UTF-8 cannot hold it, so remove or replace it"
            ) from error
