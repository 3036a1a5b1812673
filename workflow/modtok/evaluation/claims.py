"""The claims of the paper on tokenizers, each with its figure on this run, an interval, and whether it holds.

Each parallel set is asked alone. Intervals are 95 % bootstrap intervals over its lines. A figure over
languages is computed anew in each resample, so the interval of a maximum is that of the maximum, whatever
language has it. A claim on tokenizers or languages that the run, or the set, does not have is left out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np

from modtok.core.io import write_tsv
from modtok.core.metrics import ALL
from modtok.core.seeds import derive
from modtok.core.tokenizer_names import extracted_family, joint_size
from modtok.evaluation.bootstrap import Series, interval, resampled_sums, resampling_weights
from modtok.evaluation.compression import REFERENCE_FAMILY, Families
from modtok.evaluation.token_counts import TokenCounts

FULL, EXTRACTED = "sequential-bpe", extracted_family("sequential-bpe")
# Tokenizer, language and NSL of the paper's Table 1 that show the inequality most.
UNEQUAL = (("open-qwen3", "el", "3.90"), ("open-llama3", "bg", "1.78"), ("open-llama3", "el", "1.78"))
CONCATENATED = {2: "1.22", 3: "1.30", 4: "1.33"}
SEQUENTIAL = {2: "1.00", 3: "0.99", 4: "0.99"}
Row = Mapping[str, str]


@dataclass(frozen=True)
class Claim:
    """A claim and what this run says to it."""

    claim: str
    "number of the claim, and a letter where it has several parts"
    statement: str
    figure: float
    low: float | None
    high: float | None
    bound: str
    "what the figure is held against: `<= 1.04`"
    paper: str
    holds: str
    "yes or no"
    detail: str
    dataset: str = ""
    "the parallel set"


COLUMNS = tuple(field.name for field in fields(Claim))


def _claim(number: str, statement: str, series: Series, bound: str, paper: str, detail: str) -> Claim:
    """A claim whose figure is a series."""
    return _judged(number, statement, (float(series[0]), *interval(series)), bound, paper, detail)


def _judged(
    number: str,
    statement: str,
    figure: tuple[float, float | None, float | None],
    bound: str,
    paper: str,
    detail: str,
) -> Claim:
    sign, limit = bound.split()
    holds = figure[0] <= float(limit) if sign == "<=" else figure[0] >= float(limit)
    return Claim(number, statement, *figure, bound, paper, "yes" if holds else "no", detail)


class Lengths:
    """Tokens of each family on one parallel set, as series."""

    def __init__(self, families: Families, dataset: str, resamples: int, seed: int) -> None:
        self._dataset = dataset
        self.families = {name: own for name, members in families.items() if (own := self._inside(members))}
        lines = (one.tokens for members in self.families.values() for one in members.values())
        found = next(tokens for of in lines for (name, _), tokens in of.items() if name == dataset)
        self._weights = resampling_weights(len(found), resamples, derive(seed, "bootstrap", dataset))

    def _inside(self, members: Mapping[str, TokenCounts]) -> dict[str, TokenCounts]:
        """The members of a family by those languages that the set has."""
        return {lang: one for lang, one in members.items() if (self._dataset, lang) in one.tokens}

    def has(self, *names: str) -> bool:
        """Whether the run has all these families, with a language of the set."""
        return all(name in self.families for name in names)

    def ratios(self, family: str, reference: str = REFERENCE_FAMILY) -> dict[str, Series]:
        """Tokens of a family over those of another, by language; the default is NSL."""
        common = (lang for lang in self.families[family] if lang in self.families.get(reference, ()))
        return {lang: self._sum(family, lang) / self._sum(reference, lang) for lang in common}

    def foreign(self, family: str) -> dict[str, Series]:
        """Share of foreign tokens by language."""
        members = self.families[family]
        return {
            lang: resampled_sums(self._weights, one.foreign[self._dataset, lang]) / self._sum(family, lang)
            for lang, one in members.items()
            if (self._dataset, lang) in one.foreign
        }

    def size(self, family: str) -> int:
        """Vocabulary size."""
        return max(one.vocabulary_size for one in self.families[family].values())

    def _sum(self, family: str, lang: str) -> Series:
        return resampled_sums(self._weights, self.families[family][lang].tokens[self._dataset, lang])


def check_claims(
    families: Mapping[str, Mapping[str, TokenCounts]],
    combinations: Iterable[Row],
    dataset: str,
    *,
    resamples: int,
    seed: int,
) -> list[Claim]:
    """All claims that the run's tokenizers speak to on one parallel set, in their order.

    `combinations`: rows of combinations.tsv (see evaluation.combinations).
    """
    counted = (one.tokens for members in families.values() for one in members.values())
    if not any(name == dataset for tokens in counted for name, _ in tokens):
        return []
    lengths = Lengths(families, dataset, resamples, seed)
    inside = (row for row in combinations if (row["lang"], row["dataset"]) == (ALL, dataset))
    pooled = {(row["tokenizer"], row["metric"]): row for row in inside}
    found = [
        *_extraction(lengths),
        *_full(lengths),
        *_unions(pooled),
        *_orders(pooled),
        *_unigram(lengths),
        *_inequality(lengths),
        *_foreign(lengths),
    ]
    return [replace(claim, dataset=dataset) for claim in found]


def _extraction(lengths: Lengths) -> Iterator[Claim]:
    if lengths.has(EXTRACTED):
        nsl = lengths.ratios(EXTRACTED)
        statement = "Every extracted subtokenizer is within 4 % of its monolingual one (highest NSL)"
        yield _claim("1", statement, _highest(nsl), "<= 1.04", "0.99 to 1.04", _range(nsl))


def _full(lengths: Lengths) -> Iterator[Claim]:
    joint = [name for name in lengths.families if name.startswith("joint-bpe-")]
    if lengths.has(FULL) and joint:
        size = lengths.size(FULL)
        nearest = min(joint, key=lambda name: abs((joint_size(name) or 0) - size))
        ratio = _mean(lengths.ratios(FULL)) / _mean(lengths.ratios(nearest))
        statement = (
            "The full sequential BPE is within 2 % of the joint BPE nearest in size (ratio of mean NSL)"
        )
        detail = f"{size:,} tokens against {nearest}"
        yield _claim("2", statement, ratio, "<= 1.02", "about 1 (Table 2)", detail)


def _unions(pooled: Mapping[tuple[str, str], Row]) -> Iterator[Claim]:
    for n in (2, 3, 4):
        ours, theirs = pooled.get((f"{FULL}+{n}", "nsl")), pooled.get((f"concatenated-bpe+{n}", "nsl"))
        if ours and theirs:
            statement = f"Sequential BPE of {n} languages is at or under 1.01 on average (mean NSL)"
            yield _judged(
                f"3 ({n})", statement, _figure(ours), "<= 1.01", SEQUENTIAL[n], _spread(pooled, ours)
            )
            bound = f">= {float(ours['value']):.4f}"
            statement = f"Concatenation of {n} languages is worse (mean NSL)"
            detail = _spread(pooled, theirs)
            yield _judged(f"3 ({n})", statement, _figure(theirs), bound, CONCATENATED[n], detail)


def _orders(pooled: Mapping[tuple[str, str], Row]) -> Iterator[Claim]:
    ranges = [row for (_, metric), row in pooled.items() if metric == "nsl_order_range"]
    ours = [row for row in ranges if row["tokenizer"].startswith(f"{FULL}+") and int(row["n"]) > 1]
    if ours:
        widest = max(ours, key=lambda row: float(row["value"]))
        n = widest["tokenizer"].rpartition("+")[2]
        statement = "The order of languages changes mean NSL by 0.01 at most (highest less lowest mean)"
        detail = f"{widest['n']} orders; widest at {n} languages"
        yield _judged("4", statement, _figure(widest), "<= 0.01", "insensitive (Table 7)", detail)


def _unigram(lengths: Lengths) -> Iterator[Claim]:
    merged, frequency = (extracted_family(name) for name in ("merged-unigram", "frequency-unigram"))
    if lengths.has(merged, "mono-unigram"):
        ratios = lengths.ratios(merged, "mono-unigram")
        statement = "Merged Unigram subtokenizers are on par with monolingual Unigram (mean ratio of tokens)"
        yield _claim("5 (merged)", statement, _mean(ratios), "<= 1.02", "comparable", _range(ratios))
    if lengths.has(frequency, "frequency-unigram"):
        ratios = lengths.ratios(frequency, "frequency-unigram")
        statement = "Frequency extraction is bounded by its source (mean ratio of tokens)"
        yield _claim("5 (frequency)", statement, _mean(ratios), ">= 1", "bounded", _range(ratios))


def _inequality(lengths: Lengths) -> Iterator[Claim]:
    for name, lang, printed in UNEQUAL:
        if lengths.has(name) and lang in lengths.families[name]:
            statement = f"{name} needs a quarter more tokens in {lang}, at least (NSL)"
            series = lengths.ratios(name)[lang]
            yield _claim("6", statement, series, ">= 1.25", printed, f"{lengths.size(name):,} tokens")


def _foreign(lengths: Lengths) -> Iterator[Claim]:
    if lengths.has(FULL) and (shares := lengths.foreign(FULL)):
        statement = "Foreign tokens stay within a few percent under the full tokenizer (highest share)"
        yield _claim("7", statement, _highest(shares), "<= 0.05", "0.005 to 0.05", _range(shares))


def _highest(series: Mapping[str, Series]) -> Series:
    return np.max(list(series.values()), axis=0)


def _mean(series: Mapping[str, Series]) -> Series:
    return np.mean(list(series.values()), axis=0)


def _range(series: Mapping[str, Series]) -> str:
    """Lowest and highest value with their languages."""
    values = {lang: float(of_lang[0]) for lang, of_lang in series.items()}
    lowest, highest = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    return f"{values[lowest]:.3f} ({lowest}) to {values[highest]:.3f} ({highest})"


def _figure(row: Row) -> tuple[float, float | None, float | None]:
    low, high = (float(row[end]) if row[end] else None for end in ("low", "high"))
    return float(row["value"]), low, high


def _spread(pooled: Mapping[tuple[str, str], Row], mean: Row) -> str:
    std, worst = (float(pooled[mean["tokenizer"], metric]["value"]) for metric in ("nsl_std", "nsl_max"))
    return f"spread {std:.3f}, worst {worst:.3f}, n {mean['n']}"


def write_claims(path: Path, claims: Sequence[Claim]) -> None:
    """Write claims as TSV."""
    write_tsv(path, COLUMNS, map(asdict, claims))
