"""Tables of what models write: summaries, translations, the languages and tokens of both; and of routing."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from modtok.core.errors import ConfigError, require
from modtok.core.model_names import BASELINE
from modtok.reporting import paper
from modtok.reporting.likelihood import ALL, Likelihood, Trained
from modtok.reporting.rendering import PAPER, Table
from modtok.reporting.run import Run

TRANSLATION, SUMMARIZATION = "translation", "summarization"
MONO, SPLIT = "mono-only", ("en-lang-union", "en-lang-split")
ROUGE = {"rougeL": "ROUGE-L", "rouge1": "ROUGE-1", "rouge2": "ROUGE-2"}
BLEU = {"bleu": "BLEU", "spbleu": "spBLEU", "chrf": "chrF++"}
OFF_TARGET, EMPTY = "off_target", "empty"
WRITTEN = {
    OFF_TARGET: "off target, %",
    "english": "in English, %",
    "foreign_tokens": "foreign tokens, %",
    EMPTY: "empty, %",
    "unfinished": "not ended, %",
}
REFERENCES = "off_target_reference"
POLICIES = ("oracle", "one", "routed", "full")
ROUTED = {
    "bits_per_byte_continued": ("bits per byte", POLICIES),
    "relative_cost": ("cost", POLICIES),
    "held": ("language held, %", ("one", "routed")),
    "to_one": ("to one language, %", ("routed",)),
    "to_union": ("to the union, %", ("routed",)),
    "to_full": ("to the full tokenizer, %", ("routed",)),
}
"measures, and the policies that it says something of"
# Digits of what is no share. Shares are shown in percent.
_DIGITS = {"bits_per_byte_continued": 3, "relative_cost": 3} | dict.fromkeys((*ROUGE, *BLEU), 1)
# The paper does not say which it shows; these are the usual ones.
_PAPERS = ("rougeL", "bleu")
Shown = Sequence[tuple[Trained, str]]
"models by inference tokenizers, or by policies"


def table_4(metrics: pd.DataFrame, run: Run) -> Table:
    """Table 4: summarization by regime and inference tokenizer. With several seeds a cell is their mean."""
    found = of_task("table_4", metrics, SUMMARIZATION, run)
    rows = _Rows("table_4", found, run, _langs(found.frame, run), intervals=True)
    return Table.of([rows.counts("documents"), *rows.of(ROUGE, _models(found))])


def table_5(metrics: pd.DataFrame, run: Run) -> Table:
    """Table 5: mono-only with the union and the split of English and the language, against the baseline."""
    found = of_task("table_5", metrics, TRANSLATION, run)
    every = _models(found)
    papers = [
        (trained, inference)
        for trained, inference in every
        if trained[1] == BASELINE or (trained[1] == MONO and inference in SPLIT)
    ]
    rows = _Rows("table_5", found, run, _langs(found.frame, run), intervals=True)
    return Table.of([rows.counts("lines"), *rows.of(BLEU | WRITTEN, papers or every)])


def table_off_target(metrics: pd.DataFrame, run: Run) -> Table:
    """Languages and tokens of outputs, by task, regime and inference tokenizer (ours)."""
    tasks = [task for task in (TRANSLATION, SUMMARIZATION) if task in set(metrics.get("task", []))]
    require(len(tasks) > 0, "table_off_target: no model writes; set pretraining.regimes", ConfigError)
    rows = []
    for task in tasks:
        found = of_task("table_off_target", metrics, task, run)
        in_task = _Rows("table_off_target", found, run, _langs(metrics, run))
        rows += [{"task": task, **row} for row in _written(in_task, _models(found))]
    return Table.of(rows)


def _written(rows: "_Rows", models: Shown) -> Iterator[dict[str, str]]:
    """Outputs of another language, by language; then means of what else is said of outputs."""
    others = {metric: title for metric, title in WRITTEN.items() if metric != OFF_TARGET}
    yield rows.of_references() | dict.fromkeys(others.values(), "")
    for one in models:
        means = {title: rows.cell(one, metric, ALL) for metric, title in others.items()}
        yield rows.named(one, EMPTY) | rows.cells(one, OFF_TARGET) | means


def table_routing(metrics: pd.DataFrame, run: Run) -> Table:
    """Bits per byte and cost of each policy of routing, by regime; then what routing chose (ours)."""
    remedy = "table_routing: no model over a modular tokenizer; add a regime besides baseline"
    require(len(metrics) > 0, remedy, ConfigError)
    found = Likelihood.of("table_routing", metrics, run)
    rows = _Rows("table_routing", found, run, _langs(found.frame, run), "policy")
    listed = [
        row
        for metric, (measure, policies) in ROUTED.items()
        for row in rows.of(
            {metric: measure}, [(trained, one) for trained in found.models for one in policies]
        )
    ]
    for column in ("regime", "model"):
        listed = list(_folded(listed, column, ("seeds", *rows.langs, "mean")))
    return Table.of(listed)


def _folded(rows: Sequence[dict[str, str]], column: str, cells: Collection[str]) -> Iterator[dict[str, str]]:
    """Rows that tell apart nothing but the column, and have the same cells, as one."""
    groups: dict[tuple[str, ...], list[dict[str, str]]] = {}
    keys = [tuple(row[name] for name in row if name != column and name not in cells) for row in rows]
    for key, row in zip(keys, rows, strict=True):
        groups.setdefault(key, []).append(row)
    for key, row in zip(keys, rows, strict=True):
        first, *others = groups[key]
        if not others or any(one[name] != first[name] for one in others for name in cells):
            yield row
        elif row is first:
            yield row | {column: "all"}


def of_task(item: str, metrics: pd.DataFrame, task: str, run: Run) -> Likelihood:
    """What models did of a task; of translation on the set that is shown. Error: nothing."""
    require(len(metrics) > 0, f"{item}: the run has no models; set pretraining.regimes", ConfigError)
    chosen = metrics[metrics["task"] == task]
    require(len(chosen) > 0, f"{item}: models had nothing to write; see evaluation.{task}", ConfigError)
    # Summaries are of no parallel set; there is one set of them.
    return Likelihood.of(item, chosen.assign(dataset=run.dataset) if task == SUMMARIZATION else chosen, run)


def _models(found: Likelihood) -> Shown:
    """Models with each inference tokenizer that they have, in the order of the metrics."""
    columns = (found.frame[column] for column in ("trained", "regime", "inference"))
    keys = dict.fromkeys(zip(*columns, strict=True))
    return [((str(trained), str(regime)), str(inference)) for trained, regime, inference in keys]


def _langs(metrics: pd.DataFrame, run: Run) -> list[str]:
    """The run's languages that have metrics."""
    measured = set(metrics["lang"])
    return [lang for lang in run.languages if lang in measured]


