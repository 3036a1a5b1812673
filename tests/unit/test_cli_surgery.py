"""`modtok surgery`, as a person types it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from modtok.cli import app
from modtok.core.errors import ConfigError, UserError

RUSSIAN = ["слова", "слово", "языка", "режутся", "больше", "нигде"]
THAI = ["ภาษาไทย", "ภาษา", "ระดับ", "เสียง"]
UKRAINIAN = ["їжак", "їжака", "їжаки", "лісі", "жовтий", "живе"]
ENGLISH = ["the", "words", "language", "nowhere"]
SCRIPTS = ["--target-script", "Cyrillic", "--delete-scripts", "Thai", "--keep-scripts", "Latin"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with counts and a tokenizer that knows Russian, Thai and English."""
    monkeypatch.chdir(tmp_path)
    words = {"all": RUSSIAN + THAI + ENGLISH, "uk": UKRAINIAN, "en": ENGLISH, "ru": RUSSIAN}
    for name, listed in words.items():
        Path(f"{name}.tsv").write_text(
            "".join(f" {word}\t{9 - place % 5}\n" for place, word in enumerate(listed))
        )
    run(
        "train",
        "bpe",
        "--counts",
        "x=all.tsv",
        "--budget",
        "330",
        "--pretokenization",
        "gpt2",
        "--out",
        "old",
    )
    return tmp_path


def run(*options: str) -> Result:
    return CliRunner().invoke(app, options, catch_exceptions=False)


def surgery(*options: str, slots: str = "max") -> Result:
    return run("surgery", "old", *SCRIPTS, "--slots", slots, *options)


def test_a_folder_is_written_and_what_was_done_is_said(folder: Path) -> None:
    Path("uk.txt").write_text("їжак живе у лісі\n")
    result = surgery("--counts", "uk.tsv", "--text", "uk=uk.txt", "--out", "new", "--format", "json")
    rows = {(row["section"], row["name"]): row for row in json.loads(result.stdout)}
    assert rows["text", "uk"]["after"] < rows["text", "uk"]["before"]
    assert rows["audit", "newly broken"]["after"] == 0
    old, new = (json.loads(Path(name, "tokenizer.json").read_text()) for name in ("old", "new"))
    assert {**new, "model": None} == {**old, "model": None}
    assert sorted(new["model"]["vocab"].values()) == sorted(old["model"]["vocab"].values())
    assert Path("new/tokenizer_config.json").read_bytes() == Path("old/tokenizer_config.json").read_bytes()
    changes = json.loads(Path("new/changes.json").read_text())
    assert len(changes["inserted"]) == rows["rows", "inserted"]["after"]
    record = json.loads(Path("new/tokenizer.json.provenance.json").read_text())
    assert sorted(record["inputs"]) == ["tokenizer.json", "uk.tsv"]


def test_a_donor_is_recorded_and_what_an_older_tokenizer_left_is_not(folder: Path) -> None:
    Path("new").mkdir()
    for name in ("modules.json", "full_ids.npy", "letter.txt"):
        Path("new", name).write_text("of another tokenizer")
    Path("old/modules.json").write_text("{}")
    counts = ["--counts", "x=uk.tsv", "--alphabet", "characters"]
    run("train", "bpe", *counts, "--budget", "285", "--out", "donor")
    surgery("--donor", "donor", "--out", "new")
    assert {path.name for path in Path("new").iterdir()} == {
        "changes.json",
        "letter.txt",
        "tokenizer.json",
        "tokenizer.json.provenance.json",
        "tokenizer_config.json",
    }
    record = json.loads(Path("new/tokenizer.json.provenance.json").read_text())
    assert sorted(record["inputs"]) == ["donor/tokenizer.json", "old/tokenizer.json"]


def test_the_same_request_gives_the_same_bytes(folder: Path) -> None:
    for out in ("once", "again"):
        surgery("--counts", "uk.tsv", "--out", out)
    for name in ("tokenizer.json", "changes.json"):
        assert Path("once", name).read_bytes() == Path("again", name).read_bytes()


