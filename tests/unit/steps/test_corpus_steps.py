"""The corpus steps after the shards, from the command line to the files, one after the other."""

import json
import os
import random
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from modtok.core.errors import DataError
from modtok.core.io import read_tsv, write_parquet
from modtok.corpus.documents import DEDUPLICATED
from modtok.corpus.ledger import Ledger
from modtok.steps import check_quality_texts, deduplicate, filter_quality, ledger, mixture, train_quality

PROSE = "the river carried silt to the delta where farmers grew rice and wheat in the wet season"
SPAM = "buy cheap hose now click here best price discount coupon free shipping sale"


def text(words, seed):
    generator = random.Random(seed)
    return (
        "\n".join(" ".join(generator.choices(words.split(), k=12)) for _ in range(3))
        + "\nRepeated on every page"
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run folder with two shards, their ledgers and positive text."""
    folder = tmp_path_factory.mktemp("run")
    for shard in (0, 1):
        rows = [
            {
                "record_id": f"<{shard}-{index}>", "url": "", "warc": "a.warc.gz",
                "source": shard, "offset": index, "language": "en", "language_score": 0.9,
                "text": text(SPAM if index % 2 else PROSE, seed=100 * shard + index),
            }
            for index in range(40)
        ]  # fmt: skip
        write_parquet(folder / f"{shard}.parquet", pa.Table.from_pylist(rows, schema=DEDUPLICATED))
        counts = Ledger()
        for stage, language in (("read", "*"), ("extract", "*"), ("language_id", "en")):
            counts.add(stage, language, "kept", records=40)
        counts.write(folder / f"extract-{shard}.tsv")
    (folder / "books.txt").write_text("\n\n".join(text(PROSE, 1000 + index) for index in range(30)))
    return folder


def deduplicate_options(run, out):
    return [
        "--shards", str(run / "0.parquet"), str(run / "1.parquet"), "--lang", "en", "--labels", "en",
        "--scope", "language", "--near-threshold", "0.9", "--near-permutations", "64", "--seed", "1",
        "--memory-mb", "16", "--out", str(out), "--ledger", str(out.with_suffix(".tsv")),
    ]  # fmt: skip


def test_from_shards_to_the_run_ledger(run):
    deduplicated, model, documents = run / "deduplicated.parquet", run / "en.bin", run / "documents.parquet"
    deduplicate.main(deduplicate_options(run, deduplicated))
    train_quality.main(
        ["--lang", "en", "--positive", str(run / "boo*.txt"), "--documents", str(deduplicated), "--seed", "1",
         "--out-model", str(model), "--out-report", str(run / "report.tsv")]
    )  # fmt: skip
    filter_quality.main(
        ["--lang", "en", "--documents", str(deduplicated), "--model", str(model), "--threshold", "0.3",
         "--out", str(documents), "--ledger", str(run / "quality.tsv")]
    )  # fmt: skip
    mixture.main(
        [
            "--langs",
            "en",
            "--ledgers",
            str(run / "quality.tsv"),
            "--shares",
            "en=1",
            "--out",
            str(run / "mixture.tsv"),
        ]
    )
    fragments = ["extract-0.tsv", "extract-1.tsv", "deduplicated.tsv", "quality.tsv"]
    ledger.main(
        [
            "--fragments",
            *(str(run / name) for name in fragments),
            "--labels",
            "en=en",
            "--out",
            str(run / "ledger.tsv"),
        ]
    )
    kept = pq.read_table(documents)["text"].to_pylist()
    assert 0 < len(kept) < 80
    assert sum("Repeated" in document for document in kept) <= 1
    rows = read_tsv(run / "ledger.tsv")
    assert [row["stage"] for row in rows][:4] == ["read", "extract", "language_id", "select"]
    assert rows[-1] == {
        **rows[-1],
        "stage": "quality",
        "outcome": "low_quality",
        "records": str(80 - len(kept)),
    }
    assert read_tsv(run / "mixture.tsv")[0]["documents"] == str(len(kept))
    assert json.loads((run / "deduplicated.parquet.provenance.json").read_text())["seed"] == 1
    assert {row["metric"] for row in read_tsv(run / "report.tsv")} == {
        "precision",
        "recall",
        "training_documents",
    }


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_bytes_do_not_depend_on_the_hash_seed_of_python(run, tmp_path, hash_seed):
    here = deduplicate_options(run, tmp_path / "here.parquet")
    deduplicate.main(here)
    there = deduplicate_options(run, tmp_path / "there.parquet")
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    subprocess.run([sys.executable, "-m", "modtok.steps.deduplicate", *there], check=True, env=environment)
    for suffix in (".parquet", ".tsv"):
        assert (tmp_path / f"here{suffix}").read_bytes() == (tmp_path / f"there{suffix}").read_bytes()


def test_a_language_without_text_ends_the_step_with_one_line_and_code_1(run, tmp_path):
    options = deduplicate_options(run, tmp_path / "so.parquet")
    options[options.index("--lang") + 1] = "so"
    options[options.index("--labels") + 1] = "so"
    ended = subprocess.run(
        [sys.executable, "-m", "modtok.steps.deduplicate", *options], capture_output=True, text=True
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: deduplicate: no text in 'so' (language-ID label so) in 2 shards;")
    assert ended.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def check_quality(run, lang, positive, out):
    check_quality_texts.main(["--lang", lang, "--positive", str(run / positive), "--out", str(out)])


def test_the_texts_of_a_quality_classifier_are_listed(run, tmp_path):
    check_quality(run, "en", "boo*.txt", tmp_path / "texts.tsv")
    size = (run / "books.txt").stat().st_size
    listed = {"kind": "positive", "file": str(run / "books.txt"), "bytes": str(size)}
    assert read_tsv(tmp_path / "texts.tsv") == [listed]


@pytest.mark.parametrize(
    ("positive", "said"),
    [
        ("absent.txt", "no file matches .*absent.txt for 'en'"),
        ("four.txt", "4 documents for 'en' in .*four.txt"),
    ],
)
def test_too_few_texts_for_a_quality_classifier_are_named(positive, said, run, tmp_path):
    (run / "four.txt").write_text("one\n\ntwo\n\nthree\n\n\n\nfour")
    with pytest.raises(DataError, match=f"quality: {said}.*corpus.quality.enabled: false"):
        check_quality(run, "en", positive, tmp_path / "texts.tsv")
    assert not (tmp_path / "texts.tsv").exists()
