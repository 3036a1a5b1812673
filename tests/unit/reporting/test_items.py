"""The declarations of tables and figures."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from modtok import reporting
from modtok.reporting.items import ITEMS, Item, items


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS)
def test_every_item_has_the_function_of_its_name(item: Item) -> None:
    # The digest of an item's code (workflow/rules/options.smk) finds its module by the same ending.
    files = Path(reporting.__file__).parent.glob(f"*{item.kind}s.py")
    modules = [import_module(f"modtok.reporting.{file.stem}") for file in files]
    assert [callable(getattr(module, item.name)) for module in modules if hasattr(module, item.name)] == [
        True
    ]


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS)
def test_every_item_is_declared_whole(item: Item) -> None:
    assert item.name.startswith(f"{item.kind}_")
    assert all(path.startswith("results/") for path in item.inputs + item.outputs)
    assert item.caption.endswith(".")
    assert item.title
    assert item.cost


def test_a_caption_says_so_where_a_run_has_none_of_the_papers_languages() -> None:
    item = ITEMS["table_2"]
    assert item.shown(["en", "te"]) == ["te"]
    assert item.of_run(["en", "te"], beside=False).caption == item.caption
    said = "The run has none of the paper's languages (hr, ne, si, so, sw, te); all of its own are shown."
    assert item.of_run(["en", "fi"], beside=False).caption == f"{item.caption} {said}"
    assert item.shown(["en", "fi"]) == ["en", "fi"]
    assert ITEMS["table_11"].of_run(["en"]) == ITEMS["table_11"]


def test_a_caption_speaks_of_the_papers_figures_where_there_are_some() -> None:
    item = ITEMS["table_10"]
    assert item.beside.startswith("In parentheses the paper's figure")
    assert item.of_run(["en"]).caption == f"{item.caption} {item.beside}"
    assert item.of_run(["en"], beside=False).caption == item.caption


def test_items_of_a_kind_are_in_the_order_of_the_papers_numbers_and_then_as_declared() -> None:
    assert [item.name for item in items("figure")] == [
        "figure_1",
        "figure_2",
        "figure_3",
        "figure_fairness",
        "figure_growth",
        "figure_latency",
        "figure_training",
        "figure_schedule",
        "figure_routing",
        "figure_funnel",
    ]
    tables = [item.name for item in items("table", left_out=["summarization"])]
    assert tables[:9] == [
        "table_1",
        "table_1_full",
        "table_2",
        "table_3",
        "table_3_full",
        "table_5",
        "table_6",
        "table_7",
        "table_8",
    ]
    assert tables[9:14] == ["table_10", "table_11", "table_12", "table_15", "table_23"]
    assert tables[14] == "table_foreign"


def test_the_declarations_import_nothing_heavy() -> None:
    code = "import sys, modtok.reporting.items; print({'pandas', 'matplotlib', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
