"""Scores of texts against transformers' logits, and metrics of a small model against scores one by one."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import LlamaForCausalLM

from modtok.core.model_names import ModelName
from modtok.core.model_shapes import ModelShape
from modtok.evaluation.likelihood import Scorer, Text
from modtok.evaluation.likelihood_metrics import halved, likelihood_metrics
from modtok.modelling.architecture import BEGIN, Architecture
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import Model, read_model
from modtok.tokenization.bpe_training import Settings
from small_models import SHARP, write_drawn
from small_tokenizers import train_sequential

CONTEXT = 12


def write_random(folder, size: int, about: dict) -> Model:
    architecture = Architecture(ModelShape(16, 2, 2, 1, 24, CONTEXT), size, tied=False)
    return read_model(write_drawn(folder, architecture, 7, SHARP, about))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A random model over 60 tokens, and transformers' of the same weights."""
    folder = tmp_path_factory.mktemp("model")
    return write_random(folder, 60, {}), LlamaForCausalLM.from_pretrained(folder)


def log_probabilities(theirs, ids, active):
    """Of each token after the first, log-softmax over the active ones."""
    with torch.no_grad():
        logits = theirs(torch.tensor([ids[:-1]])).logits[0]
    return logits[:, active].double().log_softmax(1)


def test_scores_are_those_of_the_logits(model) -> None:
    ours, theirs = model
    active, members = torch.tensor([1, 2, 5, 9, 20, 40, 59]), torch.tensor([1, 9, 40])
    texts = [Text([5, 9, 59]), Text([40]), Text([]), Text([20, 20, 2, 5, 9])]
    found = Scorer(ours, active, members).score(texts)
    for text, scores in zip(texts, found, strict=True):
        assert len(scores.nats) == len(scores.outside) == len(text.ids)
        if text.ids:
            logs = log_probabilities(theirs, [BEGIN, *text.ids], active)
            places = torch.searchsorted(active, torch.tensor(text.ids))
            assert scores.nats == pytest.approx(-logs.gather(1, places[:, None])[:, 0].numpy(), rel=1e-4)
            inside = logs.exp()[:, torch.isin(active, members)].sum(1)
            assert scores.outside == pytest.approx(1 - inside.numpy(), abs=1e-5)


def test_what_is_only_read_may_be_any_token_and_has_no_score(model) -> None:
    ours, theirs = model
    active = torch.tensor([1, 2, 5])
    (scores,) = Scorer(ours, active).score([Text([30, 31, 5, 2], scored=2)])
    logs = log_probabilities(theirs, [BEGIN, 30, 31, 5, 2], active)
    assert scores.nats == pytest.approx([-float(logs[2, 2]), -float(logs[3, 1])], rel=1e-4)
    assert scores.outside.tolist() == [0, 0]


@pytest.mark.parametrize("length", [CONTEXT - 1, CONTEXT, CONTEXT + 1, 2 * CONTEXT, 5 * CONTEXT + 3])
@pytest.mark.parametrize("scored", [0, 10, CONTEXT])
def test_a_long_text_is_read_in_windows_that_overlap_by_half(model, length, scored) -> None:
    ours, theirs = model
    every = torch.arange(60)
    ids = torch.randint(4, 60, (length,), generator=torch.Generator().manual_seed(length)).tolist()
    (scores,) = Scorer(ours, every).score([Text(ids, scored)])
    marked, half = [BEGIN, *ids], CONTEXT // 2
    expected = []
    for place in range(1 + scored, length + 1):
        start = 0 if place <= CONTEXT else half * math.ceil((place - CONTEXT) / half)
        logs = log_probabilities(theirs, marked[start : place + 1], every)
        expected.append(-float(logs[-1, marked[place]]))
        assert place - start >= min(place, half)
    assert scores.nats == pytest.approx(expected, rel=1e-4)


def test_scores_do_not_depend_on_what_is_scored_together(model) -> None:
    ours, _ = model
    texts = [Text(list(range(4, 4 + number % 30))) for number in range(40)]
    scorer = Scorer(ours, torch.arange(60), torch.arange(30))
    for text, together in zip(texts, scorer.score(texts), strict=True):
        (alone,) = scorer.score([text])
        assert together.nats == pytest.approx(alone.nats, rel=1e-5)
        assert together.outside == pytest.approx(alone.outside, abs=1e-5)


# --- metrics ---

LANGS = ("en", "fi")
LINES = {"en": ["The dog ran home.", "One two", "word"], "fi": ["Koira juoksi kotiin.", "Yksi kaksi", "sana"]}


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokenizer")
    return Subtokenizers(train_sequential(folder, LANGS, Settings(350)))


@pytest.fixture(scope="module")
def measured(tokenizer, tmp_path_factory):
    """The model, and its metrics by name, inference tokenizer and language."""
    folder = tmp_path_factory.mktemp("trained")
    model = write_random(folder, tokenizer.size, {"settings": {"tokens": 500}})
    name = ModelName("sequential-bpe", "samp-sub1", 2)
    metrics = likelihood_metrics(name, model, tokenizer, {"set": LINES}, LANGS, resamples=20, seed=1)
    return model, {(one.metric, one.inference, one.lang): one for one in metrics}


