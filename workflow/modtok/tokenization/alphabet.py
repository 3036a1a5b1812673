"""The base alphabets of BPE: 256 bytes, or characters with 256 byte tokens to fall back on.

A surface is what tokenizer.json holds: with `bytes` a string of GPT-2's symbols, one printable character for
each byte; with `characters` the text itself, and `<0x41>` for a byte token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Literal

import numpy as np

from modtok.tokenization.pretokenization import BYTE_TOKENS, SPECIAL_TOKENS

Kind = Literal["bytes", "characters"]
BYTES: Kind = "bytes"
# One past Unicode; and a code point that no word holds.
CODE_POINTS, SEPARATOR = 0x110000, "\ud800"
BREAK = -1
"In place of an id: between words, and for a character outside the alphabet, whose byte tokens never merge."


def byte_symbols() -> tuple[str, ...]:
    """GPT-2's symbol of each byte: itself where Latin-1 prints it, else the next free code point from U+0100.

    byte_symbols()[0x20] -> "Ġ"
    """
    printed = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    rest = [byte for byte in range(256) if byte not in printed]
    return tuple(chr(byte if byte in printed else 0x100 + rest.index(byte)) for byte in range(256))


BYTE_SYMBOLS = byte_symbols()
BYTE_OF = {symbol: byte for byte, symbol in enumerate(BYTE_SYMBOLS)}
"The byte that each of GPT-2's symbols stands for."


def surface_of(token: bytes) -> str:
    """Bytes in GPT-2's symbols. surface_of(b" a") -> "Ġa"."""
    return "".join(map(BYTE_SYMBOLS.__getitem__, token))


def spelled_bytes(surface: str) -> bytes | None:
    """The bytes of a surface; None where a symbol stands for no byte. spelled_bytes("Ġa") -> b" a"."""
    try:
        return bytes(map(BYTE_OF.__getitem__, surface))
    except KeyError:
        return None


def text_of(token: bytes) -> str | None:
    """The text that a token spells by itself; None where it is not UTF-8."""
    try:
        return token.decode()
    except UnicodeDecodeError:
        return None


@dataclass(frozen=True)
class BaseAlphabet:
    """A base alphabet. Example: BaseAlphabet("characters", "ab").tokens[-1] -> "b"."""

    kind: Kind
    "`bytes` or `characters`"
    characters: str = ""
    "with `characters`: the characters in the order of their ids"

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Surfaces by id: specials, then the base (bytes ordered by their symbols, as Hugging Face does)."""
        base = sorted(BYTE_SYMBOLS) if self.kind == BYTES else [*BYTE_TOKENS, *self.characters]
        return (*SPECIAL_TOKENS, *base)

    @property
    def size(self) -> int:
        """Number of base tokens, which count in a budget; the special tokens do not."""
        return len(self.tokens) - len(SPECIAL_TOKENS)

    @cached_property
    def spelling(self) -> "Spelling":
        """The ids of the symbols that words are spelled in."""
        first = len(SPECIAL_TOKENS) + (0 if self.kind == BYTES else len(BYTE_TOKENS))
        return Spelling(self.kind, {symbol: n for n, symbol in enumerate(self.tokens[first:], first)})


@dataclass(frozen=True)
class Spelling:
    """How words are spelled in base ids. Spelling("characters", {"a": 260}).ids("ab") -> [260, -1]."""

    kind: Kind
    numbers: Mapping[str, int]
    "id by symbol: GPT-2's of a byte, or a character"

    def ids(self, surface: str) -> list[int]:
        """The base ids that spell a surface; BREAK for a character outside."""
        return [self.numbers.get(symbol, BREAK) for symbol in surface]

    def spell(self, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Base ids of all words in one int32 array, BREAK before, between and after them; and the lengths.

        BaseAlphabet("characters", "ab").spelling.spell(["ab", "b"]) -> [-1, 260, 261, -1, 261, -1], [2, 1]
        """
        units, separator = joined_bytes(words) if self.kind == BYTES else joined_characters(words)
        return self._unit_ids[units], np.diff(np.flatnonzero(units == separator)) - 1

    @cached_property
    def _unit_ids(self) -> np.ndarray:
        """Base id by byte or by code point."""
        if self.kind == BYTES:
            table = [*self.ids("".join(BYTE_SYMBOLS[:0xFF])), BREAK]
            return np.array(table, dtype=np.int32)
        ids = np.full(CODE_POINTS, BREAK, dtype=np.int32)
        ids[[ord(character) for character in self.numbers]] = list(self.numbers.values())
        return ids


def joined_bytes(words: Sequence[str]) -> tuple[np.ndarray, int]:
    """The UTF-8 bytes of all words, with a byte that UTF-8 never uses before, between and after them."""
    joined = b"\xff".join([b"", *map(str.encode, words), b""])
    return np.frombuffer(joined, dtype=np.uint8), 0xFF


def joined_characters(words: Sequence[str]) -> tuple[np.ndarray, int]:
    """The code points of all words, with a surrogate, which no word holds, before, between and after them."""
    joined = SEPARATOR.join(["", *words, ""])
    return np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32), ord(SEPARATOR)


def covering_characters(words: Sequence[str], counts: np.ndarray, coverage: float) -> str:
    """The fewest most frequent characters that make up `coverage` of the text, by code point.

    `counts`: (words,) int64. Ties go to the smaller code point. covering_characters(["aab"], [1], 0.6) -> "a"
    """
    units, separator = joined_characters(words)
    lengths = np.diff(np.flatnonzero(units == separator)) - 1
    frequency = np.zeros(CODE_POINTS, dtype=np.int64)
    # bincount would add in floating point
    np.add.at(frequency, units[units != separator], np.repeat(counts, lengths))
    order = np.argsort(-frequency, kind="stable")
    covered = np.cumsum(frequency[order])
    wanted = ceil(Fraction(str(coverage)) * int(covered[-1]))
    chosen = order[: int(np.searchsorted(covered, wanted)) + 1]
    return "".join(map(chr, np.sort(chosen[frequency[chosen] > 0])))