def test_a_dry_run_writes_nothing(folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    result = surgery("--counts", "uk.tsv", "--spare", "ru=ru.tsv", "--dry-run", "--format", "tsv")
    assert result.stdout.startswith("section\tname\tbefore\tafter\tchange\tcandidates\tdeleted\n")
    assert "words\tru\t" in result.stdout
    assert sorted(folder.rglob("*")) == before


def test_a_model_gets_new_rows(folder: Path) -> None:
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_file, save_file

    rows = max(json.loads(Path("old/tokenizer.json").read_text())["model"]["vocab"].values()) + 1
    Path("model").mkdir()
    Path("model/config.json").write_text("{}")
    save_file({"model.embed_tokens.weight": torch.randn(rows, 4)}, "model/model.safetensors")
    surgery("--counts", "uk.tsv", "--model", "model", "--out", "new")
    old, new = (
        load_file(f"{name}/model.safetensors")["model.embed_tokens.weight"] for name in ("model", "new")
    )
    inserted = {row["id"]: row for row in json.loads(Path("new/changes.json").read_text())["inserted"]}
    for number in range(rows):
        same = torch.equal(old[number], new[number])
        expected = old[inserted[number]["was"]].mean(0) if number in inserted else old[number]
        assert torch.allclose(new[number], expected)
        assert same or number in inserted
    assert Path("new/config.json").read_text() == "{}"
    record = json.loads(Path("new/tokenizer.json.provenance.json").read_text())
    assert sorted(record["inputs"]) == ["model.safetensors", "tokenizer.json", "uk.tsv"]
    Path("new/changes.json").unlink()
    with pytest.raises(ConfigError, match="new: holds other weights, such as"):
        surgery("--counts", "uk.tsv", "--out", "new")
    assert Path("new/tokenizer.json").exists()


def test_a_model_of_another_tokenizer_is_refused_before_anything_is_done(folder: Path) -> None:
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file

    Path("model").mkdir()
    save_file({"model.embed_tokens.weight": torch.zeros(9, 4)}, "model/model.safetensors")
    with pytest.raises(UserError, match="has 9 rows, and the tokenizer the id"):
        surgery("--counts", "en.tsv", "--model", "model", "--out", "new")
    assert not Path("new").exists()


def test_a_language_of_a_script_to_keep(folder: Path) -> None:
    options = ["--target-script", "Cyrillic", "--keep-counts", "ru=ru.tsv", "--slots", "4", "--dry-run"]
    result = run("surgery", "old", "--counts", "uk.tsv", *options, "--format", "json")
    rows = {(row["section"], row["name"]): row for row in json.loads(result.stdout)}
    assert rows["rows", "inserted"]["after"] == 4
    assert rows["words", "target"]["after"] < rows["words", "target"]["before"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--counts", "uk.tsv"], "--out: name a folder"),
        (["--dry-run"], "either --counts, to train a donor, or --donor"),
        (["--counts", "uk.tsv", "--donor", "old", "--dry-run"], "either --counts"),
        (["--counts", "en.tsv", "--dry-run"], "no character of Cyrillic"),
        (["--counts", "uk.tsv", "--out", "old"], "old: holds what is read"),
        (["--counts", "uk.tsv", "--out", "new", "--model", "old"], r"old: no \.safetensors"),
    ],
)
def test_what_cannot_be_done_is_said(folder: Path, options: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        surgery(*options)
    assert not Path("new").exists()


@pytest.mark.parametrize(
    ("slots", "said"),
    [
        ("many", "neither a number nor `max`"),
        ("0", "at least 1"),
        ("1", "rows hold a character of Cyrillic and go first"),
        ("9999", r"only \d+ rows can go"),
    ],
)
def test_slots_that_cannot_be_are_refused(folder: Path, slots: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        surgery("--counts", "uk.tsv", "--dry-run", slots=slots)
