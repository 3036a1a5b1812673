"""The base alphabets of BPE: 256 bytes, or characters with 256 byte tokens to fall back on.

A surface is what tokenizer.json holds: with `bytes` a string of GPT-2's symbols, one printable character for each
byte; with `characters` the text itself, and `<0x41>` for a byte token.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modtok.tokenization.pretokenization import BYTE_TOKENS, SPECIALS, Alphabet

BYTES: Alphabet = "bytes"
# Between words, and in place of what never merges (byte tokens that spell a character outside the alphabet).
BREAK = -1
# One past Unicode; and a code point that no word holds, as separator.
CODE_POINTS, SEPARATOR = 0x110000, "\ud800"


def byte_symbols() -> tuple[str, ...]:
    """GPT-2's symbol of each byte: itself where Latin-1 prints it, else the next free code point from U+0100.

    byte_symbols()[0x20] -> "Ġ"
    """
    printed = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    rest = [byte for byte in range(256) if byte not in printed]
    return tuple(chr(byte if byte in printed else 0x100 + rest.index(byte)) for byte in range(256))


BYTE_SYMBOLS = byte_symbols()


@dataclass(frozen=True)
class BaseAlphabet:
    """A base alphabet. Example: BaseAlphabet("characters", "ab").tokens[-1] -> "b"."""

    kind: Alphabet
    "`bytes` or `characters`"
    characters: str = ""
    "with `characters`: the characters in the order of their ids"

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Surfaces by id: specials, then the base as Hugging Face numbers it (bytes by their symbols' code points)."""
        base = sorted(BYTE_SYMBOLS) if self.kind == BYTES else [*BYTE_TOKENS, *self.characters]
        return (*SPECIALS, *base)

    @property
    def size(self) -> int:
        """Number of base tokens, which count in a budget; the special tokens do not."""
        return len(self.tokens) - len(SPECIALS)

    def ids(self, surface: str) -> list[int]:
        """The base ids that spell a surface; BREAK for a character outside. For bytes, surface means GPT-2 symbols."""
        return [self._ids.get(symbol, BREAK) for symbol in surface]

    @cached_property
    def _ids(self) -> dict[str, int]:
        first = len(SPECIALS) + (0 if self.kind == BYTES else len(BYTE_TOKENS))
        return {symbol: number for number, symbol in enumerate(self.tokens[first:], first)}

    def spell(self, words: Sequence[str]) -> np.ndarray:
        """Base ids of all words in one int32 array, BREAK before, between and after them.

        BaseAlphabet("characters", "ab").spell(["ab", "b"]) -> [-1, 260, 261, -1, 261, -1]
        """
        if self.kind == BYTES:
            # 0xFF stands in no UTF-8 text
            units = np.frombuffer(b"\xff".join([b"", *map(str.encode, words), b""]), dtype=np.uint8)
        else:
            joined = SEPARATOR.join(["", *words, ""])
            units = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        return self._unit_ids[units]

    @cached_property
    def _unit_ids(self) -> np.ndarray:
        """Base id by byte or by code point."""
        if self.kind == BYTES:
            table = [*self.ids("".join(BYTE_SYMBOLS[:0xFF])), BREAK]
            return np.array(table, dtype=np.int32)
        ids = np.full(CODE_POINTS, BREAK, dtype=np.int32)
        ids[[ord(character) for character in self.characters]] = self.ids(self.characters)
        return ids
