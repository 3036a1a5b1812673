"""The model of any BPE tokenizer.json as ids: merges, base alphabet, and what in them is broken."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from modtok.tokenization.alphabet import BYTE_SYMBOLS
from modtok.tokenization.merge_table import MergeTable
from modtok.tokenization.pretokenization import BYTE_TOKENS

# More than any vocabulary has: what comes from a file must not decide how much memory is taken.
MAX_IDS = 1 << 24


@dataclass(frozen=True)
class BPEFile:
    """A BPE model read from a tokenizer.json, ours or foreign."""

    vocabulary: dict[str, int]
    table: MergeTable
    "the merges whose parts and result are tokens; several may have one result"
    broken: list[str]
    "merges that are no pair of tokens, or spell no token"
    byte_names: tuple[str, ...]
    "names of the 256 bytes in the vocabulary: GPT-2's symbols, or byte tokens; empty without a byte alphabet"
    outside: frozenset[str]
    "tokens that merging does not make: added ones, the unknown token, byte tokens"

    @property
    def missing_bytes(self) -> list[int]:
        """The bytes of the byte alphabet that are no token."""
        return [byte for byte, name in enumerate(self.byte_names) if name not in self.vocabulary]

    def units(self, surface: str) -> list[int] | None:
        """The base ids that a surface is merged from; None where a character has none."""
        ids: list[int] = []
        for symbol in surface:
            names = [symbol] if symbol in self.vocabulary else self._fallback(symbol)
            if not all(name in self.vocabulary for name in names):
                return None
            ids.extend(self.vocabulary[name] for name in names)
        return ids

    def _fallback(self, symbol: str) -> list[str]:
        return [BYTE_TOKENS[byte] for byte in symbol.encode()]


def read_bpe(tokenizer_json: Mapping[str, Any]) -> BPEFile:
    """Read a tokenizer.json whose model is BPE; merges may be pairs or strings "a b".

    What has not the shape of such a file raises KeyError, TypeError, ValueError or AttributeError.
    """
    model = tokenizer_json["model"]
    vocabulary = _vocabulary(model["vocab"])
    triples, broken = [], []
    for merge in model["merges"]:
        parts = merge.split(" ") if isinstance(merge, str) else merge
        triple = _triple(parts, vocabulary)
        broken.append(str(merge)) if triple is None else triples.append(triple)
    byte_names = byte_alphabet(tokenizer_json)
    added = {token["content"] for token in tokenizer_json.get("added_tokens") or ()}
    fallback = BYTE_TOKENS if byte_names is BYTE_TOKENS else ()
    outside = frozenset({*added, model.get("unk_token"), *fallback} - {None})
    return BPEFile(vocabulary, MergeTable.of(triples), broken, byte_names, outside)


def _vocabulary(vocabulary: Mapping[str, int]) -> dict[str, int]:
    strange = [surface for surface, number in vocabulary.items() if number not in range(MAX_IDS)]
    if strange:
        raise ValueError(f"the token {strange[0]!r} has the id {vocabulary[strange[0]]!r}")
    return dict(vocabulary)


def _triple(parts: Any, vocabulary: Mapping[str, int]) -> tuple[int, int, int] | None:
    if not isinstance(parts, list) or len(parts) != 2 or not all(isinstance(part, str) for part in parts):
        return None
    names = (*parts, "".join(parts))
    if not all(name in vocabulary for name in names):
        return None
    left, right, result = (vocabulary[name] for name in names)
    return left, right, result


def byte_alphabet(tokenizer_json: Mapping[str, Any]) -> tuple[str, ...]:
    """Names by byte: byte tokens with `byte_fallback`, GPT-2's symbols with a ByteLevel step, else none."""
    if tokenizer_json["model"].get("byte_fallback"):
        return BYTE_TOKENS
    return BYTE_SYMBOLS if "ByteLevel" in _step_types(tokenizer_json.get("pre_tokenizer")) else ()


def _step_types(step: Any) -> set[str]:
    """The types of a pre-tokenization step and of all steps inside it."""
    if not isinstance(step, dict):
        return set()
    inner = (_step_types(part) for part in step.get("pretokenizers") or ())
    return {str(step.get("type"))}.union(*inner)
