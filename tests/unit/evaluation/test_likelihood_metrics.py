"""Bits per byte of a small model, through the file of its answers, against scores one by one."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from modtok.core.io import read_tsv, write_tsv
from modtok.core.metrics import write_metrics
from modtok.core.model_names import ModelName
from modtok.evaluation.answers import LIKELIHOOD, read_answers, write_answers
from modtok.evaluation.inference_tokenizers import halved
from modtok.evaluation.likelihood import Scorer, Text
from modtok.evaluation.likelihood_answers import ask_likelihood
from modtok.evaluation.likelihood_metrics import likelihood_metrics, training_metric, write_training
from modtok.evaluation.memory import forward_operations
from modtok.evaluation.model_metrics import ModelMetric, Trained

LANGS = ("en", "fi")
LINES = {"en": ["The dog ran home.", "One two", "word"], "fi": ["Koira juoksi kotiin.", "Yksi kaksi", "sana"]}


@pytest.fixture(scope="module")
def model(random_model):
    return random_model(64, 7)


def metrics_of(name, model, tokenizer, folder, **options):
    """The metrics by name, inference tokenizer and language."""
    file = folder / f"{name}.parquet"
    write_answers(file, LIKELIHOOD, ask_likelihood(model, tokenizer, {"set": LINES}, LANGS))
    trained = Trained(name, model.architecture, model.about["settings"])
    found = likelihood_metrics(trained, read_answers(file, LIKELIHOOD), **options)
    return {(one.metric, one.inference, one.lang): one for one in found}


@pytest.fixture(scope="module")
def metrics(model, modular, tmp_path_factory):
    name = ModelName("sequential-bpe", "samp-sub1", 2)
    return metrics_of(name, model, modular, tmp_path_factory.mktemp("answers"), resamples=20, seed=1)


def bits(model, tokenizer, langs, lang):
    """-log2 probability of each line's tokens, cut whole."""
    used = tokenizer.of(langs)
    texts = [Text(used.ids_S[ids]) for ids in used.tokenizer.encode_batch(LINES[lang])]
    scores = Scorer(model, torch.from_numpy(tokenizer.ids(langs))).score(texts)
    return sum(one.nats.sum() for one in scores) / math.log(2)


@pytest.mark.parametrize("lang", LANGS)
def test_bits_per_byte_are_those_of_whole_lines(model, modular, metrics, lang) -> None:
    size = sum(len(line.encode()) for line in LINES[lang])
    for inference, langs in (("lang", (lang,)), ("full", None), ("en-lang-union", ("en", lang))):
        langs = langs and tuple(dict.fromkeys(langs))
        expected = bits(model, modular, langs, lang) / size
        one = metrics["bits_per_byte", inference, lang]
        assert one.value == pytest.approx(expected, rel=1e-5)
        assert one.vocabulary_size == len(modular.ids(langs))
        assert one.low <= one.value <= one.high
        assert (one.unit, one.n, one.dataset, one.repeat) == ("bits/byte", 3, "set", 2)


def test_full_lang_predicts_the_second_half_in_the_languages_own_tokens(model, modular, metrics) -> None:
    full, own = modular.of(None), modular.of(("fi",))
    texts, size = [], 0
    for line in LINES["fi"]:
        begun, ended = halved(line)
        read = full.tokenizer.encode_batch([begun])[0]
        predicted = own.ids_S[own.tokenizer.encode_batch([ended])[0]]
        texts.append(Text([*read, *predicted], len(read)))
        size += len(ended.encode())
    scores = Scorer(model, torch.from_numpy(modular.ids(("fi",)))).score(texts)
    expected = sum(one.nats.sum() for one in scores) / math.log(2) / size
    one = metrics["bits_per_byte_continued", "full-lang", "fi"]
    assert one.value == pytest.approx(expected, rel=1e-5)
    assert one.tokenizer == "sequential-bpe+fi"
    assert ("bits_per_byte", "full-lang", "fi") not in metrics


def test_foreign_mass_is_that_outside_of_the_languages_set(model, modular, metrics) -> None:
    full, members = modular.of(None), torch.from_numpy(modular.ids(("fi",)))
    texts = [Text(ids) for ids in full.tokenizer.encode_batch(LINES["fi"])]
    scores = Scorer(model, torch.arange(modular.size), members).score(texts)
    outside = np.concatenate([one.outside for one in scores])
    assert 0 < metrics["foreign_mass", "full", "fi"].value == pytest.approx(outside.mean(), rel=1e-5)
    assert {inference for metric, inference, _ in metrics if metric == "foreign_mass"} == {"full"}


def test_means_are_over_languages(metrics) -> None:
    for metric, inference, lang in metrics:
        if lang == "all":
            values = [metrics[metric, inference, one].value for one in LANGS]
            assert metrics[metric, inference, lang].value == pytest.approx(np.mean(values))
            assert metrics[metric, inference, lang].n == 2


def test_a_tokenizer_without_languages_has_the_full_vocabulary_alone(model, joint, metrics, tmp_path) -> None:
    found = metrics_of(ModelName("joint-bpe-500", "baseline"), model, joint, tmp_path)
    assert {(metric, inference) for metric, inference, _ in found} == {
        ("bits_per_byte", "full"),
        ("bits_per_byte_continued", "full"),
    }
    key = ("bits_per_byte", "full", "fi")
    assert found[key].value == pytest.approx(metrics[key].value)


def test_english_is_its_own_union_with_english(metrics) -> None:
    for metric in ("bits_per_byte", "bits_per_byte_continued"):
        union, own = (metrics[metric, inference, "en"] for inference in ("en-lang-union", "lang"))
        assert union == replace(own, inference="en-lang-union")


def test_training_costs_three_passes_of_the_active_rows(model) -> None:
    name = ModelName("sequential-bpe", "mono-only")
    trained = Trained(name, model.architecture, model.about["settings"] | {"batch": 4})
    found = training_metric(trained, [{"active_rows": "100"}, {"active_rows": "250"}])
    shape = model.architecture.shape
    assert found.value == 3 * sum(4 * forward_operations(shape, rows, 64) for rows in (100, 250))
    assert (found.lang, found.inference, found.training_tokens) == ("all", "", 500)


def test_tables_of_other_runs_stand_below_by_their_names(metrics, tmp_path) -> None:
    own, theirs, out = (tmp_path / name for name in ("own.tsv", "theirs.tsv", "out.tsv"))
    write_metrics(own, metrics.values(), ModelMetric)
    rows = read_tsv(own)
    write_tsv(theirs, list(rows[0]), rows[:3])
    write_training(out, [("", own), ("longer", theirs), ("longer", theirs)])
    assert read_tsv(out) == [row | {"run": ""} for row in rows] + 2 * [
        row | {"run": "longer"} for row in rows[:3]
    ]
