"""The tables of surgery: text, vocabulary, and where rows come from, by tokenizer and method."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from modtok.core.errors import ConfigError, require
from modtok.reporting import paper
from modtok.reporting.rendering import PAPER, Table
from modtok.reporting.run import Run

PREFIX, BEFORE = "surgery-", "before"
VOCABULARY = "vocabulary"
PAPERS_TARGET = "uk"
TITLES = {
    "guided": "Guided insertion",
    "naive": "Donor's merges appended",
    "matched": "The same, longest match at run time",
    "global": "Deletion by id",
    "frequency": "Deletion by frequency",
    "continued": "Continued BPE, leaves pruned",
    "retrained": "Retrained",
}
SCRIPT_METHODS = {
    "guided": "by_script",
    "global": "by_id",
    "frequency": "by_frequency",
    "continued": "leaf_pruning",
}
"method -> how it chooses rows; what it is called as a column"
FEW = 0.0005
"of the rows that have a script: scripts with fewer are shown together"
Key = tuple[str, str]
"method, or BEFORE, and subject"


def table_surgery(metrics: pd.DataFrame, run: Run) -> Table:
    """Tokens per word before; change of tokens after, in percent, by language and group of languages."""
    texts = _checked("table_surgery", metrics[metrics["dataset"] != VOCABULARY])
    values = dict(_values(texts, run.dataset))
    columns = list(dict.fromkeys(texts["lang"]))
    rows = []
    for name in dict.fromkeys(texts["tokenizer"]):
        method, subject = _parts(str(name))
        metric = "fertility" if method == BEFORE else "change"
        row = {"model": run.title(subject), "method": _method(method), "measure": _measure(metric)}
        for column in columns:
            value = values.get((str(name), column, metric))
            row |= _cell(column, value, metric, _papers(method, subject, column, columns))
        rows.append(row)
    return Table.of(rows)


def table_surgery_audit(metrics: pd.DataFrame, conflicts: pd.DataFrame, run: Run) -> Table:
    """Rows by what became of them, and an example of a token that cannot be reached."""
    audit = _checked("table_surgery_audit", metrics[metrics["dataset"] == VOCABULARY])
    columns = list(dict.fromkeys(metrics[metrics["dataset"] != VOCABULARY]["lang"]))
    examples = {str(row["tokenizer"]): _example(row) for _, row in conflicts.iterrows()}
    rows = []
    for name, own in audit.groupby("tokenizer", sort=False):
        figures = dict(zip(own["metric"], own["value"], strict=True))
        method, subject = _parts(str(name))
        row = {"model": run.title(subject), "method": _method(method)}
        for column, text in _audit_cells(figures, int(own["vocabulary_size"].iloc[0])).items():
            beside = _papers(method, subject, column, columns, "table_surgery_audit")
            row |= {column: text, column + PAPER: beside}
        rows.append(row | {"example": examples.get(str(name), "")})
    return Table.of(rows)


def table_surgery_scripts(scripts: pd.DataFrame, run: Run) -> Table:
    """Rows by script before, and how many of them each method freed."""
    _checked("table_surgery_scripts", scripts)
    rows = []
    frame = scripts.assign(
        **{name: pd.to_numeric(scripts[name]) for name in ("before", "freed")},
        method=[_parts(name)[0] for name in scripts["tokenizer"]],
        subject=[_parts(name)[1] for name in scripts["tokenizer"]],
    )
    for subject, own in frame.groupby("subject", sort=False):
        freed = own.pivot_table(index="script", columns="method", values="freed", aggfunc="sum", sort=False)
        before = own[own["method"] == own["method"].iloc[0]].set_index("script")["before"]
        for script, figures in _folded(freed.assign(before=before).fillna(0)):
            counted = {how: f"{figures[name]:.0f}" for name, how in SCRIPT_METHODS.items() if name in figures}
            shown = {"script": script, "before": f"{figures['before']:.0f}"}
            rows.append({"model": run.title(str(subject)), **shown, **counted})
    return Table.of(rows)


def _folded(frame: pd.DataFrame) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Scripts with many rows one by one, the most first, then all others together."""
    ordered = frame.sort_values("before", ascending=False, kind="stable")
    many = ordered["before"] >= FEW * ordered["before"].sum()
    for script, row in ordered[many].iterrows():
        yield str(script), {str(name): float(value) for name, value in row.items()}
    if not many.all():
        rest = ordered[~many].sum()
        yield f"{(~many).sum()} others", {str(name): float(value) for name, value in rest.items()}


def _checked(item: str, rows: pd.DataFrame) -> pd.DataFrame:
    remedy = "name tokenizers in surgery.tokenizers"
    require(len(rows) > 0, f"{item}: the run operates on no tokenizer; {remedy}", ConfigError)
    return rows


def _values(texts: pd.DataFrame, dataset: str) -> Iterator[tuple[tuple[str, str, str], float]]:
    """Values by tokenizer, column and metric: of the set that is shown, else of the first that has them."""
    last_wins = pd.concat([texts[::-1], texts[texts["dataset"] == dataset]])
    keys = zip(last_wins["tokenizer"], last_wins["lang"], last_wins["metric"], strict=True)
    for key, value in zip(keys, last_wins["value"], strict=True):
        yield (str(key[0]), str(key[1]), str(key[2])), float(value)


def _parts(tokenizer: str) -> Key:
    """_parts("surgery-guided-open-qwen3") -> ("guided", "open-qwen3"); of another name (BEFORE, name)."""
    method, _, subject = tokenizer.removeprefix(PREFIX).partition("-")
    return (method, subject) if tokenizer.startswith(PREFIX) else (BEFORE, tokenizer)


def _method(method: str) -> str:
    share = method.removeprefix("spared")
    return TITLES.get(method) or (f"Guided, {share} % of other languages" if share != method else method)


def _measure(metric: str) -> str:
    return {"fertility": "tokens per word", "change": "percent"}[metric]


def _cell(column: str, value: float | None, metric: str, beside: str) -> dict[str, str]:
    rounded = "" if value is None else f"{value:.2f}" if metric == "fertility" else f"{value:+.2f}"
    return {column: rounded.replace("-0.00", "+0.00"), column + PAPER: beside}


def _papers(
    method: str, subject: str, column: str, columns: Sequence[str], item: str = "table_surgery"
) -> str:
    """The paper's figure, where the target is its own."""
    return paper.figure(item, f"{method}-{subject}", column) if columns[:1] == [PAPERS_TARGET] else ""


def _audit_cells(figures: Mapping[str, float], rows_before: int) -> dict[str, str]:
    came = figures["inserted"]
    lost = figures["inserted_unreachable"]
    return {
        "same_ids_percent": f"{100 * figures['same_id_rows'] / rows_before:.1f}",
        "inserted": f"{came:.0f}",
        "unreachable": f"{lost:.0f}",
        "unreachable_percent": f"{100 * lost / came:.1f}" if came else "",
        "newly_broken": f"{figures['newly_broken']:.0f}",
        "unreachable_before": f"{figures['unreachable_before']:.0f}",
    }


def _example(row: pd.Series) -> str:
    """A token, the merge that would make it, and the merge that comes first."""
    own, other = f"{row['parts']} (rank {row['rank']})", f"{row['taken']} (rank {row['taken_rank']})"
    return f"{row['token']}: {own} comes after {other}, which leaves {row['pieces']}"
