"""How many answers there will be to score, counted by hand."""

from dataclasses import replace

import pytest

from modtok.planning.drivers import drivers
from modtok.planning.questions import Documents, Questions
from modtok.planning.run import Job, merged
from modtok.planning.sample import Text
from modtok.planning.workload import Parallel, Workload
from unit.planning.forecasts import changed_config

LANGS = ["en", "fi"]
CHANGES = {
    "languages": LANGS,
    "tokenizers": {"joint_sizes": [3000]},
    "pretraining": {"tokenizers": ["sequential-bpe"], "regimes": ["baseline", "mono-only"], "seeds": 3},
    "evaluation": {
        "parallel": [{"name": "set", "path": "set"}],
        "translation": {"shots": 5, "lines": "all"},
        "routing": {"lines": 100},
        "bootstrap": 500,
    },
}


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    config = changed_config(tmp_path_factory.mktemp("run"), CHANGES)
    texts, parallel = dict.fromkeys(LANGS, Text()), dict.fromkeys(LANGS, Parallel(1000, 0.09))
    found = Workload(config, texts, parallel=parallel, scripts=dict.fromkeys(LANGS, "Latn"))
    return replace(
        found,
        questions={"fi": [Questions(300, 4, 90, 9), Questions(50, 2, 90, 9)]},
        documents={"en": Documents(20, 500)},
    )


# Three modular models answer in four ways, three joint ones in one.
@pytest.mark.parametrize(
    ("rule", "answers", "groups"),
    [
        ("score_likelihood", 2 * 1000 * 15, 2 * 15),
        ("score_multiple_choice", 350 * 15, 2 * 15),
        ("score_generation", (995 + 20) * 15, 2 * 15),
        ("score_routing", 2 * 100 * 4 * 3, 2 * 4 * 3),
        ("measure_compression", 0, 0),
    ],
)
def test_answers_of_all_models_are_counted(rule, answers, groups, work):
    found = drivers(Job(rule, {}), work)
    assert found["answers_k"] == pytest.approx(answers / 1000)
    assert found["resampled_k"] == pytest.approx(groups * 500 / 1000)


def test_a_run_without_models_scores_nothing(work):
    none = replace(work, config=merged(work.config, {"pretraining": {"regimes": []}}))
    assert drivers(Job("score_generation", {}), none)["answers_k"] == 0
