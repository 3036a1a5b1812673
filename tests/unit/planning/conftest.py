"""A run of three languages to forecast."""

import pytest

from modtok.planning.workload import Parallel, Workload
from unit.planning.forecasts import TEXT, changed_config

CHANGES = {
    "languages": ["en", "fi", "el"],
    "tokenizers": {"budget": 24000, "joint_sizes": [64000]},
    "evaluation": {
        "combinations": {"orders": 2, "pairs": 1, "triples": 1, "quadruples": 0},
        "bootstrap": 1000,
    },
    "pretraining": {
        "model": "d=128,layers=2,heads=4,context=64",
        "tokens": 1_000_000,
        "batch": 16,
        "accumulation": 1,
    },
}


@pytest.fixture(scope="session")
def work(tmp_path_factory):
    config = changed_config(tmp_path_factory.mktemp("run"), CHANGES)
    langs = CHANGES["languages"]
    scripts = {"en": "Latn", "fi": "Latn", "el": "Grek"}
    return Workload(
        config,
        dict.fromkeys(langs, TEXT),
        parallel=dict.fromkeys(langs, Parallel(1000, 0.2)),
        scripts=scripts,
    )
