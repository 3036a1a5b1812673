"""The corpus of a run as its sources' sample shows it: how much text, how many different words, by language.

A sample is 1 % of the lines, spread over what is read, and 1 MB of a language at least where it has so
much. How the number of different words grows beyond it follows Heaps' law, D = K N^b, with b from the
sample and every other line of it. Duplicates, which a sample cannot show, are counted as text.
"""

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from modtok.core.texts import has_rows, read_documents
from modtok.tokenization.pretokenization import split

SHARE = 0.01
LEAST_CHARACTERS = 1_000_000
READ_CHARACTERS = 32_000_000
"of one file; the rest of it is taken to be like its beginning"
FILES = 20
"of a language that are looked at, evenly chosen"
LOWEST, HIGHEST = 0.3, 0.9
"Heaps' exponent in any text"
MILLION = 1e6


@dataclass(frozen=True)
class Text:
    """An amount of text. All in millions, but for the bytes, which are MB."""

    bytes_mb: float = 0.0
    "in UTF-8"
    documents_m: float = 0.0
    words_m: float = 0.0
    "pre-tokens, as they run"
    characters_m: float = 0.0
    distinct_m: float = 0.0
    "different pre-tokens"
    symbols_m: float = 0.0
    "characters of the different pre-tokens: the positions that training works on"

    def most_frequent(self, words: int | None) -> "Text":
        """The text with so many different words at most, of the usual length.

        Text(distinct_m=3, symbols_m=30).most_frequent(1_000_000).symbols_m -> 10.0
        """
        if words is None or self.distinct_m * MILLION <= words:
            return self
        kept = words / MILLION
        return replace(self, distinct_m=kept, symbols_m=self.symbols_m * kept / self.distinct_m)

    def __add__(self, other: "Text") -> "Text":
        """Texts of two languages, whose words are taken to be different ones."""
        return Text(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Text)))


@dataclass(frozen=True)
class Sample:
    """Lines of documents, how many times as much there is of their kind, and in how many documents."""

    lines: Sequence[str]
    factor: float
    documents: float


def sample_files(paths: Sequence[Path]) -> Sample:
    """A sample of a language's text files. Errors: those of read_documents.

    sample_files([Path("fi.txt.gz")]).factor
    """
    chosen = spread(paths, FILES)
    parts = [(documents, share) for documents, share in map(_beginning, chosen)]
    files = sum(path.stat().st_size for path in paths) / max(1, sum(path.stat().st_size for path in chosen))
    return sample_documents(parts, files)


def sample_documents(parts: Sequence[tuple[Sequence[str], float]], times: float = 1.0) -> Sample:
    """A sample of parts: documents, and the share that they are of their kind; all `times` as often."""
    split_parts = [([line for one in found for line in one.split("\n")], share) for found, share in parts]
    characters = times * sum(sum(map(len, found)) / share for found, share in split_parts)
    documents = times * sum(len(found) / share for found, share in parts)
    lines = thinned([line for found, _ in split_parts for line in found], characters)
    kept = sum(map(len, lines))
    return Sample(lines, characters / kept if kept else 0.0, documents)


def spread(items: Sequence[Path], most: int) -> Sequence[Path]:
    """So many of the items at most, evenly chosen, the first among them."""
    return items[:: math.ceil(len(items) / most)] if len(items) > most else items


def thinned(lines: Sequence[str], characters: float) -> Sequence[str]:
    """Evenly chosen lines: 1 % of `characters`, of which they are a part, and no fewer than the least."""
    wanted = max(SHARE * characters, LEAST_CHARACTERS)
    return lines[:: max(1, int(sum(map(len, lines)) / wanted))]


def _beginning(path: Path) -> tuple[list[str], float]:
    """The first documents of a file, and which share of it they are."""
    documents: list[str] = []
    characters = 0
    for _, text in read_documents(path):
        documents.append(text)
        characters += len(text)
        if characters >= READ_CHARACTERS:
            return documents, min(1.0, _stored_size(path, documents) / path.stat().st_size)
    return documents, 1.0


def _stored_size(path: Path, documents: Sequence[str]) -> float:
    """Bytes of a file that documents of it take, as zlib would pack them where it is packed."""
    data = "\n\n".join(documents).encode("utf-8", "replace")
    packed = path.suffix in (".gz", ".zst", ".parquet") or (has_rows(path) and path.suffix != ".jsonl")
    if not packed:
        return float(len(data))
    part = data[: 1 << 22]
    return len(data) * len(zlib.compress(part)) / len(part)


def measure(sample: Sample, pretokenization: str) -> Text:
    """The text that a sample stands for.

    measure(Sample(["a b a"], 1.0, 1), "whitespace").distinct_m -> 3e-06
    """
    half, whole = (_Counted.of(lines, pretokenization) for lines in (sample.lines[::2], sample.lines))
    distinct = len(whole.distinct) * sample.factor ** _exponent(half, whole) if whole.words else 0.0
    length = sum(map(len, whole.distinct)) / max(1, len(whole.distinct))
    return Text(
        bytes_mb=whole.size_bytes * sample.factor / MILLION,
        documents_m=sample.documents / MILLION,
        words_m=whole.words * sample.factor / MILLION,
        characters_m=whole.characters * sample.factor / MILLION,
        distinct_m=distinct / MILLION,
        symbols_m=distinct * length / MILLION,
    )


@dataclass(frozen=True)
class _Counted:
    """What lines hold."""

    words: int
    characters: int
    size_bytes: int
    distinct: frozenset[str]

    @classmethod
    def of(cls, lines: Sequence[str], pretokenization: str) -> "_Counted":
        words, distinct = 0, set[str]()
        for line in lines:
            found = split(line, pretokenization)
            words += len(found)
            distinct.update(found)
        text = "".join(lines)
        return cls(words, len(text), len(text.encode("utf-8", "replace")), frozenset(distinct))


def _exponent(half: _Counted, whole: _Counted) -> float:
    """b of Heaps' law between half of a sample and all of it."""
    if not half.distinct or half.words >= whole.words:
        return HIGHEST
    growth = math.log(len(whole.distinct) / len(half.distinct)) / math.log(whole.words / half.words)
    return min(max(growth, LOWEST), HIGHEST)
