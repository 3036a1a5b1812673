"""Compression of tokenizers on parallel text (paper sections 3.1 and 5.1; Appendix A.3).

Each figure is a ratio of sums over the same lines: the lengths are added first and divided once. Intervals
are 95 % percentile bootstrap intervals over lines.

| metric | what | unit |
|---|---|---|
| nsl | tokens over the tokens of the language's reference tokenizer | ratio |
| fertility | tokens per white-space word | tokens/word |
| tokens_per_character | tokens per Unicode code point | tokens/character |
| bytes_per_token | UTF-8 bytes per token | bytes/token |
| parity | tokens over the tokens of English on the same lines | ratio |
| foreign_tokens | of a modular tokenizer: tokens outside the language's own set over all tokens | share |
| gini | inequality of tokens_per_character over languages, lang `all` | index |
| nsl, lang `all` | mean of nsl over languages | ratio |

Parity, gini and the mean compare languages. Monolingual tokenizers have one language each, so there they
stand for their family: the row `mono-bpe` compares mono-bpe-fr on French with mono-bpe-en on English, that
is, what a user pays who picks the tokenizer of their language.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from modtok.core.errors import require
from modtok.core.languages import PIVOT
from modtok.core.metrics import ALL, Metric
from modtok.core.seeds import derive
from modtok.core.tokenizer_names import family_of
from modtok.evaluation.bootstrap import RESAMPLES, Series, interval, resampled_sums, resampling_weights
from modtok.evaluation.token_counts import ParallelSets, TokenCounts
from modtok.tokenization.pretokenization import WHITE_SPACE

REFERENCE_FAMILY = "mono-bpe"
UNITS = {
    "nsl": "ratio",
    "fertility": "tokens/word",
    "tokens_per_character": "tokens/character",
    "bytes_per_token": "bytes/token",
    "parity": "ratio",
    "gini": "index",
    "foreign_tokens": "share",
}
_WORD = re.compile(f"[^{WHITE_SPACE}]+")
Families = Mapping[str, Mapping[str, TokenCounts]]
"family -> lang -> the member that serves the language"


@dataclass(frozen=True)
class _TextSums:
    """Sizes of a language's text, as series."""

    words: Series
    characters: Series
    size_bytes: Series


@dataclass(frozen=True)
class _Sample:
    """One parallel set under its resamples."""

    dataset: str
    n_lines: int
    weights: Series
    texts: dict[str, _TextSums]

    def tokens(self, counts: TokenCounts, lang: str) -> Series:
        tokens = counts.tokens[self.dataset, lang]
        require(
            len(tokens) == self.n_lines,
            f"token counts of {counts.tokenizer}: {len(tokens)} lines of {lang} in {self.dataset}, "
            f"but the set has {self.n_lines}; run count_tokens again",
        )
        require(
            bool(tokens.any()),
            f"{counts.tokenizer}: it makes no token of the text of {lang} in {self.dataset}; "
            "mend it, or leave it out",
        )
        return resampled_sums(self.weights, tokens)


def nsl(tokens: Series, reference: Series) -> Series:
    """Normalized sequence length: a tokenizer's tokens over the reference's, on the same lines.

    Both are sums already: nsl([8], [4]) -> [2.0] whatever the lines were.
    """
    return _ratio(tokens, reference)


def gini(values: Series) -> Series:
    """Gini index over the first axis: 0 where all are equal, below 1 always. gini([[1], [3]]) -> [0.25]"""
    n = len(values)
    ranks = np.arange(1, n + 1)[:, None]
    ordered = np.sort(values, axis=0)
    # Cancellation can leave a tiny negative number where all are equal.
    return np.maximum(_ratio(2 * (ranks * ordered).sum(axis=0), n * ordered.sum(axis=0)) - (n + 1) / n, 0.0)


def _ratio(numerator: Series, denominator: Series) -> Series:
    # A resample of empty lines only has no ratio; interval() leaves it out.
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(numerator / denominator)


def count_words(text: str) -> int:
    """White-space words, by Unicode's White_Space: str.split cuts at U+001C to U+001F too.

    count_words(" a b") -> 2
    """
    return len(_WORD.findall(text))


def by_family(counts: Iterable[TokenCounts]) -> dict[str, dict[str, TokenCounts]]:
    """Group tokenizers into families (family_of), each with its member for a language."""
    families: dict[str, dict[str, TokenCounts]] = {}
    for one in counts:
        members = families.setdefault(family_of(one.tokenizer), {})
        members.update({lang: one for _, lang in one.tokens})
    return families


