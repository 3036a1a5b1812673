"""Tables of multiple choice, by itself and beside translation and likelihood.

A cell is a score with its 95 % interval; with several seeds the mean of each. `~` stands before a score
within what guessing gives in 95 % of cases.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from modtok.core.errors import ConfigError, require
from modtok.core.model_names import BASELINE, MONO_ONLY, Regime
from modtok.reporting import paper
from modtok.reporting.likelihood import ALL, BITS, Likelihood, Score, Trained
from modtok.reporting.rendering import PAPER, Table
from modtok.reporting.run import Run

ENGLISH = "en"
MCQ, ACCURACY, CHANCE = "mcq", "accuracy", "chance"
TRANSLATION, BLEU = "translation", "bleu"
LANG, FULL, UNION, SPLIT = "lang", "full", "en-lang-union", "en-lang-split"
COMBINED = (LANG, UNION, SPLIT, FULL)


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

    def score(self, one: tuple[Trained, str], lang: str, metric: str = "") -> Score | None:
        """Of a model and an inference tokenizer; `metric`: another one than the measure's own."""
        return self.found.score(one[0], metric or self.metric, one[1], lang)

    def text(self, score: Score | None, guessed: Score | None = None) -> str:
        """`38.3 [37.0, 39.4]`, and `~` before it where guessing may give as much; empty without one."""
        if score is None:
            return ""
        near = guessed is not None and guessed.holds(score.value)
        return "~" * near + score.text(self.digits, self.scale)


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
    held = [one for one in pairs if measure.score(one, ALL)]
    if not held:
        return
    guesses = {lang: measure.score(held[0], lang, CHANCE) for lang in langs}
    yield from _asked(measure, held[0], guesses, langs)
    for one in held:
        (tokenizer, regime), inference = one
        seeds = len(measure.found.values(one[0], measure.metric, inference))
        by_guessing = {lang: guessed and guessed.of_mean(seeds) for lang, guessed in guesses.items()}
        scores = {lang: measure.text(measure.score(one, lang), by_guessing[lang]) for lang in langs}
        beside = {lang: _beside(item, measure, one[0], inference, lang, run) for lang in langs}
        named = _named(measure.title, run.label(tokenizer), regime, inference, str(seeds))
        yield named | _cells(langs, scores, beside)


def _asked(
    measure: _Measure, one: tuple[Trained, str], guesses: Mapping[str, Score | None], langs: Sequence[str]
) -> Iterator[dict[str, str]]:
    """How much was asked in each language, and what guessing gives."""
    (trained, inference), own = one, [lang for lang in langs if lang != ALL]
    shown = {lang: measure.found.count(trained, measure.metric, inference, lang) for lang in own}
    yield _named(f"{measure.title}: {measure.counted}") | _cells(langs, shown)
    if guesses[ALL]:
        said = {lang: measure.text(guessed) for lang, guessed in guesses.items()}
        yield _named(measure.title, "guessing") | _cells(langs, said)


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


def _beside(item: str, measure: _Measure, trained: Trained, inference: str, lang: str, run: Run) -> str:
    """The paper's figure, which is of Unigram models of its budget."""
    if "unigram" not in trained[0] or run.budget != paper.BUDGET:
        return ""
    return paper.figure(item, f"{trained[1]} {inference} {measure.metric}", _column(lang))
