"""From a model to its place in the metrics, through the steps as the rules call them."""

import json
from pathlib import Path

import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.core.io import read_tsv
from modtok.core.metrics import write_metrics
from modtok.core.model_names import ModelName
from modtok.evaluation.generation import SUMMARIZATION, TRANSLATION
from modtok.evaluation.kinds import KINDS
from modtok.evaluation.memory import forward_operations
from modtok.evaluation.model_metrics import ModelMetric
from modtok.modelling.pretraining import Task, pretrain
from modtok.modelling.settings import Settings
from modtok.modelling.shuffled_text import write_shuffled
from modtok.reporting.frames import read_frame
from modtok.steps import (
    check_benchmarks,
    collect_evaluations,
    collect_likelihood,
    evaluate_model,
    generation_tasks,
)
from modtok.tokenization.bpe_training import Settings as TokenizerSettings
from modtok.tokenization.sequential_bpe import SequentialBPE
from modtok.tokenization.word_count_files import read_counts
from modtok.tokenization.word_counts import count_files
from small_tokenizers import train_sequential

pytest.importorskip("sacrebleu")
pytest.importorskip("rouge_score")

CODES = {"en": "eng_Latn", "fi": "fin_Latn"}
SETTINGS = Settings(
    model="d=16,layers=1,heads=2,hidden=32,context=32", tied=False, tokens=300, batch=4, accumulation=1,
    learning_rate=0.01, warmup=0.1, final=0.1, beta1=0.9, beta2=0.95, epsilon=1e-8, weight_decay=0.1,
    clip=1.0, rows="lazy", max_logits=100_000, compile=False,
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tokenizer, a parallel set, and two models."""
    folder, smoke = tmp_path_factory.mktemp("run"), repository / "tests/smoke"
    train_sequential(folder / "sequential-bpe", CODES, TokenizerSettings(300))
    for lang, code in CODES.items():
        write_shuffled(smoke / f"text/{lang}.txt", folder / f"{lang}.bin", seed=5)
        (folder / "set").mkdir(exist_ok=True)
        lines = (smoke / f"parallel/{code}.devtest").read_text().splitlines()[:4]
        (folder / f"set/{code}.devtest").write_text("\n".join(lines) + "\n")
    texts = {lang: folder / f"{lang}.bin" for lang in CODES}
    for name in (ModelName("sequential-bpe", "mono-only"), ModelName("sequential-bpe", "samp-full", 2)):
        task = Task(
            folder / "sequential-bpe", name.regime, texts, {"en": 0.5, "fi": 0.5}, SETTINGS, 1, name.repeat
        )
        pretrain(task, folder / str(name))
    make_tasks(folder)
    make_benchmarks(folder)
    return folder


def make_benchmarks(folder: Path) -> None:
    """Two questions in each language, without shots."""
    rows = [{"ctx": f"{word} and {word}", "endings": ["go", "is"], "label": 1} for word in ("One", "Two")]
    (folder / "h.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    entry = {"task": "hellaswag", "path": str(folder / "h.jsonl"), "shots_path": "", "lines": "all"}
    entries = json.dumps([entry | {"lang": lang} for lang in CODES])
    check_benchmarks.main(["--benchmarks", entries, "--out", str(folder / "benchmarks.tsv")])


def make_tasks(folder: Path, **translation: object) -> None:
    (folder / "fi.jsonl").write_text('{"document": "Yksi kaksi.", "summary": "Yksi."}\n')
    settings = {
        "translation": {"shots": 1, "lines": "all", "spbleu": None} | translation,
        "summarization": {"name": "wiki", "shots": 0, "lines": 1, "limit": 20},
    }
    generation_tasks.main([
        "--parallel", f"set={folder / 'set'}", "--langs", *(f"{lang}={code}" for lang, code in CODES.items()),
        "--names", "en=English", "fi=Finnish", "--documents", f"fi={folder / 'fi.jsonl'}",
        "--settings", json.dumps(settings), "--out", str(folder / "tasks.jsonl"),
    ])  # fmt: skip


def measure(folder: Path, name: str, out: Path, tokenizer: str = "sequential-bpe") -> list[dict[str, str]]:
    routing = {"sure": 0.7, "unsure": 0.3, "candidates": 2, "lines": 2}
    evaluate_model.main([
        "--model", str(folder / name), "--tokenizer", str(folder / tokenizer),
        "--parallel", f"set={folder / 'set'}", "--langs", *(f"{lang}={code}" for lang, code in CODES.items()),
        "--benchmarks", str(folder / "benchmarks.tsv"), "--tasks", str(folder / "tasks.jsonl"),
        "--labels", "en=en", "fi=fi,et",
        "--settings", json.dumps({"spbleu": None, "routing": routing}),
        "--bootstrap", "20", "--seed", "1", "--out", str(out), "--generations", str(out / "written.jsonl"),
    ])  # fmt: skip
    return read_tsv(out / f"likelihood/{name}.tsv")


def test_a_model_is_measured_and_again_the_same(folder: Path, tmp_path: Path) -> None:
    name = "sequential-bpe+samp-full+seed2"
    rows = measure(folder, name, tmp_path / "one")
    measure(folder, name, tmp_path / "two")
    for file in ("written.jsonl", *(f"{kind}/{name}.tsv" for kind in KINDS)):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    kinds = {(row["metric"], row["inference"]) for row in rows}
    assert ("bits_per_byte", "en-lang-union") in kinds
    assert ("bits_per_byte_continued", "full-lang") in kinds
    for row in rows:
        assert (row["regime"], row["repeat"], row["training_tokens"]) == ("samp-full", "2", "300")
    record = json.loads((tmp_path / f"one/likelihood/{name}.tsv.provenance.json").read_text())
    assert (record["seed"], record["settings"]["bootstrap"]) == (1, 20)


def test_what_a_model_has_written_is_measured_and_kept(folder: Path, tmp_path: Path) -> None:
    name = "sequential-bpe+mono-only"
    measure(folder, name, tmp_path)
    rows = read_tsv(tmp_path / f"generation/{name}.tsv")
    counts = {
        (row["task"], row["dataset"], row["lang"]): row["n"] for row in rows if row["metric"] == "empty"
    }
    assert counts[TRANSLATION, "set", "fi"] == "3"
    assert counts[SUMMARIZATION, "wiki", "fi"] == "1"
    kept = [json.loads(line) for line in (tmp_path / "written.jsonl").read_text().splitlines()]
    assert [(row["task"], row["line"]) for row in kept] == [
        *((TRANSLATION, line) for line in (1, 2, 3)),
        (SUMMARIZATION, 0),
    ]
    assert kept[0]["read"].startswith("English: ") and kept[0]["read"].endswith("\nFinnish:")


def test_prompts_are_routed(folder: Path, tmp_path: Path) -> None:
    name = "sequential-bpe+mono-only"
    measure(folder, name, tmp_path)
    rows = read_tsv(tmp_path / f"routing/{name}.tsv")
    values = {(row["inference"], row["threshold"], row["lang"], row["metric"]): row for row in rows}
    assert values["oracle", "", "fi", "relative_cost"]["value"] == "1.0"
    assert values["routed", "", "fi", "to_one"]["n"] == "2"
    assert values["one-full", "0.5", "all", "relative_cost"]["unit"] == "ratio"


def test_metrics_of_all_models_stand_in_one_table(folder: Path, tmp_path: Path) -> None:
    names = ("sequential-bpe+mono-only", "sequential-bpe+samp-full+seed2")
    for name in names:
        measure(folder, name, tmp_path)
    files = [tmp_path / f"routing/{name}.tsv" for name in names]
    collect_evaluations.main(["--models", *map(str, files), "--out", str(tmp_path / "routing.tsv")])
    assert read_tsv(tmp_path / "routing.tsv") == [row for file in files for row in read_tsv(file)]
    collect_evaluations.main(["--out", str(tmp_path / "none.tsv")])
    assert read_tsv(tmp_path / "none.tsv") == []


def test_metrics_of_models_that_were_asked_nothing_keep_their_columns(tmp_path: Path) -> None:
    asked, nothing = tmp_path / "asked.tsv", tmp_path / "nothing.tsv"
    for file in (asked, nothing):
        write_metrics(file, [], ModelMetric)
    collect_evaluations.main(["--models", str(asked), str(nothing), "--out", str(tmp_path / "all.tsv")])
    assert (tmp_path / "all.tsv").read_bytes() == asked.read_bytes()
    assert "dataset" in read_frame(tmp_path / "all.tsv").columns


def test_a_sentencepiece_model_that_is_not_there_is_told_before_models_are_trained(folder: Path) -> None:
    settings = {"translation": {"shots": 1, "lines": "all", "spbleu": {"path": "x", "sha256": "0" * 64}}}
    with pytest.raises(ConfigError, match=r"absent: no such file; mend evaluation\.translation\.spbleu"):
        generation_tasks.main([
            "--parallel", f"set={folder / 'set'}", "--langs", "en=eng_Latn", "--names", "en=English",
            "--settings", json.dumps(settings | {"summarization": {}}), "--spbleu", "absent", "--out", "-",
        ])  # fmt: skip


def test_questions_are_asked_and_the_list_of_them_counts_them(folder: Path, tmp_path: Path) -> None:
    name = "sequential-bpe+mono-only"
    measure(folder, name, tmp_path)
    rows = read_tsv(tmp_path / f"multiple_choice/{name}.tsv")
    asked = [row for row in rows if row["metric"] == "accuracy" and row["lang"] == "fi"]
    assert {row["dataset"] for row in asked} == {"hellaswag", "mcq"}
    assert {row["n"] for row in asked} == {"2"}
    listed = read_tsv(folder / "benchmarks.tsv")
    assert [(row["lang"], row["items"], row["chance"]) for row in listed] == [
        ("en", "2", "0.5"),
        ("fi", "2", "0.5"),
    ]


def test_questions_that_have_changed_since_they_were_listed_are_refused(folder: Path, tmp_path: Path) -> None:
    listed = (folder / "benchmarks.tsv").read_text()
    (folder / "benchmarks.tsv").write_text(
        listed.replace(read_tsv(folder / "benchmarks.tsv")[0]["sha256"], "0")
    )
    with pytest.raises(DataError, match=r"h.jsonl: its content has changed since check_benchmarks"):
        measure(folder, "sequential-bpe+mono-only", tmp_path)
    (folder / "benchmarks.tsv").write_text(listed)


def test_what_training_costs_follows_from_its_log(folder: Path, tmp_path: Path) -> None:
    rows = measure(folder, "sequential-bpe+mono-only", tmp_path)
    (row,) = [row for row in rows if row["metric"] == "training_operations"]
    log = read_tsv(folder / "sequential-bpe+mono-only/train_log.tsv")
    assert len(log) == 3
    steps = [4 * forward_operations(SETTINGS.shape, int(step["active_rows"]), 32) for step in log]
    assert float(row["value"]) == 3 * sum(steps)


def test_metrics_of_this_run_and_of_others_are_joined(folder: Path, tmp_path: Path) -> None:
    rows = measure(folder, "sequential-bpe+mono-only", tmp_path)
    own = tmp_path / "likelihood/sequential-bpe+mono-only.tsv"
    theirs = tmp_path / "longer/results/metrics/likelihood.tsv"
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(own.read_bytes())
    outputs = ["--out", str(tmp_path / "all.tsv"), "--training", str(tmp_path / "training.tsv")]
    collect_likelihood.main(["--models", str(own), "--others", str(tmp_path / "longer"), *outputs])
    assert read_tsv(tmp_path / "all.tsv") == rows
    joined = read_tsv(tmp_path / "training.tsv")
    assert [row["run"] for row in joined] == [""] * len(rows) + ["longer"] * len(rows)
    with pytest.raises(DataError, match=r"likelihood.tsv: not there; make table_likelihood in .*nowhere"):
        collect_likelihood.main(["--models", str(own), "--others", str(tmp_path / "nowhere"), *outputs])


def test_a_run_without_models_has_tables_without_rows(tmp_path: Path) -> None:
    collect_likelihood.main(["--out", str(tmp_path / "a.tsv"), "--training", str(tmp_path / "b.tsv")])
    assert read_tsv(tmp_path / "a.tsv") == []
    assert (tmp_path / "a.tsv").read_text().startswith("tokenizer\tvocabulary_size\tlang\tdataset\tmetric")


def test_a_model_of_another_tokenizer_is_told(folder: Path, tmp_path: Path) -> None:
    other = SequentialBPE.empty("bytes", "whitespace")
    count_files([folder / "set/eng_Latn.devtest"], "whitespace", tmp_path / "counts.parquet")
    other.add("en", read_counts([tmp_path / "counts.parquet"]), TokenizerSettings(270))
    other.write(folder / "other")
    with pytest.raises(
        DataError, match="not the tokenizer that the model was trained with; name sequential-bpe"
    ):
        measure(folder, "sequential-bpe+mono-only", tmp_path, "other")
