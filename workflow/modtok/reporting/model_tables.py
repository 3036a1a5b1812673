"""Tables of models: their shapes, what vocabularies cost them, how probable they find text."""

from collections.abc import Iterator, Sequence

import pandas as pd

from modtok.core.errors import ConfigError, DataError, require
from modtok.core.tokenizer_names import extracted_family, family_of
from modtok.reporting import paper
from modtok.reporting.likelihood import ALL, BITS, CONTINUED, FOREIGN, Likelihood, Trained, mean
from modtok.reporting.rendering import PAPER, Table
from modtok.reporting.run import Run

FULL, EXTRACTED = "sequential-bpe", extracted_family("sequential-bpe")
GEMMA = "open-gemma3"
PAPER_MODEL = "2.5B"
"the model that the paper trains"
PAPER_SIZES = ("256000", "24000")
SHAPE = ("width", "layers", "heads", "kv_heads", "hidden", "body_parameters")
EMBEDDINGS = ("untied", "tied")
OFFLOAD_CASE = ("model", "batch", "others", "languages", "vocabulary_size")
LEFT_OUT = "left out"
"stands for the times of what the machine does not hold"
OFFLOAD_SECONDS = ("offloaded_seconds", "device_seconds", "step_seconds")
MEASURES = {BITS: "bits per byte", CONTINUED: "the same, second halves", FOREIGN: "foreign mass, %"}
INFERENCES = ("lang", "full", "full-lang", "en-lang-union")


class _Memory:
    """results/metrics/memory.tsv by what it is of."""

    def __init__(self, item: str, metrics: pd.DataFrame, run: Run) -> None:
        shown = metrics[metrics["dataset"].isin(["", run.dataset])]
        keys = zip(
            shown["metric"],
            shown["model"],
            shown["tokenizer"].map(family_of),
            shown["lang"],
            shown["embeddings"],
            strict=True,
        )
        self.item = item
        self.values = dict(zip(keys, shown["value"], strict=True))
        self.models = list(dict.fromkeys(metrics["model"]))

    def value(
        self, metric: str, model: str, tokenizer: str = "", lang: str = "all", embeddings: str = ""
    ) -> float:
        """Error: a value that is not there, named."""
        key = (metric, model, tokenizer, lang, embeddings)
        if key not in self.values:
            named = " ".join(part for part in key if part)
            raise DataError(f"{self.item}: memory.tsv has no {named}; run measure_memory again")
        return float(self.values[key])


def table_23(metrics: pd.DataFrame, run: Run) -> Table:
    """Table 23: the models' shapes, and exact parameters with this run's full and extracted tokenizer."""
    memory = _Memory("table_23", metrics, run)
    require(FULL in run.families, f"table_23: the run has no {FULL}", ConfigError)
    return Table.of([_shape_row(memory, model) for model in memory.models])


def _shape_row(memory: _Memory, model: str) -> dict[str, str]:
    row = {"model": model}
    for column in SHAPE:
        row[column] = f"{memory.value(column, model):.0f}"
    row["width" + PAPER] = paper.figure("table_23", model, "width")
    for name, family in (("full", FULL), ("extracted", EXTRACTED)):
        for embeddings in EMBEDDINGS:
            value = memory.value("parameters", model, family, embeddings=embeddings)
            row[f"{name}_{embeddings}"] = f"{value:.0f}"
    return row


def table_memory(metrics: pd.DataFrame, run: Run) -> Table:
    """Section 5.2: parameters that a sub-vocabulary removes, and the KV-cache of a line of text.

    The cache is compared with Gemma 3's as the paper does, or, where the run has it not, with that of the
    run's largest joint or, without one, full tokenizer.
    """
    memory = _Memory("table_memory", metrics, run)
    require(FULL in run.families, f"table_memory: the run has no {FULL}", ConfigError)
    model = PAPER_MODEL if PAPER_MODEL in memory.models else memory.models[0]
    return Table.of([*_removed(memory, run), *_caches(memory, run, model)])


def _removed(memory: _Memory, run: Run) -> Iterator[dict[str, str]]:
    """Parameters, of the paper's sizes and of the run's tokenizers."""
    sizes = [f"{int(size):,} tokens" for size in PAPER_SIZES]
    for (before, after), names in (
        (PAPER_SIZES, sizes),
        ((FULL, EXTRACTED), [run.title(FULL), run.title(EXTRACTED)]),
    ):
        for model in memory.models:
            for embeddings in EMBEDDINGS:
                values = [
                    memory.value("parameters", model, family, embeddings=embeddings)
                    for family in (before, after)
                ]
                beside = f"{embeddings} {model}" if before in PAPER_SIZES else ""
                yield _saving(f"parameters, {embeddings}", model, "", names, values, beside)


