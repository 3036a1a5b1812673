"""The road from tokenizers to the page through the steps, as the rules call them."""

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models

from modtok.core.io import read_tsv
from modtok.steps import count_tokens, figure, import_open_tokenizer, measure_compression, page, table

LEDGER = "stage\tlanguage\toutcome\trecords\tbytes\n" + "".join(
    f"{stage}\t{language}\tkept\t2\t20\n"
    for stage, languages in {
        "read": "*", "extract": "*", "language_id": ("el", "en"), "select": ("el", "en"),
        "deduplicate": ("el", "en"), "deduplicate_paragraphs": ("el", "en"), "quality": ("el", "en"),
    }.items()
    for language in languages
)  # fmt: skip


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set").mkdir()
    Path("set/ell_Grek.devtest").write_text("αβ αβ\nβα\n")
    Path("set/eng_Latn.devtest").write_text("ab ab\nba\n")
    Path("ledger.tsv").write_text(LEDGER)
    Tokenizer(models.BPE(vocab={letter: rank for rank, letter in enumerate("ab αβ")}, merges=[])).save(
        "letters.json"
    )
    return tmp_path


CODES = {"el": "ell_Grek", "en": "eng_Latn"}
NAMES = ["mono-bpe-el", "mono-bpe-en", "joint-bpe-5", "open-letters"]


def measure(seed: int) -> None:
    import_open_tokenizer.main(["--source", "letters.json", "--out", "open-letters/tokenizer.json"])
    for name in NAMES:
        langs = [f"{lang}={code}" for lang, code in CODES.items() if name in (f"mono-bpe-{lang}", *NAMES[2:])]
        count_tokens.main([
            "--name", name, "--tokenizer", "open-letters/tokenizer.json", "--parallel", "set=set",
            "--langs", *langs,
            "--out", f"counts/{name}.parquet",
        ])  # fmt: skip
    measure_compression.main([
        "--token-counts", *(f"counts/{name}.parquet" for name in NAMES), "--parallel", "set=set",
        "--langs", *(f"{lang}={code}" for lang, code in CODES.items()),
        "--bootstrap", "20", "--seed", str(seed), "--out", "compression.tsv",
    ])  # fmt: skip


CONFIG = json.dumps(
    {"languages": ["el", "en"], "corpus": {"sources": [{"warc": "https://me:SECRET@host/a?SECRET"}]}}
)


def report() -> None:
    run = [
        "--langs", "el=Greek", "en=English", "--tokenizers", *NAMES, "--open-titles", "letters=Letters",
        "--dataset", "set", "--budget", "5",
    ]  # fmt: skip
    for step, item, source, suffixes in (
        (table, "table_1", "compression.tsv", ("tsv", "md", "tex")),
        (figure, "figure_fairness", "compression.tsv", ("pdf", "svg", "png")),
        (figure, "figure_funnel", "ledger.tsv", ("pdf", "svg", "png")),
    ):
        outputs = [option for suffix in suffixes for option in (f"--{suffix}", f"{item}.{suffix}")]
        step.main(["--item", item, "--inputs", source, *run, *outputs])
    page.main([
        "--tables", "table_1.tsv", "--figures", "figure_fairness.svg", "figure_funnel.svg",
        "--ledger", "ledger.tsv", "--versions-of", "compression.tsv",
        "--config", CONFIG,
        *run, "--out", "index.html",
    ])  # fmt: skip


def outputs(folder: Path) -> dict[str, bytes]:
    """Files by path. Provenance has times, and names what a process has loaded: all steps, in this test."""
    made = (
        path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(".provenance.json")
    )
    return {str(path): path.read_bytes() for path in made if path.name != "index.html"}


def test_the_steps_make_every_output_and_again_the_same(files: Path) -> None:
    measure(seed=1)
    report()
    first = outputs(files)
    assert read_tsv(Path("table_1.tsv")) == [
        {"model": "Letters", "size": "5", "el": "1.00", "el_paper": "", "en": "1.00", "en_paper": ""},
        {
            "model": "Joint BPE, 2 languages",
            "size": "5",
            "el": "1.00",
            "el_paper": "",
            "en": "1.00",
            "en_paper": "",
        },
    ]
    html = Path("index.html").read_text()
    assert "languages: [el, en]\n" in html
    assert "numpy" in html
    assert "https://host/a" in html
    assert "SECRET" not in html
    measure(seed=1)
    report()
    assert outputs(files) == first


def test_the_schema_of_the_method_needs_neither_files_nor_a_parallel_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = ["--langs", "el=Greek", "--tokenizers", "mono-bpe-el", "--open-titles", "--budget", "5"]
    files = [option for suffix in ("pdf", "svg", "png") for option in (f"--{suffix}", f"figure_3.{suffix}")]
    figure.main(["--item", "figure_3", "--inputs", *run, *files])
    assert "<!-- text in Greek -->" in Path("figure_3.svg").read_text()
    assert json.loads(Path("figure_3.svg.provenance.json").read_text())["inputs"] == {}


def test_provenance_says_what_made_the_metrics(files: Path) -> None:
    measure(seed=7)
    record = json.loads(Path("compression.tsv.provenance.json").read_text())
    assert record["seed"] == 7
    assert record["settings"]["bootstrap"] == 20
    assert sorted(record["settings"]["parallel"]) == ["set"]
    assert len(record["inputs"]) == 4


@pytest.mark.parametrize(
    "step", [count_tokens, figure, import_open_tokenizer, measure_compression, page, table]
)
def test_a_missing_option_is_a_usage_error(step: object, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        step.main([])  # type: ignore[attr-defined]
    assert stopped.value.code == 2
    assert "the following arguments are required" in capsys.readouterr().err
