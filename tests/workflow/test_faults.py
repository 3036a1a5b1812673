"""The fault campaign in short; `make stress` runs it in full, and `test_same_bytes` has the kills."""

import pytest

from workflow.faults import NEEDS_ROOT, Place, concurrent_runs, full_disk, read_only_inputs
from workflow.poison import cut_warcs, poison_pages
from workflow.runs import SMALL, copy

pytestmark = pytest.mark.slow


@pytest.fixture
def place(workflow, inputs, finished, tmp_path):
    """Runs of the corpora only, compared with those of the finished run."""
    corpora = tmp_path / "corpora" / "results"
    corpora.mkdir(parents=True)
    for name in ("corpus", "manifest.json"):
        copy(finished / "results" / name, corpora / name)
    (corpora / "corpus" / "word_counts").rename(tmp_path / "word_counts")  # which the target lacks
    return Place(workflow, inputs, corpora.parent, SMALL, tmp_path / "faults", target="corpora")


def passed(outcome):
    if outcome.skipped:
        assert outcome.skipped == NEEDS_ROOT
        pytest.skip(outcome.skipped)
    print(outcome)
    assert (outcome.lost, outcome.attempts > 0) == (0, True), outcome


def test_poisoned_pages_are_kept_or_dropped_for_a_reason(tmp_path):
    passed(poison_pages(tmp_path, 50))


def test_a_file_cut_anywhere_in_its_last_record_loses_nothing_before_it(tmp_path):
    passed(cut_warcs(tmp_path))


def test_a_run_on_a_full_disk_goes_on_once_there_is_room(place):
    passed(full_disk(place, [0.5]))


def test_inputs_may_be_read_only(place):
    passed(read_only_inputs(place))


def test_two_runs_at_once_are_each_as_one_alone(place):
    passed(concurrent_runs(place, 2))