def _caches(memory: _Memory, run: Run, model: str) -> Iterator[dict[str, str]]:
    """KV-cache of a line in bytes, by language."""
    compared = _compared(run)
    names = [run.label(compared), run.title(EXTRACTED)]
    for lang, language in run.languages.items():
        values = [memory.value("kv_cache", model, family, lang) for family in (compared, EXTRACTED)]
        is_papers = compared == GEMMA and run.budget == paper.BUDGET
        beside = f"kv-cache {lang}" if is_papers else ""
        yield _saving("KV-cache, bytes", model, language, names, values, beside)


def _compared(run: Run) -> str:
    """The tokenizer that caches are compared with."""
    joint = [family for family in run.families if family.startswith("joint-bpe-")]
    largest = max(joint, key=lambda family: int(family.rpartition("-")[2]), default=FULL)
    return GEMMA if GEMMA in run.families else largest


def _saving(
    measure: str, model: str, language: str, names: Sequence[str], values: Sequence[float], beside: str
) -> dict[str, str]:
    before, after = values
    return {
        "measure": measure,
        "model": model,
        "language": language,
        "full": names[0],
        "reduced": names[1],
        "before": f"{before:.0f}",
        "after": f"{after:.0f}",
        "saved_percent": f"{100 * (before - after) / before:.1f}",
        "saved_percent" + PAPER: paper.figure("table_memory", beside, "saved_percent"),
    }


def table_offload(metrics: pd.DataFrame, run: Run) -> Table:
    """Appendix E: the CPU's work for offloaded rows against a step on the device, case by case."""
    shown = metrics.pivot(index=list(OFFLOAD_CASE), columns="metric", values="value")
    shown = shown.reindex(columns=list(OFFLOAD_SECONDS))
    cases = metrics[list(OFFLOAD_CASE)].drop_duplicates().itertuples(index=False, name=None)
    return Table.of([_offload_row(case, shown.loc[case], run) for case in cases])


def _offload_row(case: tuple[str, str, str, str, int], seconds: pd.Series, run: Run) -> dict[str, str]:
    model, batch, others, languages, rows = case
    row = {
        "model": model,
        "batch": batch,
        "languages_of_step": str(1 + int(others)),
        "languages_held": languages,
        "rows_held": str(rows),
    }
    beside = f"{model} {batch} {others} {languages}" if run.budget == paper.BUDGET else ""
    fitted = bool(seconds.notna().all())
    for metric in OFFLOAD_SECONDS:
        row[metric] = f"{seconds[metric]:.3g}" if fitted else LEFT_OUT
        row[metric + PAPER] = paper.figure("table_offload", beside, metric)
    share = seconds["offloaded_seconds"] / seconds["device_seconds"]
    return row | {"offloaded_percent_of_device": f"{100 * share:.0f}" if fitted else LEFT_OUT}


def table_likelihood(metrics: pd.DataFrame, run: Run) -> Table:
    """Bits per byte by regime, inference tokenizer and language (ours), and probability of foreign tokens.

    With several seeds a cell is their mean.
    """
    found = Likelihood.of("table_likelihood", metrics, run)
    return Table.of(
        [
            row
            for metric, measure in MEASURES.items()
            for trained in found.models
            for inference in INFERENCES
            for row in _likelihood_row(found, trained, metric, measure, inference, run)
        ]
    )


def _likelihood_row(
    found: Likelihood, trained: Trained, metric: str, measure: str, inference: str, run: Run
) -> Iterator[dict[str, str]]:
    """A row, or none where the model has no such metric."""
    values = found.values(trained, metric, inference)
    if len(values) == 0:
        return
    row = {"measure": measure, "model": run.label(trained[0]), "regime": trained[1], "inference": inference}
    row["seeds"] = str(len(values))
    scale, digits = (100, 2) if metric == FOREIGN else (1, 3)
    for lang in (*run.languages, ALL):
        cells = found.values(trained, metric, inference, lang)
        missing = f"table_likelihood: no {metric} of {'+'.join(trained)} on {lang}; run score_likelihood"
        require(len(cells) > 0, missing)
        row["mean" if lang == ALL else lang] = f"{scale * mean(cells.values()):.{digits}f}"
    yield row
