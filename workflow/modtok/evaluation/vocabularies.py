"""Vocabularies as a person names them: a number of tokens, a tokenizer, some languages of a modular one."""

from pathlib import Path
from typing import TYPE_CHECKING

from modtok.core.errors import ConfigError, DataError, require
from modtok.evaluation.memory import Vocabulary

if TYPE_CHECKING:
    from modtok.tokenization.loading import LoadedTokenizer

MAX_SIZE = 10**9


def read_vocabulary(text: str, tokens: int, document: Path | None = None) -> Vocabulary:
    """A vocabulary by its size, `256000`, its file or folder, `sequential-bpe`, or that and languages,
    `sequential-bpe+fr+en`.

    `tokens` is the length of a document; with `document`, a UTF-8 text, its tokens are counted instead.
    Errors: no size and no tokenizer, languages that it has not, a document for a mere number.

    read_vocabulary("256000", tokens=4096) -> Vocabulary("256000", 256000, 4096)
    """
    if text.isascii() and text.isdecimal():
        require(1 <= int(text) <= MAX_SIZE, f"vocabulary {text}: give 1 to {MAX_SIZE:,} tokens", ConfigError)
        needs = "a number cannot count a document's tokens; name a tokenizer, or give --tokens"
        require(document is None, f"vocabulary {text}: {needs}", ConfigError)
        return Vocabulary(text, int(text), tokens)
    tokenizer = _load(text)
    counted = tokens if document is None else _count(tokenizer, document)
    return Vocabulary(text, tokenizer.vocabulary_size, counted)


def _load(text: str) -> "LoadedTokenizer":
    from modtok.tokenization.loading import load
    from modtok.tokenization.subtokenizer import load_subtokenizer

    path, *langs = [text] if Path(text).exists() else text.split("+")
    known = "give a number of tokens, a tokenizer's file or folder, or FOLDER+fr+en"
    require(Path(path).exists(), f"vocabulary {text}: no such tokenizer; {known}", ConfigError)
    return load_subtokenizer(Path(path), langs) if langs else load(Path(path))


def _count(tokenizer: "LoadedTokenizer", document: Path) -> int:
    """Tokens of a text, line by line with the line ends."""
    try:
        lines = document.read_bytes().decode("utf-8").splitlines(keepends=True)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{document}: not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from error
    total = int(tokenizer.count_batch(lines).sum())
    require(total > 0, f"{document}: no text to count; name another document")
    return total
