"""Settings: steps, learning rates, and what is refused."""

from dataclasses import asdict

import pytest

from modtok.core.errors import ConfigError
from modtok.modelling.settings import settings_of
from unit.modelling.conftest import SETTINGS

GIVEN = asdict(SETTINGS)


def test_steps_cover_the_tokens():
    assert settings_of(GIVEN | {"tokens": 1}).steps == 1
    assert settings_of(GIVEN | {"tokens": 4 * 32 * 7}).steps == 7
    assert settings_of(GIVEN | {"tokens": 4 * 32 * 7 + 1}).steps == 8


def test_what_is_none_is_as_good_as_absent():
    assert SETTINGS.offload is None
    assert "offload" not in SETTINGS.to_json()
    assert settings_of(SETTINGS.to_json()) == SETTINGS
    assert settings_of(GIVEN | {"offload": 1}).to_json() == SETTINGS.to_json() | {"offload": 1}


def test_the_learning_rate_rises_and_falls():
    settings = settings_of(
        GIVEN | {"tokens": 4 * 32 * 100, "learning_rate": 2.0, "warmup": 0.1, "final": 0.25}
    )
    rates = [settings.learning_rate_at(step) for step in range(100)]
    assert rates[:3] == pytest.approx([0.2, 0.4, 0.6])
    assert max(rates) == rates[9] == rates[10] == 2.0
    assert rates[55] == pytest.approx(0.25 * 2 + 0.75 * 2 / 2)
    assert rates[-1] == pytest.approx(0.5, abs=0.01)
    assert rates[10:] == sorted(rates[10:], reverse=True)


def test_without_warm_up_it_begins_at_the_highest():
    assert settings_of(GIVEN | {"warmup": 0.0}).learning_rate_at(0) == SETTINGS.learning_rate


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"clip": None}, "clip is missing or unknown"),
        ({"strange": 1}, "strange is missing or unknown"),
        ({"accumulation": 3}, "a batch of 4 is not divided by accumulation 3"),
        ({"rows": "some"}, "rows is some"),
        ({"model": "6B"}, "no model '6B'"),
        ({"model": "d=9,layers=1,heads=3"}, "heads of .* are 3 wide"),
    ],
)
def test_settings_that_fit_no_model_are_refused(change, message):
    with pytest.raises(ConfigError, match=message):
        settings_of(GIVEN | change)
