"""From a model to its place in the metrics, through the steps as the rules call them."""

import json
from pathlib import Path

import pytest

from modtok.core.errors import DataError
from modtok.core.io import read_tsv
from modtok.core.model_names import ModelName
from modtok.evaluation.memory import forward_operations
from modtok.modelling.pretraining import Task, pretrain
from modtok.modelling.settings import Settings
from modtok.modelling.shuffled_text import write_shuffled
from modtok.steps import collect_likelihood, evaluate_model
from modtok.tokenization.bpe_training import Settings as TokenizerSettings
from modtok.tokenization.sequential_bpe import SequentialBPE
from modtok.tokenization.word_count_files import read_counts
from modtok.tokenization.word_counts import count_files

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
    sequential = SequentialBPE.empty("bytes", "whitespace")
    for lang, code in CODES.items():
        count_files([smoke / f"text/{lang}.txt"], "whitespace", folder / "counts.parquet")
        sequential.add(lang, read_counts([folder / "counts.parquet"]), TokenizerSettings(300))
        write_shuffled(smoke / f"text/{lang}.txt", folder / f"{lang}.bin", seed=5)
        (folder / "set").mkdir(exist_ok=True)
        lines = (smoke / f"parallel/{code}.devtest").read_text().splitlines()[:4]
        (folder / f"set/{code}.devtest").write_text("\n".join(lines) + "\n")
    sequential.write(folder / "sequential-bpe")
    texts = {lang: folder / f"{lang}.bin" for lang in CODES}
    for name in (ModelName("sequential-bpe", "mono-only"), ModelName("sequential-bpe", "samp-full", 2)):
        task = Task(
            folder / "sequential-bpe", name.regime, texts, {"en": 0.5, "fi": 0.5}, SETTINGS, 1, name.repeat
        )
        pretrain(task, folder / str(name))
    return folder


def measure(folder: Path, name: str, out: Path, tokenizer: str = "sequential-bpe") -> list[dict[str, str]]:
    evaluate_model.main([
        "--model", str(folder / name), "--tokenizer", str(folder / tokenizer),
        "--parallel", f"set={folder / 'set'}", "--langs", *(f"{lang}={code}" for lang, code in CODES.items()),
        "--bootstrap", "20", "--seed", "1", "--out", str(out),
    ])  # fmt: skip
    return read_tsv(out / f"likelihood/{name}.tsv")


def test_a_model_is_measured_and_again_the_same(folder: Path, tmp_path: Path) -> None:
    name = "sequential-bpe+samp-full+seed2"
    rows = measure(folder, name, tmp_path / "one")
    measure(folder, name, tmp_path / "two")
    one, two = (tmp_path / f"{out}/likelihood/{name}.tsv" for out in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    kinds = {(row["metric"], row["inference"]) for row in rows}
    assert ("bits_per_byte", "en-lang-union") in kinds
    assert ("bits_per_byte_continued", "full-lang") in kinds
    for row in rows:
        assert (row["regime"], row["repeat"], row["training_tokens"]) == ("samp-full", "2", "300")
    record = json.loads(one.with_name(f"{name}.tsv.provenance.json").read_text())
    assert (record["seed"], record["settings"]["bootstrap"]) == (1, 20)


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
