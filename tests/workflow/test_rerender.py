"""One table again: what it costs beyond Snakemake's own start; and Snakemake's own report of a run."""

import re
import resource

import pytest

from modtok.reporting.items import ITEMS
from workflow.runs import snakemake

pytestmark = pytest.mark.slow

WORK_S = 5
"Processor seconds that a table may cost; on an idle machine they are the seconds one waits."


def processor_seconds(workflow, run, *targets: str) -> float:
    """What Snakemake and all its jobs use."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = snakemake(workflow, run, "--cores", "1", *targets)
    assert ended.returncode == 0, ended.stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_a_table_is_made_again_in_seconds(own):
    workflow, run = own
    start = processor_seconds(workflow, run, "table_7")
    (run / "results" / "tables" / "table_7.tex").unlink()
    whole = processor_seconds(workflow, run, "table_7")
    print(f"table_7 again: {whole - start:.1f} s of work beyond the {start:.1f} s of Snakemake's start")
    assert (run / "results" / "tables" / "table_7.tex").exists()
    assert whole - start < WORK_S


def test_snakemakes_report_holds_every_table_and_figure_with_its_caption(own):
    workflow, run = own
    ended = snakemake(workflow, run, "--report", "report.html")
    assert ended.returncode == 0, ended.stdout
    report = (run / "report.html").read_text()
    shown = set(re.findall(r'"results/(?:tables|figures)/(\w+)\.(?:md|svg)"', report))
    made = [*run.glob("results/tables/*.md"), *run.glob("results/figures/*.svg")]
    assert shown == {path.stem for path in made}
    for name in shown:
        assert f"N {name}</tt>" in report
        assert ITEMS[name].caption[:20] in report
    assert re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="https?:', report) == []
