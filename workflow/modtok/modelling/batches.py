"""Batches made of text while the model trains: language, subtokenizer, place in the text, tokens.

A batch follows from the seed and its step alone. The k-th sequence of a language starts at the byte k times
`stride` of its shuffled text, which is a ring, where `stride` is what a context of tokens takes up under the
language's own tokenizer: so sequences follow one another with small gaps or overlaps, every batch can be made
by any process, and all regimes read the same text in the same step. An epoch later the cuts fall elsewhere.
With sampling (subword regularization) the chance in a sequence's tokens follows from seed, step and sequence.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from modtok.core.errors import ConfigError, require
from modtok.core.provenance import file_digest
from modtok.core.seeds import derive
from modtok.modelling.architecture import BEGIN, END
from modtok.modelling.regimes import Draw, Plan
from modtok.modelling.shuffled_text import Reading, ShuffledText
from modtok.tokenization.loading import LoadedTokenizer, from_json, load, read_tokenizer_json, tokenizer_file
from modtok.tokenization.modular import MODULES, Modular
from modtok.tokenization.sampling import Sampler, sampler_of

CACHED = 64
"subtokenizers that a process keeps; one of two languages at 24k takes some 10 MB"
# A subtokenizer's lengths differ from place to place: this much more text is read than a context should need.
_MARGIN = 1.25
_SAMPLE_BYTES = 1 << 16


@dataclass(frozen=True)
class Batch:
    """The tokens of a step."""

    draw: Draw
    ids_S: np.ndarray
    "(S,) int64, sorted: the active ids of the full tokenizer"
    tokens_BL: np.ndarray
    "(B, context + 1) int64: places in `ids_S`; a sequence's targets are its tokens but the first"


@dataclass(frozen=True)
class Subtokenizer:
    """A loaded tokenizer with dense ids, and the id in the full tokenizer of each."""

    tokenizer: LoadedTokenizer
    ids_S: np.ndarray
    sampler: Sampler | None = None
    "cuts text by chance, where that is asked for"

    def encode(self, texts: Sequence[str], rngs: Sequence[np.random.Generator]) -> list[list[int]]:
        """Dense ids of each text; `rngs`: what chance there is, one for each text."""
        if self.sampler is None:
            return self.tokenizer.encode_batch(texts)
        return [self.sampler.sample(text, rng) for text, rng in zip(texts, rngs, strict=True)]


class Subtokenizers:
    """The subtokenizers of a folder, loaded when asked for: Subtokenizers(folder).of(("en", "fi")).

    Error: a tokenizer whose ids of <s> and </s> are not those of this project, as one on a foreign table.
    """

    def __init__(self, folder: Path, sampling: Mapping[str, float] | None = None) -> None:
        self.folder, self.sampling = folder, sampling
        self.of: Callable[[tuple[str, ...] | None], Subtokenizer] = lru_cache(CACHED)(self._load)

    @cached_property
    def modular(self) -> Modular | None:
        """The sets of languages; None for a tokenizer that has none."""
        return Modular.load(self.folder) if (self.folder / MODULES).is_file() else None

    @cached_property
    def _whole(self) -> Subtokenizer:
        tokenizer = load(self.folder)
        self._check_marks(tokenizer)
        ids = np.arange(tokenizer.vocabulary_size)
        if not self.sampling:
            return Subtokenizer(tokenizer, ids)
        content = read_tokenizer_json(tokenizer_file(self.folder))
        return Subtokenizer(tokenizer, ids, sampler_of(content, str(self.folder), **self.sampling))

    @property
    def digest(self) -> str:
        """Names the tokenizer by its content."""
        return file_digest(tokenizer_file(self.folder))

    @property
    def size(self) -> int:
        """Tokens of the whole tokenizer."""
        return len(self._whole.ids_S)

    def ids(self, langs: tuple[str, ...] | None) -> np.ndarray:
        """The sorted ids of a subtokenizer, without loading it."""
        return self._whole.ids_S if langs is None else self._modular.ids(langs)

    @property
    def _modular(self) -> Modular:
        if self.modular is None:
            remedy = "take a modular one, or the regime baseline"
            raise ConfigError(f"{self.folder}: no subtokenizers can be taken out of this tokenizer; {remedy}")
        return self.modular

    def _load(self, langs: tuple[str, ...] | None) -> Subtokenizer:
        if langs is None:
            return self._whole
        extracted = self._modular.extract(langs)
        name = f"{self.folder}+{'+'.join(langs)}"
        tokenizer = from_json(extracted.tokenizer_json, name)
        self._check_marks(tokenizer)
        sampler = sampler_of(extracted.tokenizer_json, name, **self.sampling) if self.sampling else None
        return Subtokenizer(tokenizer, extracted.full_ids, sampler)

    def _check_marks(self, tokenizer: LoadedTokenizer) -> None:
        """Error: other tokens have the ids that documents begin and end with."""
        marks = tokenizer.tokens([BEGIN, END])
        other = f"{self.folder}: ids {BEGIN} and {END} are {marks[0]!r} and {marks[1]!r}, not <s> and </s>"
        remedy = "train models over a tokenizer that was not learned on top of a seed table"
        require(marks == ["<s>", "</s>"], f"{other}; {remedy}")


class BatchMaker:
    """Makes the batch of any step: BatchMaker(plan, texts, subtokenizers, 8, 256).make(0).

    `own`: the sequences of a batch that are made; all, unless several processes share them.
    """

    def __init__(
        self,
        plan: Plan,
        texts: Mapping[str, Path],
        subtokenizers: Subtokenizers,
        sequences: int,
        context: int,
        own: range | None = None,
    ) -> None:
        self.plan, self.subtokenizers = plan, subtokenizers
        self.sequences, self.context = sequences, context
        self.own = range(sequences) if own is None else own
        self.texts = {lang: ShuffledText(texts[lang]) for lang in plan.langs}
        self._bytes_per_token = {lang: self._measure(lang) for lang in plan.langs}

    def _measure(self, lang: str) -> float:
        """Bytes per token of a language under its own tokenizer. Error: text for less than a context."""
        text = self.texts[lang]
        own = self.subtokenizers.of((lang,) if self.subtokenizers.modular else None)
        sample = min(text.size, _SAMPLE_BYTES)
        tokens = len(self._tokens(own, [text.read(0, sample)], [self._rng(lang)])[0])
        all_tokens = tokens * text.size / sample
        few = f"{lang}: about {all_tokens:,.0f} tokens of text, less than a context of {self.context:,}"
        require(all_tokens > self.context, f"{few}; lower the model's context, or add text")
        return sample / tokens

    def make(self, step: int) -> Batch:
        """The batch of a step, counted from 0, as far as it is made here."""
        draw = self.plan.draw(step)
        used = self.subtokenizers.of(draw.langs)
        stride = round(self.context * self._bytes_per_token[draw.lang])
        first = draw.earlier * self.sequences
        places = [(first + number) * stride for number in self.own]
        rows = self._filled(draw.lang, used, places, round(stride * _MARGIN), step)
        return Batch(draw, used.ids_S, np.array(rows, np.int64))

    def _rng(self, *of: str | int) -> np.random.Generator:
        """What chance there is in the cuts of a sequence."""
        return np.random.default_rng(derive(self.plan.seed, "segmentation", *of))

    def _filled(
        self, lang: str, used: Subtokenizer, places: Sequence[int], length: int, step: int
    ) -> list[list[int]]:
        """A context of tokens and one more from each place; read on where `length` bytes are not enough."""
        text, needed = self.texts[lang], self.context + 1
        rngs = [self._rng(step, number) for number in self.own]
        rows = self._tokens(used, [text.read(place, length) for place in places], rngs)
        for row, (number, place) in enumerate(zip(self.own, places, strict=True)):
            longer = length
            while len(rows[row]) < needed:
                longer *= 2
                rows[row] = self._tokens(used, [text.read(place, longer)], [self._rng(step, number)])[0]
        return [row[:needed] for row in rows]

    def _tokens(
        self, used: Subtokenizer, readings: Sequence[Reading], rngs: Sequence[np.random.Generator]
    ) -> list[list[int]]:
        """Dense ids of each reading, cut with the chance of its own: <s> begins a document, </s> ends it."""
        each = [rng for (_, parts), rng in zip(readings, rngs, strict=True) for _ in parts]
        encoded = iter(used.encode([part for _, parts in readings for part in parts], each))
        rows = []
        for begins, parts in readings:
            row = [BEGIN] if begins else []
            row += next(encoded)
            for _ in parts[1:]:
                row += [END, BEGIN, *next(encoded)]
            rows.append(row)
        return rows
