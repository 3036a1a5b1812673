"""Tables of what models write: summaries, translations, the languages and tokens of both; and of routing."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from modtok.core.errors import ConfigError, require
from modtok.core.model_names import BASELINE
from modtok.reporting import paper
from modtok.reporting.likelihood import ALL, Likelihood, Trained, mean
from modtok.reporting.rendering import PAPER, Table
from modtok.reporting.run import Run

TRANSLATION, SUMMARIZATION = "translation", "summarization"
MONO, SPLIT = "mono-only", ("en-lang-union", "en-lang-split")
ROUGE = {"rougeL": "ROUGE-L", "rouge1": "ROUGE-1", "rouge2": "ROUGE-2"}
BLEU = {"bleu": "BLEU", "spbleu": "spBLEU", "chrf": "chrF++"}
WRITTEN = {
    "off_target": "off target, %",
    "english": "in English, %",
    "foreign_tokens": "foreign tokens, %",
    "empty": "empty, %",
    "unfinished": "not ended, %",
}
REFERENCES = "off_target_reference"
ROUTED = {
    "bits_per_byte_continued": "bits per byte",
    "relative_cost": "cost",
    "held": "language held, %",
    "to_one": "to one language, %",
    "to_union": "to the union, %",
    "to_full": "to the full tokenizer, %",
}
POLICIES = ("oracle", "one", "routed", "full")
# Digits of what is no share. Shares are shown in percent.
_DIGITS = {"bits_per_byte_continued": 3, "relative_cost": 3} | dict.fromkeys((*ROUGE, *BLEU), 1)
# The paper does not say which it shows; these are the usual ones.
_PAPERS = ("rougeL", "bleu")
Shown = list[tuple[Trained, str]]
"models by inference tokenizers, or by policies"


def table_4(metrics: pd.DataFrame, run: Run) -> Table:
    """Table 4: summarization by regime and inference tokenizer. With several seeds a cell is their mean."""
    found = of_task("table_4", metrics, SUMMARIZATION, run)
    return Table.of(list(_Rows("table_4", found, run, _langs(found.frame, run)).of(ROUGE, _models(found))))


def table_5(metrics: pd.DataFrame, run: Run) -> Table:
    """Table 5: mono-only with the union and the split of English and the language, against the baseline."""
    found = of_task("table_5", metrics, TRANSLATION, run)
    every = _models(found)
    papers = [
        (trained, inference)
        for trained, inference in every
        if trained[1] == BASELINE or (trained[1] == MONO and inference in SPLIT)
    ]
    return Table.of(
        list(_Rows("table_5", found, run, _langs(found.frame, run)).of(BLEU | WRITTEN, papers or every))
    )


def table_off_target(metrics: pd.DataFrame, run: Run) -> Table:
    """Languages and tokens of outputs, by task, regime and inference tokenizer (ours)."""
    tasks = [task for task in (TRANSLATION, SUMMARIZATION) if task in set(metrics.get("task", []))]
    require(len(tasks) > 0, "table_off_target: no model writes; set pretraining.regimes", ConfigError)
    rows = []
    for task in tasks:
        found = of_task("table_off_target", metrics, task, run)
        in_task = _Rows("table_off_target", found, run, _langs(metrics, run))
        rows += [
            {"task": task, **row} for row in (in_task.of_references(), *in_task.of(WRITTEN, _models(found)))
        ]
    return Table.of(rows)


def table_routing(metrics: pd.DataFrame, run: Run) -> Table:
    """Bits per byte and cost of each policy of routing, by regime (ours)."""
    remedy = "table_routing: no model over a modular tokenizer; add a regime besides baseline"
    require(len(metrics) > 0, remedy, ConfigError)
    found = Likelihood.of("table_routing", metrics, run)
    shown = [(trained, policy) for trained in found.models for policy in POLICIES]
    rows = _Rows("table_routing", found, run, _langs(found.frame, run), "policy")
    return Table.of(list(rows.of(ROUTED, shown)))


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

    def of(
        self, measures: Mapping[str, str], shown: Iterable[tuple[Trained, str]]
    ) -> Iterator[dict[str, str]]:
        """A row for each measure, and model and inference tokenizer that have it."""
        models = list(shown)
        for metric, measure in measures.items():
            for trained, inference in models:
                seeds = len(self.found.values(trained, metric, inference))
                if seeds > 0:
                    named = {"measure": measure, "model": self.run.label(trained[0]), "regime": trained[1]}
                    named |= {self.choice: inference, "seeds": str(seeds)}
                    yield named | self._cells(trained, metric, inference)

    def of_references(self) -> dict[str, str]:
        """What language identification says of the references, which are the same for all models."""
        trained, inference = _models(self.found)[0]
        named = {"measure": WRITTEN["off_target"], "model": "references", "regime": "", self.choice: ""}
        return named | {"seeds": ""} | self._cells(trained, REFERENCES, inference)

    def _cells(self, trained: Trained, metric: str, inference: str) -> dict[str, str]:
        """Figures by language, empty where there is none, and the paper's where it has them on like terms."""
        comparable = "unigram" in trained[0] and self.run.budget == paper.BUDGET
        row = {}
        for lang in (*self.langs, ALL):
            values = self.found.values(trained, metric, inference, lang).values()
            # Of outputs that are all empty nothing else is to be said.
            has = len(values) > 0 or metric not in _DIGITS
            missing = f"no {metric} of {'+'.join(trained)}, {inference}, on {lang}; run score_generation"
            require(has, f"{self.item}: {missing}")
            column = "mean" if lang == ALL else lang
            row[column] = _number(metric, mean(values)) if values else ""
            if metric in _PAPERS:
                key = f"{trained[1]} {inference}" if comparable else ""
                row[column + PAPER] = paper.figure(self.item, key, column)
        return row


def _number(metric: str, value: float) -> str:
    return f"{value:.{_DIGITS[metric]}f}" if metric in _DIGITS else f"{100 * value:.1f}"
