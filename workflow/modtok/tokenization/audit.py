"""The strict audit of a tokenizer.json, ours or foreign: proper, reachable, unambiguous, complete, lossless?

A token is reachable when ranked merging of its own base units gives back exactly that token, with no
pre-tokenizer and with `ignore_merges` off. What is found is reported, never raised: only a file that is no
JSON object is an error.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modtok.core.errors import DataError
from modtok.tokenization.bpe_file import MALFORMED, SUBWORD_MARKS, byte_alphabet, read_bpe
from modtok.tokenization.loading import (
    HuggingFaceTokenizer,
    is_library_fault,
    parse_object,
    parse_tokenizer,
    read_json_text,
    tokenizer_file,
)
from modtok.tokenization.modular import MODULES, Modular
from modtok.tokenization.pretokenization import SPECIAL_TOKENS
from modtok.tokenization.reachability import unreachable

EXAMPLES = 5
# What tokenizers are known to lose: names of tokens, white space, marks, what normalization changes.
HARD_TEXTS = (
    *SPECIAL_TOKENS,
    "<0x41>",
    "a <0x0A> b",
    "\u2581a \u2581 b",
    "  two  and   three   spaces ",
    "line\r\nline\n\n\tTab\r",
    "NUL \0 and \x1c\x1f controls",
    "e\u0301 \u00e9 \u0301alone",
    "\u212b \ufb01 \u2460 \uff21 \u00bd",
    "\u00a0\u2003\u3000\u200b\ufeffspaces",
    "Ελληνικά, български, తెలుగు, සිංහල, 日本語",
    "👩\u200d👩\u200d👧 🇫🇮 \U0010ffff \ue000",
    "don't we'll I'M 1234567 x=y;",
)


@dataclass(frozen=True)
class Finding:
    """One check's outcome. Example: Finding("unreachable", "588", False, "first: …")."""

    check: str
    value: str
    ok: bool
    detail: str = ""
    "examples, or what the value means"


@dataclass(frozen=True)
class Audit:
    """All findings for a file."""

    file: Path
    findings: list[Finding]

    @property
    def ok(self) -> bool:
        return all(finding.ok for finding in self.findings)

    def rows(self) -> list[dict[str, str]]:
        """Rows to print: check, value, ok, detail."""
        return [
            {"check": f.check, "value": f.value, "ok": "yes" if f.ok else "no", "detail": f.detail}
            for f in self.findings
        ]


def audit(path: Path) -> Audit:
    """Audit a tokenizer.json(.gz) or a folder that holds one; of a modular one each language's part as well.

    Error: a file that is no JSON object. audit(Path("mono-bpe-fi")).ok -> True
    """
    file = tokenizer_file(path)
    text = read_json_text(file)
    tokenizer_json = parse_object(file, text)
    twice = _none_of("keys given twice", _keys_given_twice(text), "the last one counts")
    findings = [twice, *_model_findings(tokenizer_json), _lossless(file, text)]
    return Audit(file, findings + (_language_findings(path) if (path / MODULES).is_file() else []))


def _keys_given_twice(text: str) -> list[str]:
    """Keys that one object of the JSON text has more than once, such as a token of the vocabulary."""
    twice: list[str] = []

    def note(entries: list[tuple[str, Any]]) -> None:
        times = Counter(key for key, _ in entries)
        twice.extend(key for key, n in times.items() if n > 1)

    json.loads(text, object_pairs_hook=note)
    return twice


def _language_findings(directory: Path) -> list[Finding]:
    """One finding for each language of a modular tokenizer: what is wrong with its subtokenizer."""
    try:
        modular = Modular.load(directory)
    except DataError as error:
        return [Finding("languages", "none", False, str(error))]
    return [_language_finding(modular, lang) for lang in modular.modules]


def _language_finding(modular: Modular, lang: str) -> Finding:
    extracted = modular.extract([lang])
    wrong = [finding for finding in _model_findings(extracted.tokenizer_json) if not finding.ok]
    detail = "; ".join(f"{finding.check} {finding.value}, {finding.detail}" for finding in wrong)
    return Finding(f"language {lang}", f"{len(extracted.full_ids)} tokens", not wrong, detail)


