"""The page of a run: one HTML file with its tables and figures, its corpus in numbers, config and versions.

It loads nothing from anywhere (a Content-Security-Policy says so to the browser), holds nothing that depends
on time, and escapes all text through Jinja's autoescape.
"""

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from modtok.core.io import read_tsv
from modtok.core.stages import KEPT, LANGUAGE_ID, SELECT
from modtok.reporting.items import ITEMS, Item
from modtok.reporting.rendering import Shown, Table, has_papers_figures, read_table, show
from modtok.reporting.run import Run

_DECIMALS = 3
_WIDTH_PT = re.compile(rb'<svg [^>]*\bwidth="([0-9.]+)pt"')
_COLUMN_PT = 300
"Wider than a column of a two-column page."


@dataclass(frozen=True)
class Sources:
    """The files that the page is made of."""

    tables: Sequence[Path]
    "TSV files named after their items"
    figures: Sequence[Path]
    "SVG files named after their items"
    ledger: Path
    language_id: Sequence[Path]
    "self-checks per language: lang, dataset, lines, recall, confusions; none where there is no parallel set"
    quality: Sequence[Path]
    "held-out checks per language: lang, metric, value, n; none where the filter is off"


@dataclass(frozen=True)
class _Entry:
    """An item as the template sees it."""

    item: Item
    table: Shown | None = None
    image: str = ""
    wide: bool = False
    "a figure of two columns, which a narrow screen scrolls rather than shrinks"

    @property
    def command(self) -> str:
        return f"snakemake --directory RUN --cores N {self.item.name}"

    @property
    def files(self) -> list[tuple[str, str]]:
        """Format and address, from the folder of the page, of each file of the item."""
        return [
            (Path(path).suffix[1:].upper(), f"../{path.removeprefix('results/')}")
            for path in self.item.outputs
        ]


def build_page(sources: Sources, run: Run, config: str, versions: Mapping[str, str]) -> str:
    """The page as HTML. `config` is the run's config as YAML; `versions` maps a package to its version."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.jinja").render(
        run=run,
        tables=[_table(ITEMS[path.stem], read_table(path), run) for path in sources.tables],
        figures=[_figure(ITEMS[path.stem], path.read_bytes()) for path in sources.figures],
        funnel=_shown(funnel_rows(read_tsv(sources.ledger), run)),
        ledger=show(read_table(sources.ledger)),
        language_id=_shown(_rows(sources.language_id)),
        quality=_shown(_rows(sources.quality)),
        config=config,
        versions=_shown(
            [{"package": name, "version": version} for name, version in sorted(versions.items())]
        ),
    )


def _table(item: Item, table: Table, run: Run) -> _Entry:
    return _Entry(item.of_run(run.languages, has_papers_figures(table)), table=show(table))


def _figure(item: Item, svg: bytes) -> _Entry:
    width = _WIDTH_PT.search(svg)
    image = "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii")
    return _Entry(item, image=image, wide=width is not None and float(width[1]) > _COLUMN_PT)


def _shown(rows: Sequence[Mapping[str, str]]) -> Shown | None:
    return show(Table.of(rows)) if rows else None


def _rows(paths: Iterable[Path]) -> list[dict[str, str]]:
    rows = (row for path in paths for row in read_tsv(path))
    return [{column: _rounded(text) for column, text in row.items()} for row in rows]


def _rounded(text: str) -> str:
    """A number with a fraction, rounded for the eye; other text as it is. _rounded("0.98765") -> "0.988" """
    try:
        return f"{float(text):.{_DECIMALS}f}" if "." in text else text
    except ValueError:
        return text


def funnel_rows(ledger: Iterable[Mapping[str, str]], run: Run) -> list[dict[str, str]]:
    """In, kept, dropped and why, of each stage and, once the language is known, of each language.

    Identification and selection count by the model's labels, of which there are many more than languages:
    they are one row each.
    """
    cells: dict[tuple[str, str], dict[str, int]] = {}
    for row in ledger:
        by_language = row["language"] in run.languages and row["stage"] not in (LANGUAGE_ID, SELECT)
        outcomes = cells.setdefault((row["stage"], row["language"] if by_language else "all"), {})
        outcomes[row["outcome"]] = outcomes.get(row["outcome"], 0) + int(row["records"])
    return [_funnel_row(stage, language, outcomes) for (stage, language), outcomes in cells.items()]


def _funnel_row(stage: str, language: str, outcomes: Mapping[str, int]) -> dict[str, str]:
    kept, total = outcomes.get(KEPT, 0), sum(outcomes.values())
    reasons = sorted(((-count, name) for name, count in outcomes.items() if name != KEPT and count))
    return {
        "stage": stage.replace("_", " "),
        "language": language,
        "taken_in": str(total),
        "kept": str(kept),
        "kept_percent": f"{100 * kept / total:.1f}" if total else "",
        "dropped_for": ", ".join(f"{name.replace('_', ' ')} {-negative:,}" for negative, name in reasons),
    }


def read_versions(outputs: Iterable[Path]) -> dict[str, str]:
    """Versions of the packages that made these files, from the provenance beside them; several are joined."""
    found: dict[str, set[str]] = {}
    for output in outputs:
        record = json.loads(output.with_name(output.name + ".provenance.json").read_text(encoding="utf-8"))
        for package, version in record["versions"].items():
            found.setdefault(package, set()).add(version)
    return {package: ", ".join(sorted(several)) for package, several in found.items()}
