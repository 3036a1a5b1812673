"""From a model to its place in the metrics, through the steps as the rules call them."""

import json
from pathlib import Path

import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.core.io import read_tsv
from modtok.core.model_names import ModelName
from modtok.evaluation.generation_files import SUMMARIZATION, TRANSLATION
from modtok.evaluation.memory import forward_operations
from modtok.modelling.pretraining import Task, pretrain
from modtok.modelling.settings import Settings
from modtok.modelling.shuffled_text import write_shuffled
from modtok.reporting.frames import read_frame
from modtok.steps import (
    check_benchmarks,
    check_spbleu,
    evaluate_model,
    generation_tasks,
    score_generation,
    score_likelihood,
    score_multiple_choice,
    score_routing,
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


def make_tasks(folder: Path) -> None:
    (folder / "fi.jsonl").write_text('{"document": "Yksi kaksi.", "summary": "Yksi."}\n')
    settings = {
        "translation": {"shots": 1, "lines": "all"},
        "summarization": {"name": "wiki", "shots": 0, "lines": 1, "limit": 20},
    }
    generation_tasks.main([
        "--parallel", f"set={folder / 'set'}", "--langs", *(f"{lang}={code}" for lang, code in CODES.items()),
        "--names", "en=English", "fi=Finnish", "--documents", f"fi={folder / 'fi.jsonl'}",
        "--settings", json.dumps(settings), "--out", str(folder / "tasks.jsonl"),
    ])  # fmt: skip


MONO, SAMPLED = "sequential-bpe+mono-only", "sequential-bpe+samp-full+seed2"
LABELS = ("--labels", "en=en", "fi=fi,et")
OPTIONS = {
    "likelihood": [],
    "multiple_choice": ["--benchmarks", "{folder}/benchmarks.tsv"],
    "generation": LABELS,
    "routing": ["--sure", "0.7", "--unsure", "0.3"],
}
STEPS = {
    "likelihood": score_likelihood,
    "multiple_choice": score_multiple_choice,
    "generation": score_generation,
    "routing": score_routing,
}


def ask(folder: Path, name: str, out: Path, tokenizer: str = "sequential-bpe") -> None:
    """Let a model answer, in a folder like results/."""
    evaluate_model.main([
        "--model", str(folder / name), "--tokenizer", str(folder / tokenizer),
        "--parallel", f"set={folder / 'set'}", "--langs", *(f"{lang}={code}" for lang, code in CODES.items()),
        "--benchmarks", str(folder / "benchmarks.tsv"), "--tasks", str(folder / "tasks.jsonl"), *LABELS,
        "--routing", json.dumps({"candidates": 2, "lines": 2}),
        "--out", str(out / "answers"), "--generations", str(out / f"generations/{name}.jsonl"),
    ])  # fmt: skip


def answered(kind: str, name: str) -> str:
    """The file of a model's answers."""
    return f"generations/{name}.jsonl" if kind == "generation" else f"answers/{kind}/{name}.parquet"


def score(
    folder: Path, kind: str, out: Path, *names: str, others: tuple[Path, ...] = ()
) -> list[dict[str, str]]:
    """Rows of a kind's table of models that have answered."""
    options = [option.format(folder=folder) for option in OPTIONS[kind]]
    if kind == "likelihood":
        logs = [str(folder / name / "train_log.tsv") for name in names]
        options += ["--logs", *logs, "--others", *map(str, others), "--training", str(out / "training.tsv")]
    STEPS[kind].main([
        "--models", *(str(folder / name / "config.json") for name in names),
        "--answers", *(str(out / answered(kind, name)) for name in names),
        "--bootstrap", "20", "--seed", "1", "--out", str(out / f"{kind}.tsv"), *options,
    ])  # fmt: skip
    return read_tsv(out / f"{kind}.tsv")


@pytest.fixture(scope="module")
def results(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What both models have answered."""
    out = tmp_path_factory.mktemp("results")
    for name in (MONO, SAMPLED):
        ask(folder, name, out)
    return out


def test_a_model_answers_again_the_same(folder: Path, results: Path, tmp_path: Path) -> None:
    ask(folder, SAMPLED, tmp_path)
    for kind in STEPS:
        file = answered(kind, SAMPLED)
        assert (results / file).read_bytes() == (tmp_path / file).read_bytes()
        record = json.loads((results / f"{file}.provenance.json").read_text())
        assert record["seed"] is None
        assert "model.safetensors" in record["inputs"]


def test_answers_are_scored_and_again_the_same(folder: Path, results: Path) -> None:
    rows = score(folder, "likelihood", results, SAMPLED)
    kinds = {(row["metric"], row["inference"]) for row in rows}
    assert ("bits_per_byte", "en-lang-union") in kinds
    assert ("bits_per_byte_continued", "full-lang") in kinds
    for row in rows:
        assert (row["regime"], row["repeat"], row["training_tokens"]) == ("samp-full", "2", "300")
    record = json.loads((results / "likelihood.tsv.provenance.json").read_text())
    assert (record["seed"], record["settings"]["bootstrap"]) == (1, 20)
    assert score(folder, "likelihood", results, SAMPLED) == rows


def test_what_a_model_has_written_is_scored_and_kept(folder: Path, results: Path) -> None:
    rows = score(folder, "generation", results, MONO)
    counts = {
        (row["task"], row["dataset"], row["lang"]): row["n"] for row in rows if row["metric"] == "empty"
    }
    assert counts[TRANSLATION, "set", "fi"] == "3"
    assert counts[SUMMARIZATION, "wiki", "fi"] == "1"
    kept = [json.loads(line) for line in (results / answered("generation", MONO)).read_text().splitlines()]
    assert [(row["task"], row["line"]) for row in kept] == [
        *((TRANSLATION, line) for line in (1, 2, 3)),
        (SUMMARIZATION, 0),
    ]
    assert kept[0]["read"].startswith("English: ") and kept[0]["read"].endswith("\nFinnish:")


def test_prompts_are_routed(folder: Path, results: Path) -> None:
    rows = score(folder, "routing", results, MONO)
    values = {(row["inference"], row["threshold"], row["lang"], row["metric"]): row for row in rows}
    assert values["oracle", "", "fi", "relative_cost"]["value"] == "1.0"
    assert values["routed", "", "fi", "to_one"]["n"] == "2"
    assert values["one-full", "0.5", "all", "relative_cost"]["unit"] == "ratio"


@pytest.mark.parametrize("kind", STEPS)
def test_metrics_of_all_models_stand_in_one_table(folder: Path, results: Path, kind: str) -> None:
    alone = [score(folder, kind, results, name) for name in (MONO, SAMPLED)]
    assert score(folder, kind, results, MONO, SAMPLED) == [*alone[0], *alone[1]]
    columns = list(alone[0][0])
    assert score(folder, kind, results) == []
    assert list(read_frame(results / f"{kind}.tsv").columns) == columns


def test_a_sentencepiece_model_that_is_not_there_is_told_before_models_are_trained(tmp_path: Path) -> None:
    asked = ["--sha256", "0" * 64, "--out", str(tmp_path / "spbleu.tsv")]
    with pytest.raises(ConfigError, match=r"absent: no such file; mend evaluation\.translation\.spbleu"):
        check_spbleu.main(["--model", "absent", *asked])


def test_questions_are_asked_and_the_list_of_them_counts_them(folder: Path, results: Path) -> None:
    rows = score(folder, "multiple_choice", results, MONO)
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
        ask(folder, MONO, tmp_path)
    (folder / "benchmarks.tsv").write_text(listed)


def test_what_training_costs_follows_from_its_log(folder: Path, results: Path) -> None:
    rows = score(folder, "likelihood", results, MONO)
    (row,) = [row for row in rows if row["metric"] == "training_operations"]
    log = read_tsv(folder / MONO / "train_log.tsv")
    assert len(log) == 3
    steps = [4 * forward_operations(SETTINGS.shape, int(step["active_rows"]), 32) for step in log]
    assert float(row["value"]) == 3 * sum(steps)


def test_metrics_of_this_run_and_of_others_are_joined(folder: Path, results: Path, tmp_path: Path) -> None:
    rows = score(folder, "likelihood", results, SAMPLED)
    theirs = tmp_path / "longer/results/metrics/likelihood.tsv"
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes((results / "likelihood.tsv").read_bytes())
    own = score(folder, "likelihood", results, MONO, others=(tmp_path / "longer",))
    joined = read_tsv(results / "training.tsv")
    assert joined == [row | {"run": ""} for row in own] + [row | {"run": "longer"} for row in rows]
    with pytest.raises(DataError, match=r"likelihood.tsv: not there; make table_likelihood in .*nowhere"):
        score(folder, "likelihood", results, MONO, others=(tmp_path / "nowhere",))


def test_a_model_of_another_tokenizer_is_told(folder: Path, tmp_path: Path) -> None:
    other = SequentialBPE.empty("bytes", "whitespace")
    count_files([folder / "set/eng_Latn.devtest"], "whitespace", tmp_path / "counts.parquet")
    other.add("en", read_counts([tmp_path / "counts.parquet"]), TokenizerSettings(270))
    other.write(folder / "other")
    with pytest.raises(
        DataError, match="not the tokenizer that the model was trained with; name sequential-bpe"
    ):
        ask(folder, MONO, tmp_path, "other")
