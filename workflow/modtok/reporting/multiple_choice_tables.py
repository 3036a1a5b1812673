"""Tables of multiple choice, by itself and beside translation and likelihood.

A cell is a score with half of its 95 % interval's width; with several seeds the mean of both. `~` stands
before a score within what guessing gives in 95 % of cases.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from modtok.core.errors import ConfigError, require
from modtok.core.model_names import BASELINE, MONO_ONLY, Regime
from modtok.reporting import paper
from modtok.reporting.likelihood import ALL, BITS, Likelihood, Trained, mean
from modtok.reporting.rendering import PAPER, Table
from modtok.reporting.run import Run

ENGLISH = "en"
MCQ, ACCURACY, CHANCE = "mcq", "accuracy", "chance"
TRANSLATION, BLEU = "translation", "bleu"
LANG, FULL, UNION, SPLIT = "lang", "full", "en-lang-union", "en-lang-split"
COMBINED = (LANG, UNION, SPLIT, FULL)
_Interval = tuple[float | None, float | None, float | None]
"a score, and the ends of its interval"


@dataclass(frozen=True)
class _Measure:
    """A metric on what is shown of a run."""

    title: str
    metric: str
    found: Likelihood
    scale: float = 1
    digits: int = 1
    counted: str = ""
    "what `n` counts"

    def of_kind(self, kind: str) -> "_Measure":
        return replace(self, found=self.found.of_kind(kind))

    def series(self, column: str, trained: Trained, inference: str, lang: str) -> float | None:
        """The mean over seeds of a column of the metrics; None without one."""
        frame = self.found.frame.assign(value=self.found.frame[column])
        held = Likelihood(frame).values(trained, self.metric, inference, lang).values()
        known = [value for value in held if pd.notna(value)]
        return self.scale * mean(known) if known else None


def table_6(choice: pd.DataFrame, generation: pd.DataFrame, run: Run) -> Table:
    """Table 6: multiple choice and translation by regime and inference tokenizer, Unigram."""
    return _by_regime("table_6", "unigram", choice, generation, run)


def table_15(choice: pd.DataFrame, generation: pd.DataFrame, run: Run) -> Table:
    """Table 15: the same of BPE."""
    return _by_regime("table_15", "bpe", choice, generation, run)


def _by_regime(item: str, kind: str, choice: pd.DataFrame, generation: pd.DataFrame, run: Run) -> Table:
    measures = [*_mcq(item, choice, run), *_bleu(item, generation, run)]
    rows = [
        row
        for measure in _some(item, [measure.of_kind(kind) for measure in measures])
        # The paper's `Lang` is, where models translate, the union with English.
        for own in (UNION if measure.metric == BLEU else LANG,)
        for row in _rows(item, measure, run, [(trained, (own, FULL)) for trained in measure.found.models])
    ]
    return Table.of(rows)


def table_8(generation: pd.DataFrame, run: Run) -> Table:
    """Table 8: translation by the full tokenizer, by the number of languages that training drew."""
    (measure,) = _some("table_8", list(_bleu("table_8", generation, run)))
    drawn = {trained: _drawn(trained[1], run) for trained in measure.found.models}
    shown = sorted(
        (trained for trained, number in drawn.items() if number is not None),
        key=lambda trained: (trained[0].rpartition("-")[2], drawn[trained]),
    )
    baselines = [trained for trained in drawn if trained[1] == BASELINE]
    models = [(trained, (FULL,)) for trained in (*baselines, *shown)]
    # Nothing is translated to English.
    others = {code: name for code, name in run.languages.items() if code != ENGLISH}
    return Table.of(list(_rows("table_8", measure, replace(run, languages=others), models)))


def _drawn(regime: str, run: Run) -> int | None:
    """Other languages in what a regime draws from the first step on; None for one that draws otherwise."""
    of = Regime(regime)
    if regime == MONO_ONLY:
        return 0
    if of.sampled is None or of.start > 0:
        return None
    return len(run.languages) - 1 if of.others is None else of.others


def table_combinations(
    likelihood: pd.DataFrame, choice: pd.DataFrame, generation: pd.DataFrame, run: Run
) -> Table:
    """Appendix C.1: likelihood, multiple choice and translation by a language with English."""
    item = "table_combinations"
    bits = _Measure("bits per byte", BITS, Likelihood.of(item, likelihood, run), digits=3, counted="lines")
    measures = [bits, *_mcq(item, choice, run), *_bleu(item, generation, run)]
    return Table.of(
        [
            row
            for measure in measures
            for row in _rows(item, measure, run, [(one, COMBINED) for one in measure.found.models])
        ]
    )


def _mcq(item: str, choice: pd.DataFrame, run: Run) -> Iterator[_Measure]:
    chosen = choice[choice["dataset"] == MCQ].assign(dataset=run.dataset)
    if len(chosen):
        yield _Measure("multiple choice, %", ACCURACY, Likelihood.of(item, chosen, run), 100, 1, "items")


def _bleu(item: str, generation: pd.DataFrame, run: Run) -> Iterator[_Measure]:
    chosen = generation[generation["task"] == TRANSLATION] if len(generation) else generation
    if len(chosen):
        yield _Measure("BLEU of translation", BLEU, Likelihood.of(item, chosen, run), 1, 1, "lines")


def _some(item: str, measures: Sequence[_Measure]) -> list[_Measure]:
    """Those that there are models of. Error: none."""
    held = [measure for measure in measures if len(measure.found.models)]
    missing = f"{item}: no model was asked; see pretraining and evaluation.multiple_choice in the config"
    require(len(held) > 0, missing, ConfigError)
    return held


def _rows(
    item: str, measure: _Measure, run: Run, shown: Iterable[tuple[Trained, Sequence[str]]]
) -> Iterator[dict[str, str]]:
    """How much was asked, what guessing gives, and a row for each model and inference tokenizer."""
    langs = [*run.languages, ALL]
    pairs = [(trained, inference) for trained, names in shown for inference in names]
    held = [pair for pair in pairs if measure.series("value", *pair, ALL) is not None]
    if not held:
        return
    asked = replace(measure, scale=1)
    counts = {lang: asked.series("n", *held[0], lang) for lang in run.languages}
    yield _named(f"{measure.title}: {measure.counted}") | _cells(
        langs, {lang: _figure(count, 0) for lang, count in counts.items()}
    )
    guessing = replace(measure, metric=CHANCE)
    guesses = {lang: _interval(guessing, *held[0], lang) for lang in langs}
    if guesses[ALL][0] is not None:
        shown_guesses = {lang: _score(measure, found) for lang, found in guesses.items()}
        yield _named(measure.title, "guessing") | _cells(langs, shown_guesses)
    for trained, inference in held:
        seeds = str(len(measure.found.values(trained, measure.metric, inference)))
        scores = {
            lang: _score(measure, _interval(measure, trained, inference, lang), guesses[lang])
            for lang in langs
        }
        beside = {lang: _beside(item, measure, trained, inference, lang, run) for lang in langs}
        named = _named(measure.title, run.label(trained[0]), trained[1], inference, seeds)
        yield named | _cells(langs, scores, beside)


def _named(
    measure: str, model: str = "", regime: str = "", inference: str = "", seeds: str = ""
) -> dict[str, str]:
    return {"measure": measure, "model": model, "regime": regime, "inference": inference, "seeds": seeds}


def _cells(
    langs: Sequence[str], texts: Mapping[str, str], beside: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The columns of languages, each with the paper's behind it."""
    return {
        column: text
        for lang in langs
        for column, text in (
            (_column(lang), texts.get(lang, "")),
            (_column(lang) + PAPER, (beside or {}).get(lang, "")),
        )
    }


def _column(lang: str) -> str:
    return "mean" if lang == ALL else lang


def _interval(measure: _Measure, trained: Trained, inference: str, lang: str) -> _Interval:
    """A score with the ends of its interval; None for what the metrics do not have."""
    value, low, high = (
        measure.series(column, trained, inference, lang) for column in ("value", "low", "high")
    )
    return value, low, high


def _score(measure: _Measure, found: _Interval, guessed: _Interval = (None, None, None)) -> str:
    """`38.3 ± 1.2`, and `~` before it where guessing may give as much; empty without one."""
    value, low, high = found
    if value is None or low is None or high is None:
        return _figure(value, measure.digits)
    _, least, most = guessed
    near = least is not None and most is not None and least <= value <= most
    return f"{'~' * near}{_figure(value, measure.digits)} ± {_figure((high - low) / 2, measure.digits)}"


def _figure(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _beside(item: str, measure: _Measure, trained: Trained, inference: str, lang: str, run: Run) -> str:
    """The paper's figure, which is of Unigram models of its budget."""
    if "unigram" not in trained[0] or run.budget != paper.BUDGET:
        return ""
    return paper.figure(item, f"{trained[1]} {inference} {measure.metric}", _column(lang))