def monolingual_references(counts: Iterable[TokenCounts]) -> dict[str, TokenCounts]:
    """The reference of each language in a run: its mono-bpe tokenizer, which has the run's budget."""
    return by_family(counts).get(REFERENCE_FAMILY, {})


def measure(
    families: Families,
    references: Mapping[str, TokenCounts],
    sets: ParallelSets,
    langs: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Metric]:
    """All compression metrics, ordered by dataset, family, language of `langs`, metric.

    `references` gives the tokenizer that nsl divides by; a language without one has no nsl.
    """
    samples = [_sample(name, texts, resamples, seed) for name, texts in sets.items() if texts]
    return [
        metric
        for sample in samples
        for name, members in families.items()
        for metric in _measure_family(name, members, references, sample, langs)
    ]


def _sample(dataset: str, texts: Mapping[str, list[str]], resamples: int, seed: int) -> _Sample:
    n_lines = len(next(iter(texts.values())))
    weights = resampling_weights(n_lines, resamples, derive(seed, "bootstrap", dataset))
    sums = {lang: _text_sums(lines, weights) for lang, lines in texts.items()}
    return _Sample(dataset, n_lines, weights, sums)


def _text_sums(lines: list[str], weights: Series) -> _TextSums:
    sizes = (count_words, len, lambda line: len(line.encode()))
    return _TextSums(*(resampled_sums(weights, np.array([size(line) for line in lines])) for size in sizes))


def _measure_family(
    name: str,
    members: Mapping[str, TokenCounts],
    references: Mapping[str, TokenCounts],
    sample: _Sample,
    langs: Sequence[str],
) -> list[Metric]:
    tokens = {
        lang: sample.tokens(members[lang], lang)
        for lang in langs
        if lang in members and (sample.dataset, lang) in members[lang].tokens
    }
    if not tokens:
        return []
    compared = {lang: references[lang] for lang in tokens if lang in references}
    nsls = {lang: nsl(tokens[lang], sample.tokens(one, lang)) for lang, one in compared.items()}
    metrics = []
    for lang, length in tokens.items():
        of_lang = ({"nsl": nsls[lang]} if lang in nsls else {}) | _by_text(length, sample.texts[lang])
        if (foreign := members[lang].foreign.get((sample.dataset, lang))) is not None:
            of_lang["foreign_tokens"] = _ratio(resampled_sums(sample.weights, foreign), length)
        metrics += _rows(members[lang].tokenizer, members[lang].vocabulary_size, lang, sample, of_lang)
        if PIVOT in tokens:
            parity = {"parity": _ratio(length, tokens[PIVOT])}
            metrics += _rows(name, members[lang].vocabulary_size, lang, sample, parity)
    largest = max(members[lang].vocabulary_size for lang in tokens)
    return metrics + _over_languages(name, largest, tokens, nsls, sample)


def _by_text(tokens: Series, text: _TextSums) -> dict[str, Series]:
    return {
        "fertility": _ratio(tokens, text.words),
        "tokens_per_character": _ratio(tokens, text.characters),
        "bytes_per_token": _ratio(text.size_bytes, tokens),
    }


def _over_languages(
    name: str, vocabulary_size: int, tokens: dict[str, Series], nsls: dict[str, Series], sample: _Sample
) -> list[Metric]:
    costs = np.array([_ratio(length, sample.texts[lang].characters) for lang, length in tokens.items()])
    metrics = _rows(name, vocabulary_size, ALL, sample, {"gini": gini(costs)}, n=len(costs))
    if nsls:
        mean = {"nsl": np.mean(list(nsls.values()), axis=0)}
        metrics += _rows(name, vocabulary_size, ALL, sample, mean, n=len(nsls))
    return metrics


def _rows(
    tokenizer: str,
    vocabulary_size: int,
    lang: str,
    sample: _Sample,
    series: Mapping[str, Series],
    n: int | None = None,
) -> list[Metric]:
    return [
        Metric(
            tokenizer,
            vocabulary_size,
            lang,
            sample.dataset,
            metric,
            float(values[0]),
            *interval(values),
            UNITS[metric],
            sample.n_lines if n is None else n,
        )
        for metric, values in series.items()
    ]
