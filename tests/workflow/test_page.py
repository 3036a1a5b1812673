"""The page of a finished run in a browser, as readers have it: at three widths, by mouse and by keyboard."""

import re
from pathlib import Path

import pytest

from workflow.browser import PROGRAM, Browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="no Chromium or Chrome on this machine"),
]
WIDTHS = (360, 800, 1440)
TABLE = "document.querySelector('#table_vocabulary').parentElement.querySelector('table')"


@pytest.fixture(scope="module")
def page(finished) -> Path:
    return finished / "results" / "page" / "index.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture
def tab(browser, page):
    """The page, just opened."""
    browser.resize(WIDTHS[-1])
    browser.call("Emulation.setEmulatedMedia", media="", features=[])
    browser.open(page)
    return browser


def column(tab, number: int) -> list[str]:
    """The texts of a column of the table that is sorted here, top down."""
    return tab.evaluate(f"[...{TABLE}.tBodies[0].rows].map((row) => row.cells[{number}].textContent)")


def number_of(cell: str) -> float:
    """Our figure in a cell, without the paper's behind it."""
    return float(cell.partition(" ")[0].replace(",", ""))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_loads_nothing_reports_nothing_and_fits(width, tab, page):
    tab.resize(width)
    tab.open(page)
    assert tab.happened("Page.loadEventFired")
    asked = [request["request"]["url"] for request in tab.happened("Network.requestWillBeSent")]
    assert asked[0] == page.as_uri()
    assert [url for url in asked[1:] if not url.startswith("data:")] == []
    for kind in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
        assert tab.happened(kind) == []
    assert tab.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", WIDTHS)
def test_every_table_and_figure_can_be_scrolled_into_sight(width, tab):
    """What is wider than the page lies in a region that scrolls and that the keyboard reaches."""
    tab.resize(width)
    cut = """[...document.querySelectorAll("table, img, pre")].filter((element) => {
        const region = element.closest("[tabindex='0']");
        const holds = region && ["auto", "scroll"].includes(getComputedStyle(region).overflowX);
        return !holds && element.getBoundingClientRect().right > innerWidth;
    }).length"""
    assert tab.evaluate(cut) == 0


def test_all_figures_are_drawn(tab):
    assert tab.evaluate("[...document.images].every((image) => image.naturalWidth > 0)")


def test_a_click_sorts_by_value_upwards_downwards_and_back(tab):
    heading = "#table_vocabulary ~ .scroll th:nth-child(3)"
    before = column(tab, 2)
    by_value = sorted(before, key=number_of)
    assert by_value != sorted(before) != before  # "1,004" comes after "128,000" by letters
    sorting = f"document.querySelector('{heading}').getAttribute('aria-sort')"
    seen = []
    for _ in range(3):
        tab.click(f"{heading} button")
        seen.append((tab.evaluate(sorting), column(tab, 2)))
    assert [order for order, _ in seen] == ["ascending", "descending", None]
    assert seen[0][1] == by_value
    assert list(map(number_of, seen[1][1])) == sorted(map(number_of, before), reverse=True)
    assert seen[2][1] == before


def test_the_keyboard_skips_to_the_tables_and_sorts_them(tab):
    tab.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the tables"
    assert tab.evaluate("document.activeElement.getBoundingClientRect().top >= 0")
    assert tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    tab.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "main"
    tab.evaluate("document.querySelector('#table_vocabulary a').focus()")
    tab.press("Tab")  # the region that scrolls
    tab.press("Tab")
    assert tab.evaluate(f"document.activeElement === {TABLE}.querySelector('button')")
    tab.press(" ")
    assert column(tab, 0) == sorted(column(tab, 0), key=str.casefold)
    assert tab.evaluate(f"{TABLE}.querySelector('th').getAttribute('aria-sort')") == "ascending"
    tab.press("Enter")
    assert tab.evaluate(f"{TABLE}.querySelector('th').getAttribute('aria-sort')") == "descending"


def test_every_link_leads_to_a_file_of_the_run(tab, page):
    links = tab.evaluate("[...document.links].map((link) => link.getAttribute('href'))")
    files = [link for link in links if not link.startswith("#")]
    assert {Path(link).suffix for link in files} == {".tsv", ".md", ".tex", ".pdf", ".svg", ".png"}
    assert [link for link in files if not (page.parent / link).is_file()] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_background(scheme, tab):
    tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    ink, paper, quiet = tab.evaluate("""[
        getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector(".about")).color]""")
    assert min(contrast(ink, paper), contrast(quiet, paper)) >= 4.5  # WCAG 2.2, 1.4.3


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours. contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") -> 21.0"""
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"[0-9]+", colour)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_paper_shows_the_tables_whole_and_no_controls(tab):
    tab.call("Emulation.setEmulatedMedia", media="print")
    shown = "getComputedStyle(document.querySelector('{}')).{}"
    assert tab.evaluate(shown.format("nav", "display")) == "none"
    assert tab.evaluate(shown.format(".scroll", "overflowX")) == "visible"
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert len(tab.call("Page.printToPDF", preferCSSPageSize=True)["data"]) > 10_000
