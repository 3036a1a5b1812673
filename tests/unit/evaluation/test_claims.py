"""Claims: the figure, what it is held against, and what is left out where the run lacks it."""

from pathlib import Path

import numpy as np
import pytest

from modtok.core.io import read_tsv
from modtok.evaluation.claims import COLUMNS, Claim, check_claims, write_claims
from modtok.evaluation.compression import by_family
from modtok.evaluation.token_counts import TokenCounts


def counted(name: str, size: int, **tokens: list[int]) -> TokenCounts:
    return TokenCounts(name, size, {("set", lang): np.array(line) for lang, line in tokens.items()})


MONO = [counted("mono-bpe-bg", 24, bg=[50, 50]), counted("mono-bpe-el", 24, el=[40, 60])]
EXTRACTED = [
    counted("sequential-bpe+bg", 24, bg=[51, 51]),
    counted("sequential-bpe+el", 24, el=[42, 63]),
]
FULL = counted("sequential-bpe", 40, bg=[49, 49], el=[40, 60])
FULL.foreign.update({("set", "bg"): np.array([1, 1]), ("set", "el"): np.array([3, 3])})
JOINT = [
    counted("joint-bpe-41", 45, bg=[50, 50], el=[50, 50]),
    counted("joint-bpe-90", 94, bg=[1, 1], el=[1, 1]),
]
UNIGRAM = [
    counted("mono-unigram-el", 24, el=[50, 50]),
    counted("merged-unigram+el", 24, el=[50, 51]),
    counted("frequency-unigram", 41, bg=[50, 50], el=[50, 50]),
    counted("frequency-unigram+el", 24, el=[52, 52]),
]
OPEN = [counted("open-llama3", 128, bg=[89, 89], el=[60, 60])]


def pooled(name: str, metric: str, value: float) -> dict[str, str]:
    return {
        "tokenizer": name, "lang": "all", "dataset": "set", "metric": metric, "value": str(value),
        "low": "", "high": "", "n": "2",
    }  # fmt: skip


PAIRS = {"sequential-bpe": (1.0, 0.1, 1.1, 0.02), "concatenated-bpe": (1.2, 0.3, 1.5, 0.1)}
COMBINATIONS = [
    pooled(f"{method}+2", metric, value)
    for method, values in PAIRS.items()
    for metric, value in zip(("nsl", "nsl_std", "nsl_max", "nsl_order_range"), values, strict=True)
]


@pytest.fixture(scope="module")
def claims() -> dict[str, Claim]:
    counts = by_family([*MONO, *EXTRACTED, FULL, *JOINT, *UNIGRAM, *OPEN])
    found = check_claims(counts, COMBINATIONS, "set", resamples=20, seed=1)
    return {f"{claim.claim} {claim.bound[:2]} {claim.paper}": claim for claim in found}


@pytest.mark.parametrize(
    ("claim", "figure", "holds", "detail"),
    [
        ("1 <= 0.99 to 1.04", 1.05, "no", "1.020 (bg) to 1.050 (el)"),
        ("2 <= about 1 (Table 2)", 0.99, "yes", "40 tokens against joint-bpe-41"),
        ("3 (2) <= 1.00", 1.0, "yes", "spread 0.100, worst 1.100, n 2"),
        ("3 (2) >= 1.22", 1.2, "yes", "spread 0.300, worst 1.500, n 2"),
        ("4 <= insensitive (Table 7)", 0.02, "no", "2 orders; widest at 2 languages"),
        ("5 (merged) <= comparable", 1.01, "yes", "1.010 (el) to 1.010 (el)"),
        ("5 (frequency) >= bounded", 1.04, "yes", "1.040 (el) to 1.040 (el)"),
        ("7 <= 0.005 to 0.05", 0.06, "no", "0.020 (bg) to 0.060 (el)"),
    ],
)
def test_a_claim_has_its_figure_and_is_judged(
    claims: dict[str, Claim], claim: str, figure: float, holds: str, detail: str
) -> None:
    found = claims[claim]
    assert (found.figure, found.holds, found.detail) == (pytest.approx(figure), holds, detail)


def test_open_tokenizers_are_judged_one_by_one(claims: dict[str, Claim]) -> None:
    unequal = check_claims(by_family([*MONO, *OPEN]), [], "set", resamples=20, seed=1)
    assert [(one.claim, one.holds, round(one.figure, 3)) for one in unequal] == [
        ("6", "yes", 1.78), ("6", "no", 1.2)
    ]  # fmt: skip


def test_the_interval_of_a_highest_value_holds_it(claims: dict[str, Claim]) -> None:
    first = claims["1 <= 0.99 to 1.04"]
    assert first.low is not None
    assert first.high is not None
    assert first.low <= first.figure <= first.high


def test_one_order_says_nothing_of_orders() -> None:
    one_order = [row | {"n": "1"} for row in COMBINATIONS]
    found = check_claims(by_family(MONO), one_order, "set", resamples=5, seed=1)
    assert "4" not in {claim.claim for claim in found}


def test_a_set_that_has_none_of_the_languages_says_nothing() -> None:
    assert check_claims(by_family(MONO), COMBINATIONS, "another", resamples=5, seed=1) == []


def test_what_a_run_lacks_is_left_out(tmp_path: Path) -> None:
    write_claims(tmp_path / "claims.tsv", check_claims(by_family(MONO), [], "set", resamples=5, seed=1))
    assert (tmp_path / "claims.tsv").read_text() == "\t".join(COLUMNS) + "\n"
    assert read_tsv(tmp_path / "claims.tsv") == []
