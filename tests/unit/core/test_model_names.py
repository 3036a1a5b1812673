"""Names of models and their parts."""

import pytest

from modtok.core.errors import ConfigError
from modtok.core.model_names import ModelName, Regime, model_names


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("sequential-bpe+samp-sub2", ("sequential-bpe", "samp-sub2", 1)),
        ("joint-unigram-384000+baseline+seed12", ("joint-unigram-384000", "baseline", 12)),
    ],
)
def test_a_name_and_its_parts(name, parts):
    assert ModelName.parse(name) == ModelName(*parts)
    assert str(ModelName(*parts)) == name


@pytest.mark.parametrize(
    "name", ["sequential-bpe", "+mono-only", "x+", "x+y+seed1", "x+y+seed", "x+y+2", "x+y+seed2+seed3"]
)
def test_other_texts_are_refused(name):
    with pytest.raises(ConfigError, match="is not TOKENIZER"):
        ModelName.parse(name)


def test_the_models_of_a_run():
    names = model_names(["merged-unigram", "sequential-bpe"], ["baseline", "samp-full"], 4000, 2)
    assert names == [
        "joint-unigram-4000+baseline",
        "joint-unigram-4000+baseline+seed2",
        "merged-unigram+samp-full",
        "merged-unigram+samp-full+seed2",
        "joint-bpe-4000+baseline",
        "joint-bpe-4000+baseline+seed2",
        "sequential-bpe+samp-full",
        "sequential-bpe+samp-full+seed2",
    ]


@pytest.mark.parametrize(
    ("name", "start", "sampled", "others"),
    [
        ("baseline", 0, None, None),
        ("mono-only", 0, None, None),
        ("samp-full", 0, "full", None),
        ("samp-sub2", 0, "sub2", 2),
        ("late60-full", 0.6, "full", None),
        ("late85-sub10", 0.85, "sub10", 10),
    ],
)
def test_names_say_what_a_regime_is(name, start, sampled, others):
    regime = Regime(name)
    assert (regime.start, regime.sampled, regime.others) == (start, sampled, others)


@pytest.mark.parametrize(
    "name", ["", "mono", "samp-sub", "samp-sub0", "late101-full", "late-full", "Samp-full"]
)
def test_names_of_no_regime_are_refused(name):
    with pytest.raises(ConfigError, match="no regime"):
        Regime(name)
