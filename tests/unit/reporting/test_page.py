"""The page holds everything, loads nothing, and escapes what it is given."""

import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from modtok.core.io import read_tsv
from modtok.reporting import tables
from modtok.reporting.items import ITEMS
from modtok.reporting.page import Sources, build_page, funnel_rows, read_versions
from modtok.reporting.rendering import write_table
from modtok.reporting.run import Run

HOSTILE = "</pre><script>alert('x')</script>"


@pytest.fixture
def sources(metrics: pd.DataFrame, run: Run, ledger_text: str, tmp_path: Path) -> Sources:
    ledger = tmp_path / "ledger.tsv"
    ledger.write_text(ledger_text)
    table = tmp_path / "table_1.tsv"
    write_table(tables.table_1(metrics, run), ITEMS["table_1"], table, tmp_path / "1.md", tmp_path / "1.tex")
    figure = tmp_path / "figure_fairness.svg"
    figure.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    language_id = tmp_path / "el.tsv"
    language_id.write_text(
        "lang\tdataset\tlines\trecall\tconfusions\nel\tflores200\t1012\t0.98765\t<b>mk</b> 7\n"
    )
    quality = tmp_path / "quality.tsv"
    quality.write_text("lang\tmetric\tvalue\tn\nel\tprecision\t0.9\t40\n")
    return Sources([table], [figure], ledger, [language_id], [quality])


class Tags(HTMLParser):
    """Collects tags, and fails on one that is closed but not open."""

    VOID = frozenset({"meta", "img", "link", "br", "input"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_holds_every_part(sources: Sources, run: Run) -> None:
    page = build_page(sources, run, "seed: 1\n", {"numpy": "2.4.1"})
    for part in (
        "3.25 (3.90)",
        "<code>snakemake --directory RUN --cores N table_1</code>",
        "<code>snakemake --directory RUN --cores N figure_fairness</code>",
        "not html 3",
        "0.988",
        "0.900",
        "seed: 1",
        "2.4.1",
        "Greek (el)",
    ):
        assert part in page


def test_the_contents_name_each_item_before_its_title(sources: Sources, run: Run) -> None:
    page = build_page(sources, run, "", {})
    contents = unescape(re.sub(r"<[^>]*>", "", page[page.index("<nav") : page.index("</nav>")]))
    for name in ("table_1", "figure_fairness"):
        assert f"{name} {ITEMS[name].title}" in contents


def test_the_page_loads_nothing(sources: Sources, run: Run) -> None:
    page = Tags(build_page(sources, run, "", {}))
    loaded = [value for _, attrs in page.seen for name, value in attrs.items() if name == "src"]
    assert all(value and value.startswith("data:image/svg+xml;base64,") for value in loaded)
    assert not any(tag in ("link", "iframe", "object", "embed") for tag, _ in page.seen)


def test_every_link_has_its_target_and_every_image_its_text(sources: Sources, run: Run) -> None:
    page = Tags(build_page(sources, run, "", {}))
    ids = [attrs["id"] for _, attrs in page.seen if "id" in attrs]
    assert len(ids) == len(set(ids))
    inside = {f"#{name}" for name in ids}
    assert {attrs["href"] for tag, attrs in page.seen if tag == "a"} - inside == {
        "../tables/table_1.tsv",
        "../tables/table_1.md",
        "../tables/table_1.tex",
        "../figures/figure_fairness.pdf",
        "../figures/figure_fairness.svg",
        "../figures/figure_fairness.png",
        "../corpus/ledger.tsv",
    }
    assert all(attrs["alt"] for tag, attrs in page.seen if tag == "img")


@pytest.mark.parametrize(("width", "scrolls"), [("252pt", False), ("504pt", True)])
def test_a_figure_of_two_columns_scrolls_on_a_narrow_screen(
    width: str, scrolls: bool, sources: Sources, run: Run
) -> None:
    sources.figures[0].write_text(f"<svg height='9pt' width=\"{width}\" xmlns='http://www.w3.org/2000/svg'/>")
    assert ('<img class="wide"' in build_page(sources, run, "", {})) == scrolls


def test_every_column_sorts_by_a_button(sources: Sources, run: Run) -> None:
    page = build_page(sources, run, "", {})
    assert len(re.findall(r"<th [^>]*><button type=\"button\">", page)) == page.count("<th ")
    assert '<td class="number" data-number="151669">152k</td>' in page


def test_text_is_escaped(sources: Sources, run: Run) -> None:
    run = replace(run, languages={**run.languages, "xx": HOSTILE}, open_titles={"qwen3": HOSTILE})
    page = build_page(sources, run, HOSTILE, {HOSTILE: HOSTILE})
    Tags(page)
    assert "<script>alert" not in page
    assert "<b>mk</b>" not in page
    assert page.count("<script>") == 1


def test_the_page_says_what_a_run_does_not_have(sources: Sources, run: Run) -> None:
    page = build_page(replace(sources, language_id=[], quality=[]), run, "", {})
    assert "Not checked: the run has no parallel set." in page
    assert "The quality filter is off in this run." in page


def test_the_same_run_is_the_same_bytes(sources: Sources, run: Run) -> None:
    assert build_page(sources, run, "a: 1", {}) == build_page(sources, run, "a: 1", {})


def test_the_funnel_counts_labels_together_and_languages_apart(sources: Sources, run: Run) -> None:
    rows = funnel_rows(read_tsv(sources.ledger), run)
    assert [tuple(row.values()) for row in rows] == [
        ("read", "all", "13", "10", "76.9", "not html 3"),
        ("extract", "all", "10", "9", "90.0", "too large 1"),
        ("language id", "all", "9", "8", "88.9", "low score 1"),
        ("select", "all", "8", "7", "87.5", "not configured 1"),
        ("deduplicate", "el", "5", "4", "80.0", "duplicate 1"),
        ("deduplicate", "en", "2", "2", "100.0", ""),
        ("deduplicate paragraphs", "el", "40", "30", "75.0", "duplicate 10"),
        ("deduplicate paragraphs", "en", "20", "20", "100.0", ""),
        ("quality", "el", "4", "3", "75.0", "low quality 1"),
        ("quality", "en", "2", "2", "100.0", ""),
    ]


def test_versions_come_from_the_provenance_beside_the_files(tmp_path: Path) -> None:
    for name, version in (("a.tsv", "1.0"), ("b.tsv", "2.0")):
        record = {"versions": {"numpy": version, "python": "3.11"}, "seconds": 1.5}
        (tmp_path / f"{name}.provenance.json").write_text(json.dumps(record))
    assert read_versions([tmp_path / "a.tsv", tmp_path / "b.tsv"]) == {"numpy": "1.0, 2.0", "python": "3.11"}
