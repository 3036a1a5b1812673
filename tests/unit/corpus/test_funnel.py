"""The run's ledger adds up from stage to stage, or we have lost records ourselves."""

import pytest

from modtok.core.errors import ConfigError
from modtok.corpus.funnel import run_ledger
from modtok.corpus.ledger import Ledger

LABELS = {"el": ["el"], "hr": ["hr", "sh"]}


def write(path, rows):
    ledger = Ledger()
    for stage, language, outcome, records in rows:
        ledger.add(stage, language, outcome, records=records, size_bytes=10 * records)
    ledger.write(path)
    return path


@pytest.fixture
def fragments(tmp_path):
    shard_0 = [
        ("read", "*", "kept", 6), ("read", "*", "not_html", 1), ("read", "el", "kept", 1),
        ("extract", "*", "kept", 5), ("extract", "*", "timeout", 1), ("extract", "el", "kept", 1),
        ("language_id", "el", "kept", 2), ("language_id", "sh", "kept", 2),
        ("language_id", "ja", "kept", 1), ("language_id", "ja", "low_score", 1),
    ]  # fmt: skip
    shard_1 = [("read", "*", "kept", 1), ("extract", "*", "kept", 1), ("language_id", "hr", "kept", 1)]
    return {
        "shard-1": write(tmp_path / "shard-1.tsv", shard_1),
        "shard-0": write(tmp_path / "shard-0.tsv", shard_0),
        "quality-el": write(tmp_path / "quality-el.tsv", [("quality", "el", "kept", 1)]),
        "quality-hr": write(tmp_path / "quality-hr.tsv", [("quality", "hr", "kept", 3)]),
        "deduplicate-el": write(
            tmp_path / "deduplicate-el.tsv",
            [
                ("deduplicate", "el", "duplicate", 1),
                ("deduplicate", "el", "kept", 1),
                ("deduplicate_paragraphs", "el", "duplicate", 4),
                ("deduplicate_paragraphs", "el", "kept", 9),
            ],
        ),
        "deduplicate-hr": write(tmp_path / "deduplicate-hr.tsv", [("deduplicate", "hr", "kept", 3)]),
    }


def test_the_sum_of_all_jobs_with_the_selection_added(fragments):
    ledger = run_ledger(fragments.values(), LABELS)
    assert [row[:4] for row in ledger] == [
        ("read", "*", "kept", 7),
        ("read", "*", "not_html", 1),
        ("read", "el", "kept", 1),
        ("extract", "*", "kept", 6),
        ("extract", "*", "timeout", 1),
        ("extract", "el", "kept", 1),
        ("language_id", "el", "kept", 2),
        ("language_id", "hr", "kept", 1),
        ("language_id", "ja", "kept", 1),
        ("language_id", "ja", "low_score", 1),
        ("language_id", "sh", "kept", 2),
        ("select", "el", "kept", 2),
        ("select", "hr", "kept", 1),
        ("select", "ja", "not_configured", 1),
        ("select", "sh", "kept", 2),
        ("deduplicate", "el", "duplicate", 1),
        ("deduplicate", "el", "kept", 1),
        ("deduplicate", "hr", "kept", 3),
        ("deduplicate_paragraphs", "el", "duplicate", 4),
        ("deduplicate_paragraphs", "el", "kept", 9),
        ("quality", "el", "kept", 1),
        ("quality", "hr", "kept", 3),
    ]


def test_the_order_of_the_jobs_does_not_matter(fragments, tmp_path):
    paths = list(fragments.values())
    run_ledger(paths, LABELS).write(tmp_path / "a.tsv")
    run_ledger(reversed(paths), LABELS).write(tmp_path / "b.tsv")
    assert (tmp_path / "a.tsv").read_bytes() == (tmp_path / "b.tsv").read_bytes()


@pytest.mark.parametrize(
    ("job", "row", "message"),
    [
        ("shard-1", ("extract", "*", "timeout", 1), "read kept 8 records, extract took in 9"),
        ("shard-1", ("language_id", "ja", "low_score", 1), "extract kept 7 records, language_id took in 8"),
        (
            "deduplicate-hr",
            ("deduplicate", "hr", "duplicate", 1),
            "select kept 3 records, deduplicate of hr took in 4",
        ),
        (
            "quality-el",
            ("quality", "el", "low_quality", 1),
            "deduplicate kept 1 records, quality of el took in 2",
        ),
    ],
)
def test_a_record_too_many_is_our_own_fault(fragments, job, row, message):
    with fragments[job].open("a") as file:
        file.write("\t".join(map(str, (*row, 0))) + "\n")
    with pytest.raises(AssertionError, match=message):
        run_ledger(fragments.values(), LABELS)


def test_a_label_of_two_languages_is_an_error(fragments):
    with pytest.raises(ConfigError, match="label 'sh' counts as 'hr' and as 'sr'"):
        run_ledger(fragments.values(), {**LABELS, "sr": ["sr", "sh"]})