def _model_findings(tokenizer_json: dict[str, Any]) -> list[Finding]:
    """The findings on the model; a single one when its parts are not what its type asks for."""
    model = tokenizer_json.get("model")
    kind = str(model.get("type")) if isinstance(model, dict) else "none"
    audits: dict[str, Callable[[dict[str, Any]], list[Finding]]] = {"BPE": _bpe, "Unigram": _unigram}
    if kind not in audits:
        return [Finding("model", kind, False, "neither BPE nor Unigram: merges are not audited")]
    try:
        return [Finding("model", kind, True), *audits[kind](tokenizer_json)]
    except MALFORMED as error:
        return [Finding("model", kind, False, f"malformed: {type(error).__name__} {error}")]


def _bpe(tokenizer_json: dict[str, Any]) -> list[Finding]:
    marks = {name: tokenizer_json["model"].get(name) for name in SUBWORD_MARKS}
    if marked := ", ".join(f"{name} {mark!r}" for name, mark in marks.items() if mark):
        return [Finding("merges", "not audited", False, f"marks of subwords are not supported: {marked}")]
    file = read_bpe(tokenizer_json)
    surfaces = {number: surface for surface, number in file.vocabulary.items()}
    tokens = Counter(file.vocabulary.values())
    shared = [surface for surface, number in file.vocabulary.items() if tokens[number] > 1]
    improper = [surfaces[number] for number in file.table.result[file.table.improper_ranks()].tolist()]
    results = Counter(file.table.result.tolist())
    several = [surfaces[number] for number, merges in results.items() if merges > 1]
    return [
        Finding("vocabulary", str(len(file.vocabulary)), True, "tokens of the model, without added ones"),
        _none_of("tokens that share an id", shared, "one id has several tokens"),
        Finding("merges", str(len(file.table)), True),
        _none_of("broken merges", file.broken, "no pair of tokens, or their join is no token"),
        _none_of("improper merges", improper, "a part is only made later"),
        _none_of("tokens with several merges", several, "results of more than one merge"),
        _none_of("unreachable tokens", unreachable(file), "merging their base units gives something else"),
        _byte_coverage(file.byte_names, file.missing_bytes),
    ]


def _unigram(tokenizer_json: dict[str, Any]) -> list[Finding]:
    pieces = Counter(piece for piece, _ in tokenizer_json["model"]["vocab"])
    several = [piece for piece, times in pieces.items() if times > 1]
    names = byte_alphabet(tokenizer_json)
    return [
        Finding("vocabulary", str(len(pieces)), True),
        _none_of("duplicate pieces", several, "stand in the vocabulary more than once"),
        _byte_coverage(names, [byte for byte, name in enumerate(names) if name not in pieces]),
    ]


def _byte_coverage(names: Sequence[str], missing: Iterable[int]) -> Finding:
    if not names:
        return Finding(
            "byte coverage", "0 of 256", False, "no byte alphabet: neither ByteLevel nor byte_fallback"
        )
    lacking = [f"0x{byte:02X}" for byte in missing]
    detail = f"missing: {', '.join(lacking[:EXAMPLES])}" if lacking else ""
    return Finding("byte coverage", f"{256 - len(lacking)} of 256", not lacking, detail)


def _none_of(check: str, found: Sequence[str], meaning: str) -> Finding:
    examples = ", ".join(map(repr, found[:EXAMPLES]))
    return Finding(check, str(len(found)), not found, f"{meaning}: {examples}" if found else "")


def _lossless(file: Path, text: str) -> Finding:
    """Whether hard texts come back through the file as Hugging Face's library reads it."""
    try:
        tokenizer = HuggingFaceTokenizer(parse_tokenizer(file, text), str(file))
    except DataError as error:
        return Finding("lossless", "does not load", False, str(error))
    changed = [given for given in HARD_TEXTS if _round_trip(tokenizer, given) != given]
    detail = f"first: {changed[0]!r} comes back as {_round_trip(tokenizer, changed[0])!r}" if changed else ""
    return Finding("lossless", f"{len(HARD_TEXTS) - len(changed)} of {len(HARD_TEXTS)}", not changed, detail)


def _round_trip(tokenizer: HuggingFaceTokenizer, text: str) -> str | None:
    """The text after encoding and decoding; None where the library fails at it."""
    try:
        return tokenizer.decode(tokenizer.encode_batch([text])[0])
    except BaseException as error:
        if not is_library_fault(error):
            raise
        return None
