"""Jobs as a dry run names them, and the config as Snakemake merges it."""

import pytest
import yaml

from modtok.core.errors import ConfigError
from modtok.planning.run import WORKFLOW, Job, complaint, list_jobs, parse_jobs, read_config

DRY_RUN = """Building DAG of jobs...
Job stats:
rule count: 3

[Mon Nov 30 13:26:36 2026]
localrule list_sources:
    output: results/corpus/sources/0000.tsv
    jobid: 4
    reason: Missing output files: results/corpus/sources/0000.tsv
    resources: tmpdir=<TBD>, mem_mb=1000, mem=1 GB, runtime=30

rule train_monolingual:
    input: results/corpus/word_counts/fi.parquet
    output: results/tokenizers/mono-bpe-fi/tokenizer.json
    jobid: 7
    wildcards: model=bpe, lang=fi
    threads: 8
    resources: tmpdir=<TBD>, mem_mb=<TBD>, runtime=<TBD>

localrule all:
    input: results/page/index.html
    jobid: 0
    resources: tmpdir=<TBD>
"""


def test_jobs_have_their_wildcards_memory_and_minutes():
    assert parse_jobs(DRY_RUN) == [
        Job("list_sources", {}, 1000, 30, local=True),
        Job("train_monolingual", {"model": "bpe", "lang": "fi"}, None),
    ]


def test_the_runs_config_comes_on_top_of_the_repositorys(tmp_path):
    for folder, text in (("repository", "a: {b: 1, c: [1, 2]}\nd: 3\n"), ("run", "a: {c: [4]}\n")):
        (tmp_path / folder / "config").mkdir(parents=True)
        (tmp_path / folder / "config" / "config.yaml").write_text(text)
    assert read_config(tmp_path / "run", tmp_path / "repository") == {"a": {"b": 1, "c": [4]}, "d": 3}


@pytest.mark.parametrize(("text", "said"), [("a: [", "not read"), ("5", "no mapping")])
def test_a_config_that_is_none_is_named(text, said, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text(text)
    with pytest.raises(ConfigError, match=said):
        read_config(tmp_path)


def test_a_folder_without_a_config_is_the_papers_run(tmp_path):
    assert read_config(tmp_path) == yaml.safe_load((WORKFLOW / "config" / "config.yaml").read_text())
    with pytest.raises(ConfigError, match="no such folder"):
        read_config(tmp_path / "misspelt")
    assert not (tmp_path / "misspelt").exists()


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ('WorkflowError in file "a.smk", line 41:\nno row for xx\n  File "a.smk", line 9\n', "no row for xx"),
        ("MissingInputException in rule all in file b:\nMissing input files\n", "Missing input files"),
        ("Killed\n", "Killed"),
        ("", "it says nothing"),
    ],
)  # fmt: skip
def test_what_snakemake_complains_of_is_one_line(output, said):
    assert complaint(output) == said


def test_jobs_of_a_group_and_what_a_profile_gives_them_are_seen():
    trained = "wildcards: trained=bpe+mono-only\n    output: b\n    resources: runtime=2880, processes=8"
    grouped = "    rule extract_shard:\n        output: a\n        wildcards: shard=0001\n    [Mon Nov 30]\n"
    output = f"Group job shards:\n\n{2 * grouped}rule pretrain:\n    {trained}, mem_mb=<TBD>\n"
    shard = Job("extract_shard", {"shard": "0001"})
    model = Job("pretrain", {"trained": "bpe+mono-only"}, None, minutes=2880, processes=8)
    assert parse_jobs(output) == [shard, shard, model]


def test_jobs_stand_after_what_they_need_and_else_by_name():
    def job(name, output, needs="given"):
        return f"rule {name}:\n    input: {needs}\n    output: {output}\n"

    table, late, early = job("table", "t.tsv", "b.tsv, given"), job("count", "b.tsv", "a"), job("list", "a")
    others = [job("check", "z"), job("figure", "f.svg")]
    said = ["".join(jobs) for jobs in ([table, late, early, *others], [*others[::-1], early, table, late])]
    assert parse_jobs(said[0]) == parse_jobs(said[1])
    assert [one.rule for one in parse_jobs(said[0])] == ["check", "figure", "list", "count", "table"]


def test_a_profile_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match="slurm: no such folder"):
        list_jobs(tmp_path, profile=tmp_path / "slurm")