def bits(model, tokenizer, langs, lang, chosen=None):
    """-log2 probability of each line's tokens, cut whole."""
    used = tokenizer.of(langs)
    texts = [Text(used.ids_S[ids]) for ids in used.tokenizer.encode_batch(LINES[lang])]
    scores = Scorer(model, torch.from_numpy(tokenizer.ids(langs))).score(texts)
    return sum(one.nats.sum() for one in scores) / math.log(2)


@pytest.mark.parametrize("lang", LANGS)
def test_bits_per_byte_are_those_of_whole_lines(tokenizer, measured, lang) -> None:
    model, metrics = measured
    size = sum(len(line.encode()) for line in LINES[lang])
    for inference, langs in (("lang", (lang,)), ("full", None), ("en-lang-union", ("en", lang))):
        langs = langs and tuple(dict.fromkeys(langs))
        expected = bits(model, tokenizer, langs, lang) / size
        one = metrics["bits_per_byte", inference, lang]
        assert one.value == pytest.approx(expected, rel=1e-5)
        assert one.vocabulary_size == len(tokenizer.ids(langs))
        assert one.low <= one.value <= one.high
        assert (one.unit, one.n, one.dataset, one.repeat) == ("bits/byte", 3, "set", 2)


def test_full_lang_predicts_the_second_half_in_the_languages_own_tokens(tokenizer, measured) -> None:
    model, metrics = measured
    full, own = tokenizer.of(None), tokenizer.of(("fi",))
    texts, size = [], 0
    for line in LINES["fi"]:
        begun, ended = halved(line)
        read = full.tokenizer.encode_batch([begun])[0]
        predicted = own.ids_S[own.tokenizer.encode_batch([ended])[0]]
        texts.append(Text([*read, *predicted], len(read)))
        size += len(ended.encode())
    scores = Scorer(model, torch.from_numpy(tokenizer.ids(("fi",)))).score(texts)
    expected = sum(one.nats.sum() for one in scores) / math.log(2) / size
    one = metrics["bits_per_byte_continued", "full-lang", "fi"]
    assert one.value == pytest.approx(expected, rel=1e-5)
    assert one.tokenizer == "sequential-bpe+fi"
    assert ("bits_per_byte", "full-lang", "fi") not in metrics


def test_foreign_mass_is_that_outside_of_the_languages_set(tokenizer, measured) -> None:
    model, metrics = measured
    full, members = tokenizer.of(None), torch.from_numpy(tokenizer.ids(("fi",)))
    texts = [Text(ids) for ids in full.tokenizer.encode_batch(LINES["fi"])]
    scores = Scorer(model, torch.arange(tokenizer.size), members).score(texts)
    outside = np.concatenate([one.outside for one in scores])
    assert 0 < metrics["foreign_mass", "full", "fi"].value == pytest.approx(outside.mean(), rel=1e-5)
    assert {inference for metric, inference, _ in metrics if metric == "foreign_mass"} == {"full"}


def test_means_are_over_languages(measured) -> None:
    _, metrics = measured
    for metric, inference, lang in metrics:
        if lang == "all":
            values = [metrics[metric, inference, one].value for one in LANGS]
            assert metrics[metric, inference, lang].value == pytest.approx(np.mean(values))
            assert metrics[metric, inference, lang].n == 2


def test_a_tokenizer_without_languages_has_the_full_vocabulary_alone(tokenizer, measured, tmp_path) -> None:
    model, metrics = measured
    (tmp_path / "tokenizer.json").write_bytes((tokenizer.folder / "tokenizer.json").read_bytes())
    joint = Subtokenizers(tmp_path)
    found = likelihood_metrics(ModelName("joint-bpe-500", "baseline"), model, joint, {"set": LINES}, LANGS)
    assert {(one.inference, one.metric) for one in found} == {
        ("full", "bits_per_byte"),
        ("full", "bits_per_byte_continued"),
    }
    values = {one.lang: one.value for one in found if one.metric == "bits_per_byte"}
    assert values["fi"] == pytest.approx(metrics["bits_per_byte", "full", "fi"].value)


@pytest.mark.parametrize(
    ("line", "halves"),
    [
        ("one two three", ("one two", " three")),
        ("word", ("", "word")),
        ("", ("", "")),
        (" word", ("", " word")),
        ("a b", ("a", " b")),
        ("日本語 テスト", ("日本語", " テスト")),
        ("one  two", ("one", "  two")),
        ("one \u00a0 two", ("one", " \u00a0 two")),
        ("  one ", ("  one", " ")),
        ("\u2003 one", ("", "\u2003 one")),
    ],
)
def test_a_line_parts_before_the_space_nearest_to_its_middle(line, halves) -> None:
    assert halved(line) == halves


@given(st.text(st.sampled_from("ab \t\u00a0\u2003\u001c.1é")), st.sampled_from([("en",), ("en", "fi"), None]))
def test_halves_of_a_line_are_cut_as_the_whole_line(tokenizer, line, langs) -> None:
    used = tokenizer.of(langs).tokenizer
    first, second = halved(line)
    assert first + second == line
    whole, begun, ended = used.encode_batch([line, first, second])
    assert begun + ended == whole


def test_english_is_its_own_union_with_english(measured) -> None:
    _, metrics = measured
    for metric in ("bits_per_byte", "bits_per_byte_continued"):
        union, own = (metrics[metric, inference, "en"] for inference in ("en-lang-union", "lang"))
        assert union == replace(own, inference="en-lang-union")
