"""Policies of routing, and what they cost a small model, by known probabilities, against lines one by one."""

import math

import numpy as np
import pytest
import torch

from modtok.core.model_names import ModelName
from modtok.evaluation.answers import ROUTING, read_answers, write_answers
from modtok.evaluation.inference_tokenizers import halved
from modtok.evaluation.likelihood import Scorer, Text
from modtok.evaluation.memory import forward_operations
from modtok.evaluation.model_metrics import Trained
from modtok.evaluation.routing_answers import ask_routing
from modtok.evaluation.routing_metrics import THRESHOLDS, Policy, routing_metrics

LANGS = ("en", "fi", "el")
POLICY = Policy(sure=0.7, unsure=0.3)


@pytest.mark.parametrize(
    ("best", "option"),
    [(1.0, "one"), (0.7, "one"), (0.69, "union"), (0.3, "union"), (0.29, "full"), (0, "full")],
)
def test_thresholds_belong_to_the_better_side(best: float, option: str) -> None:
    assert POLICY.choice(best) == option


LINES = {
    "en": ["The dog ran home.", "One two", "word"],
    "fi": ["Koira juoksi kotiin.", "Yksi kaksi", "sana"],
    "el": ["Ο σκύλος έτρεξε σπίτι.", "Ένα δύο", "λέξη"],
}
LIKELY = {
    "The dog": [0.9, 0.1, 0.0],
    "One": [0.35, 0.4, 0.1],
    "Koira juoksi": [0.0, 0.8, 0.2],
    "Yksi": [0.5, 0.1, 0.4],
    "Ο σκύλος": [0.0, 0.0, 1.0],
    "Ένα": [0.1, 0.0, 0.2],
    "": [0.0, 0.0, 0.0],
}
EXPECTED = {
    "en": [("en",), ("en", "fi"), None],
    "fi": [("fi",), ("en", "el"), None],
    "el": [("el",), None, None],
}


class KnownRouter:
    """In place of language identification: what LIKELY says."""

    def probabilities(self, prompts, labels):
        return np.array([LIKELY[prompt] for prompt in prompts])

    def operations(self, prompt: str) -> int:
        return 1000 + len(prompt)


@pytest.fixture(scope="module")
def model(random_model):
    return random_model(64, 3)


def scored(model, tokenizer, sets, folder, **options):
    """Metrics of what a model answers, through the file of its answers."""
    file, labels = folder / "answers.parquet", {lang: [lang] for lang in LANGS}
    write_answers(file, ROUTING, ask_routing(model, tokenizer, sets, labels, KnownRouter(), 2))
    name = ModelName("sequential-bpe", "mono-only")
    trained = Trained(name, model.architecture, model.about["settings"])
    return routing_metrics(trained, read_answers(file, ROUTING), POLICY, **options)


@pytest.fixture(scope="module")
def metrics(model, modular, tmp_path_factory):
    found = scored(model, modular, {"set": LINES}, tmp_path_factory.mktemp("answers"), resamples=20, seed=1)
    return {(one.inference, one.threshold, one.lang, one.metric): one for one in found}


def alone(model, modular, line: str, langs) -> tuple[float, float]:
    """Bits of a line's second half, and operations of all of it, by itself."""
    used = modular.of(langs)
    first, second = (
        used.ids_S[used.tokenizer.encode_batch([half])[0]].tolist() if half else [] for half in halved(line)
    )
    ids = torch.from_numpy(np.sort(modular.ids(langs)).astype(np.int64))
    [scores] = Scorer(model, ids).score([Text([*first, *second], len(first))])
    tokens = 1 + len(first) + len(second)
    operations = forward_operations(model.architecture.shape, len(ids), tokens)
    return scores.nats.sum() / math.log(2), operations


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("policy", ["oracle", "routed", "full", "one"])
def test_bits_and_cost_are_those_of_each_line_alone(model, modular, metrics, lang, policy) -> None:
    chosen = {
        "oracle": [(lang,)] * 3,
        "routed": EXPECTED[lang],
        "full": [None] * 3,
        "one": [(LANGS[int(np.argmax(LIKELY[halved(line)[0]]))],) for line in LINES[lang]],
    }[policy]
    bits, operations = np.array(
        [alone(model, modular, line, langs) for line, langs in zip(LINES[lang], chosen, strict=True)]
    ).T
    oracle = sum(alone(model, modular, line, (lang,))[1] for line in LINES[lang])
    asking = sum(1000 + len(halved(line)[0]) for line in LINES[lang]) * (policy in ("routed", "one"))
    size = sum(len(halved(line)[1].encode()) for line in LINES[lang])
    found = {
        metric: metrics[policy, None, lang, metric] for metric in ("bits_per_byte_continued", "relative_cost")
    }
    assert found["bits_per_byte_continued"].value == pytest.approx(bits.sum() / size, rel=1e-5)
    assert found["relative_cost"].value == pytest.approx((operations.sum() + asking) / oracle)
    held = np.mean([langs is None or lang in langs for langs in chosen])
    assert metrics[policy, None, lang, "held"].value == pytest.approx(held)
    for one in found.values():
        assert one.low <= one.value <= one.high


def test_shares_of_what_prompts_got_add_up(metrics) -> None:
    for policy, threshold, lang, metric in metrics:
        if metric == "held":
            shares = [
                metrics[policy, threshold, lang, f"to_{name}"].value for name in ("one", "union", "full")
            ]
            assert sum(shares) == pytest.approx(0 if policy == "oracle" else 1)
    assert [metrics["routed", None, "en", f"to_{name}"].value for name in ("one", "union", "full")] == (
        pytest.approx([1 / 3, 1 / 3, 1 / 3])
    )


def test_curves_run_from_always_trusting_to_hardly_ever(metrics) -> None:
    for curve in ("one-union", "one-full"):
        points = [metrics[curve, threshold, "all", "to_one"].value for threshold in THRESHOLDS]
        assert points == sorted(points, reverse=True)
        assert points[0] == 1
        for metric in ("bits_per_byte_continued", "relative_cost"):
            assert metrics[curve, 0, "all", metric].value == metrics["one", None, "all", metric].value
    # at 0.99 only the one prompt that is certain is trusted
    assert metrics["one-full", 0.99, "all", "to_full"].value == pytest.approx(8 / 9)


def test_means_are_over_languages(metrics) -> None:
    for (policy, threshold, lang, metric), one in metrics.items():
        if lang == "all" and threshold is None:
            values = [metrics[policy, None, own, metric].value for own in LANGS]
            assert one.value == pytest.approx(np.mean(values))
            assert (one.n, one.regime) == (3, "mono-only")


def test_a_set_in_none_of_the_languages_has_no_metrics(model, modular, tmp_path) -> None:
    found = scored(model, modular, {"set": LINES, "other": {}}, tmp_path, resamples=2)
    assert {one.dataset for one in found} == {"set"}


def test_a_tokenizer_without_sets_is_not_routed(model, joint, tmp_path) -> None:
    assert scored(model, joint, {"set": LINES}, tmp_path) == []
