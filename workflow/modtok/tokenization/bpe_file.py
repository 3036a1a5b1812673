"""The model of any BPE tokenizer.json as ids: merges, base alphabet, and what in them is broken."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from modtok.core.errors import DataError, require
from modtok.tokenization.alphabet import BYTE_SYMBOLS
from modtok.tokenization.merge_table import MergeTable
from modtok.tokenization.pretokenization import BYTE_TOKENS

# More than any vocabulary has: what comes from a file must not decide how much memory is taken.
MAX_IDS = 1 << 24
# Options of a BPE model that spell a token by its place in the word; merging then joins other texts.
SUBWORD_MARKS = ("continuing_subword_prefix", "end_of_word_suffix")
MALFORMED = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
"What reading a file raises that has not the shape of a tokenizer.json."
REMEDY = "take a byte-level BPE tokenizer.json, such as Qwen 3's; `modtok audit` tells more"


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

    What has not the shape of such a file raises one of MALFORMED.
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


def read_byte_level_bpe(tokenizer_json: Mapping[str, Any], name: str) -> BPEFile:
    """Read a tokenizer.json whose merges all join bytes; `name` stands for its file in errors.

    Errors, one line each: another model, a malformed one, no byte alphabet or a byte that is no token, a
    space put before texts, marks of subwords, broken merges, tokens that share an id.
    """
    model = tokenizer_json.get("model")
    kind = model.get("type") if isinstance(model, dict) else None
    require(kind == "BPE", f"{name}: its model is {kind or 'none'}, not BPE; {REMEDY}")
    try:
        file = read_bpe(tokenizer_json)
        fault = next(_faults(file, tokenizer_json), None)
    except MALFORMED as error:
        why = f"{type(error).__name__} {error}"
        raise DataError(f"{name}: malformed BPE model ({why}); {REMEDY}") from error
    require(fault is None, f"{name}: {fault}; {REMEDY}")
    return file


def _faults(file: BPEFile, tokenizer_json: Mapping[str, Any]) -> Iterator[str]:
    """Why a BPE model is no byte-level one that ranked merging of bytes follows."""
    if file.byte_names is not BYTE_SYMBOLS:
        yield "no byte alphabet (no ByteLevel pre-tokenizer)"
    if file.missing_bytes:
        yield f"{len(file.missing_bytes)} of the 256 bytes are no tokens"
    if any(step.get("add_prefix_space") for step in _steps(tokenizer_json.get("pre_tokenizer"))):
        yield "it puts a space before each text (add_prefix_space), which no token says"
    if marks := [mark for mark in SUBWORD_MARKS if tokenizer_json["model"].get(mark)]:
        yield f"marks of subwords are not supported ({', '.join(marks)} is set)"
    if file.broken:
        why = "no pair of tokens, or their join is no token"
        yield f"{len(file.broken)} broken merges, such as {file.broken[:1]}: {why}"
    if shared := [number for number, n in Counter(file.vocabulary.values()).items() if n > 1]:
        yield f"several tokens have the id {shared[:1]}"


def _vocabulary(vocabulary: Mapping[str, int]) -> dict[str, int]:
    strange = [
        surface
        for surface, number in vocabulary.items()
        if type(number) is not int or number not in range(MAX_IDS)
    ]
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
    types = (step.get("type") for step in _steps(tokenizer_json.get("pre_tokenizer")))
    return BYTE_SYMBOLS if "ByteLevel" in types else ()


def _steps(step: Any) -> Iterator[Mapping[str, Any]]:
    """A step of pre-tokenization and all steps inside it."""
    if isinstance(step, dict):
        yield step
        for part in step.get("pretokenizers") or ():
            yield from _steps(part)