@dataclass(frozen=True)
class _Rows:
    """Rows of a table, with a column for each language, and the mean."""

    item: str
    found: Likelihood
    run: Run
    langs: list[str]
    choice: str = "inference"
    "name of the column of inference tokenizers"
    intervals: bool = False
    "whether cells have them"

    def of(self, measures: Mapping[str, str], shown: Shown) -> Iterator[dict[str, str]]:
        """A row for each measure, and model and inference tokenizer that have it."""
        for metric, measure in measures.items():
            for one in shown:
                if self.found.values(one[0], metric, one[1]):
                    yield {"measure": measure} | self.named(one, metric) | self.cells(one, metric)

    def counts(self, counted: str) -> dict[str, str]:
        """How much was written in each language, the same for all models."""
        trained, inference = _models(self.found)[0]
        shown = {lang: self.found.count(trained, EMPTY, inference, lang) for lang in self.langs}
        named = {"measure": counted, "model": "", "regime": "", self.choice: "", "seeds": ""}
        return named | {
            column: text
            for lang, text in (shown | {"mean": ""}).items()
            for column, text in ((lang, text), (lang + PAPER, ""))
        }

    def of_references(self) -> dict[str, str]:
        """What language identification says of the references, which are the same for all models."""
        named = {"model": "references", "regime": "", self.choice: "", "seeds": ""}
        return named | self.cells(_models(self.found)[0], REFERENCES)

    def named(self, one: tuple[Trained, str], metric: str) -> dict[str, str]:
        """The columns before the languages; seeds are those that have the metric."""
        (tokenizer, regime), choice = one
        seeds = str(len(self.found.values(one[0], metric, choice)))
        return {"model": self.run.label(tokenizer), "regime": regime, self.choice: choice, "seeds": seeds}

    def cells(self, one: tuple[Trained, str], metric: str) -> dict[str, str]:
        """Figures by language, empty where there is none, and the paper's where it has them on like terms."""
        (tokenizer, regime), choice = one
        comparable = "unigram" in tokenizer and self.run.budget == paper.BUDGET
        row = {}
        for lang in (*self.langs, ALL):
            column = "mean" if lang == ALL else lang
            row[column] = self.cell(one, metric, lang)
            if metric in _PAPERS:
                key = f"{regime} {choice}" if comparable else ""
                row[column + PAPER] = paper.figure(self.item, key, column)
        return row

    def cell(self, one: tuple[Trained, str], metric: str, lang: str) -> str:
        """The mean over seeds. Error: no score, where there must be one."""
        (trained, choice), digits = one, _DIGITS.get(metric, 1)
        score = self.found.score(trained, metric, choice, lang)
        if score is None:
            # Of outputs that are all empty nothing else is to be said.
            missing = f"no {metric} of {'+'.join(trained)}, {choice}, on {lang}; run score_generation"
            require(metric not in _DIGITS, f"{self.item}: {missing}")
            return ""
        scale = 1 if metric in _DIGITS else 100
        return score.text(digits, scale) if self.intervals else f"{scale * score.value:.{digits}f}"
