"""What a step draws: frequencies, and that it follows from seed and step alone."""

from collections import Counter

import pytest

from modtok.core.errors import ConfigError
from modtok.core.model_names import Regime
from modtok.modelling.regimes import Plan

SHARES = {"en": 0.7, "fi": 0.2, "fr": 0.1}
STEPS = 4000


def draws(regime, shares=SHARES, steps=STEPS, seed=1):
    plan = Plan(Regime(regime), shares, steps, seed)
    return [plan.draw(step) for step in range(steps)]


def test_languages_come_by_their_shares():
    counts = Counter(draw.lang for draw in draws("mono-only"))
    assert {lang: count / STEPS for lang, count in counts.items()} == pytest.approx(SHARES, abs=0.025)


def test_subtokenizers_of_each_regime():
    assert {draw.langs for draw in draws("baseline")} == {None}
    assert all(draw.langs == (draw.lang,) for draw in draws("mono-only"))
    full = draws("samp-full")
    assert {draw.langs for draw in full} == {None, ("en",), ("fi",), ("fr",)}
    assert sum(draw.langs is None for draw in full) / STEPS == pytest.approx(0.5, abs=0.03)
    assert full[0].subtokenizer in ("full", full[0].lang)


def test_unions_hold_the_language_and_others_by_their_shares():
    united = [draw for draw in draws("samp-sub1") if draw.langs != (draw.lang,)]
    assert len(united) / STEPS == pytest.approx(0.5, abs=0.03)
    assert all(len(draw.langs) == 2 and draw.lang in draw.langs for draw in united)
    with_french = [draw.langs for draw in united if draw.lang == "fr"]
    assert with_french.count(("en", "fr")) / len(with_french) == pytest.approx(0.7 / 0.9, abs=0.1)
    assert {draw.langs for draw in draws("samp-sub2")} == {("en",), ("fi",), ("fr",), ("en", "fi", "fr")}


def test_late_regimes_are_mono_only_and_then_sample():
    late, plain = draws("late60-full"), draws("samp-full")
    start = round(0.6 * STEPS)
    assert all(draw.langs == (draw.lang,) for draw in late[:start])
    assert late[start:] == plain[start:]


def test_a_draw_depends_on_seed_and_step_alone():
    plan = Plan(Regime("samp-sub1"), SHARES, STEPS, 1)
    assert [plan.draw(step) for step in (999, 3, 999)] == [draws("samp-sub1")[step] for step in (999, 3, 999)]
    assert [draw.lang for draw in draws("samp-sub1")] == [draw.lang for draw in draws("baseline")]
    assert draws("samp-sub1")[:100] == draws("samp-sub1", steps=100)
    assert draws("samp-sub1", seed=2) != draws("samp-sub1")


def test_earlier_counts_the_steps_in_the_same_language():
    seen = Counter()
    for draw in draws("mono-only", steps=200):
        assert draw.earlier == seen[draw.lang]
        seen[draw.lang] += 1


def test_a_language_without_a_share_is_never_drawn():
    assert {draw.lang for draw in draws("samp-sub1", {"en": 0.9, "fi": 0.1, "fr": 0.0})} == {"en", "fi"}


def test_plans_that_cannot_be_followed_are_refused():
    with pytest.raises(ConfigError, match="samp-sub3: it draws 3 other languages, the run has 2"):
        draws("samp-sub3")
    with pytest.raises(ConfigError, match="no language has a share"):
        draws("mono-only", {"en": 0.0})
