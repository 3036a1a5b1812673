"""What a run is made from: the same on two machines that come to the same, else told apart."""

import json

import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.corpus.manifest import check_lock, manifest
from modtok.corpus.sources import Source

CRAWL = "https://data.commoncrawl.org/crawl-data/CC-MAIN-2024-51/segments/1/warc/CC-MAIN-1.warc.gz"
CONFIG = {
    "seed": 1,
    "languages": ["en", "fi"],
    "corpus": {
        "sources": [{"text": {"fi": "texts/fi.txt"}}],
        "shards": 2,
        "keep_downloads": False,
        "language_id": {"model": "lid.bin", "threshold": 0.2},
        "quality": {"positive": {"default": "texts/{lang}.txt"}},
    },
    "tokenizers": {"budget": 24000},
    "evaluation": {"parallel": [{"name": "flores", "path": "parallel"}]},
}
FILES = {"texts/fi.txt": "sana", "lid.bin": "model", "parallel/fin_Latn.devtest": "rivi"}
TEXT = Source(0, "text", "fi", "texts/fi.txt")
REMOTE = Source(1, "warc", "", CRAWL)


@pytest.fixture
def make(tmp_path):
    """Make a run folder with its files: make("name") -> folder."""

    def folder(name):
        run = tmp_path / name
        for path, content in FILES.items():
            (run / path).parent.mkdir(parents=True, exist_ok=True)
            (run / path).write_text(content)
        return run

    return folder


def changed(path, value):
    """The config with one value replaced."""
    config = json.loads(json.dumps(CONFIG))
    *outer, last = path.split(".")
    section = config
    for key in outer:
        section = section[key]
    section[last] = value
    return config


def test_two_machines_with_the_same_files_have_the_same_manifest(make):
    here, there = make("here"), make("elsewhere")
    (there / "lid.bin").rename(there / "copy.bin")
    (there / "parallel").rename(there / "flores")
    config = changed("corpus.language_id.model", "copy.bin")
    config["evaluation"]["parallel"][0]["path"] = "flores"
    config["corpus"] |= {"shards": 64, "keep_downloads": True}
    ours, theirs = manifest(CONFIG, [TEXT, REMOTE], here), manifest(config, [TEXT, REMOTE], there)
    assert ours["language_id"].pop("model") != theirs["language_id"].pop("model")
    assert ours == theirs
    assert str(here) not in json.dumps(ours)


def test_it_names_crawl_files_model_and_seed(make):
    found = manifest(CONFIG, [TEXT, REMOTE], make("run"))
    assert found["crawls"] == ["CC-MAIN-2024-51"]
    assert found["sources"]["files"] == 2
    assert found["sources"]["content"] is None  # not all of it is here
    assert found["language_id"]["model"] == "lid.bin"
    assert (found["seed"], found["settings"]["tokenizers"]) == (1, {"budget": 24000})


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("texts/fi.txt", "sources.content"),
        ("lid.bin", "language_id.digest"),
        ("parallel/fin_Latn.devtest", "settings.evaluation.parallel"),
    ],
)
def test_a_changed_file_is_a_difference(file, place, make, tmp_path):
    run, lock = make("run"), tmp_path / "lock.json"
    lock.write_text(json.dumps(manifest(CONFIG, [TEXT], run)))
    check_lock(lock, manifest(CONFIG, [TEXT], run))
    (run / file).write_text("other")
    with pytest.raises(ConfigError, match=rf"lock\.json: {place} is .* in the lock and "):
        check_lock(lock, manifest(CONFIG, [TEXT], run))


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("seed", 2, "seed is 1 in the lock and 2 in this run"),
        ("tokenizers.budget", 16000, "settings.tokenizers.budget is 24000 in the lock and 16000"),
        ("languages", ["en"], r'settings.languages is \["en", "fi"\] in the lock'),
    ],
)
def test_a_changed_setting_is_named(path, value, said, make, tmp_path):
    run, lock = make("run"), tmp_path / "lock.json"
    lock.write_text(json.dumps(manifest(CONFIG, [TEXT], run)))
    with pytest.raises(ConfigError, match=said):
        check_lock(lock, manifest(changed(path, value), [TEXT], run))


def test_of_another_run_its_likelihood_counts_and_nothing_else(make):
    run, other = make("run"), make("other")
    metrics = other / "results" / "metrics" / "likelihood.tsv"
    metrics.parent.mkdir(parents=True)
    metrics.write_text("model")
    config = changed("evaluation.other_runs", ["../other"])
    found = manifest(config, [TEXT], run)
    (other / "results" / "runtimes.tsv").write_text("another time")
    assert manifest(config, [TEXT], run) == found
    metrics.write_text("another model")
    assert manifest(config, [TEXT], run) != found


def test_another_list_of_paths_is_a_difference(make, tmp_path):
    run, lock = make("run"), tmp_path / "lock.json"
    lock.write_text(json.dumps(manifest(CONFIG, [REMOTE, TEXT], run)))
    with pytest.raises(ConfigError, match=r"sources\.names"):
        check_lock(lock, manifest(CONFIG, [TEXT, REMOTE], run))


def test_a_mirror_comes_to_the_same_as_the_crawl_itself(make, tmp_path):
    run, lock = make("run"), tmp_path / "lock.json"
    lock.write_text(json.dumps(manifest(CONFIG, [REMOTE], run)))
    mirrored = run / "CC-MAIN-2024-51" / "CC-MAIN-1.warc.gz"
    mirrored.parent.mkdir()
    mirrored.write_bytes(b"records")
    local = Source(1, "warc", "", str(mirrored.relative_to(run)))
    check_lock(lock, manifest(CONFIG, [local], run))


def test_a_lock_that_is_none_is_named(tmp_path):
    (tmp_path / "lock.json").write_text("{")
    with pytest.raises(DataError, match="not a manifest"):
        check_lock(tmp_path / "lock.json", {})
