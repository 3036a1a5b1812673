"""Scores of texts against transformers' logits."""

import math

import pytest
import torch
from transformers import LlamaForCausalLM

from modtok.core.model_shapes import ModelShape
from modtok.evaluation.likelihood import Scorer, Text
from modtok.modelling.architecture import BEGIN, Architecture
from modtok.modelling.checkpoint import Model, read_model
from small_models import SHARP, write_drawn

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
