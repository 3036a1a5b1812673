"""The adapter against lm-eval's own model of transformers."""

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lm_eval.api.model import TemplateLM
from transformers import AutoModelForCausalLM, AutoTokenizer

from modtok.evaluation.inference_tokenizers import Cutter, Inference, inferences
from modtok.modelling.export import extract_model
from small_choices import adapter, asked

CHOOSING, CHOOSING_CONTEXT = ("en", "fi"), 160
SHOT = "Question: Where is the house?\nAnswer: in the old town"
PAIRS = [
    ("Question: What does the dog eat?\nAnswer:", " bones"),
    ("Question: What does the dog eat?\nAnswer: ", "the old house"),
    (f"{SHOT}\n\n{SHOT}\n\nQuestion: Who is it?\nAnswer:", " a friend of the family"),
    (f"{SHOT}\n\n{SHOT}\n\nQuestion: Who is it?\nAnswer:", " koira 犬"),
    ("Kysymys: Mitä koira syö?\n\nVastaus:", "  luita\tja <s> lunta"),
    ("Answer:", " bones"),
]


class Transformers(TemplateLM):
    """lm-eval's way with pairs of texts, over transformers' model and tokenizer of a folder."""

    def __init__(self, model, tokenizer) -> None:
        super().__init__()
        self.model = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
        self.tokenizer = AutoTokenizer.from_pretrained(tokenizer, add_bos_token=True)
        self.backend = "causal"

    @property
    def eot_token_id(self) -> int:
        return self.tokenizer.eos_token_id

    def tok_encode(self, string, **_) -> list[int]:
        return self.tokenizer(string).input_ids

    @torch.no_grad()
    def _loglikelihood_tokens(self, requests, **_) -> list[tuple[float, bool]]:
        found = []
        for _, context, ids in requests:
            logits = self.model(torch.tensor([[*context, *ids][:-1]])).logits[0, -len(ids) :]
            nats = logits.log_softmax(1).gather(1, torch.tensor(ids)[:, None]).sum()
            found.append((float(nats), logits.argmax(1).tolist() == ids))
        return found

    def loglikelihood_rolling(self, requests, **_):
        raise NotImplementedError

    def generate_until(self, requests, **_):
        raise NotImplementedError


def lm_evals_own(model, tokenizer):
    pytest.importorskip("accelerate", reason="lm-eval's hf model needs the package accelerate")
    from lm_eval.models.huggingface import HFLM

    options = {"add_bos_token": True, "device": "cpu", "dtype": "float32"}
    return HFLM(pretrained=str(model), tokenizer=str(tokenizer), **options)


@pytest.mark.parametrize("theirs", [Transformers, lm_evals_own], ids=["transformers", "hf"])
@pytest.mark.parametrize("langs", [None, ("fi",), ("en", "fi")], ids=["full", "lang", "union"])
def test_log_probabilities_are_those_of_the_exported_folder(
    choosing_folder, choosing, theirs, langs, tmp_path
) -> None:
    model, tokenizer = choosing_folder / "model", choosing_folder / "tokenizer"
    if langs is not None:
        extract_model(model, tokenizer, choosing[1].modular, langs, tmp_path)
        model = tokenizer = tmp_path
    expected = theirs(model, tokenizer).loglikelihood(asked(PAIRS), disable_tqdm=True)
    found = adapter(choosing, Inference("some", langs, langs, langs)).loglikelihood(asked(PAIRS))
    assert [nats for nats, _ in found] == pytest.approx([nats for nats, _ in expected], abs=1e-4, rel=1e-5)
    assert [greedy for _, greedy in found] == [greedy for _, greedy in expected]


def test_an_empty_context_stands_for_the_neutral_prompt(choosing) -> None:
    (inference, *_) = inferences(choosing[1], "en", CHOOSING)
    empty, neutral = (
        adapter(choosing, inference).loglikelihood(asked([(context, " bones")]))
        for context in ("", "Answer:")
    )
    assert empty == neutral


def test_shots_that_do_not_fit_go_from_the_front_and_are_counted(choosing) -> None:
    (inference, *_) = inferences(choosing[1], "en", CHOOSING)
    numbered = [f"Question: Where is\n\nhouse {number}?\nAnswer: in the old town" for number in range(5)]
    item, choice = "Question: Who is it?\n\nAnswer:", " a friend"
    cut = Cutter(choosing[1], inference).target
    kept = 5
    while (
        len(cut(["\n\n".join([*numbered[5 - kept :], item])])[0]) + len(cut([choice])[0]) > CHOOSING_CONTEXT
    ):
        kept -= 1
    assert 0 < kept < 5
    ours = adapter(choosing, inference, [f"{shot}\n\n" for shot in numbered])
    (found,) = ours.loglikelihood(asked([("\n\n".join([*numbered, item]), choice)]))
    (expected,) = adapter(choosing, inference).loglikelihood(
        asked([("\n\n".join([*numbered[5 - kept :], item]), choice)])
    )
    assert found[0] == pytest.approx(expected[0], rel=1e-6)
    assert ours.losses["task"].shots == [5 - kept]
    assert ours.losses["task"].cut == [False]


def test_an_item_that_does_not_fit_loses_its_beginning_never_its_empty_lines(choosing) -> None:
    (inference, *_) = inferences(choosing[1], "en", CHOOSING)
    ours = adapter(choosing, inference)
    long = "a b c d\n\n" * 60 + "Answer:"
    ours.loglikelihood(asked([(long, " bones"), ("", " bones")]))
    assert (ours.losses["task"].shots, ours.losses["task"].cut) == ([0], [True])


@pytest.mark.parametrize("name", ["full-lang", "en-lang-union"])
@given(st.lists(st.text(st.sampled_from("ab \n\u00e4\u0431Q:1"), max_size=12), min_size=2, max_size=2))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_predicted_is_cut_to_tokens_of_the_chosen_set_and_back_to_the_text(
    choosing, name, texts
) -> None:
    (inference,) = [one for one in inferences(choosing[1], "fi", CHOOSING) if one.name == name]
    cutter, (context, choice) = Cutter(choosing[1], inference), texts
    (ids,) = cutter.predicted([f" {choice}"])
    assert set(ids) <= set(choosing[1].ids(inference.chosen).tolist())
    assert cutter.decode(ids) == f" {choice}"
    assert cutter.decode(cutter.target([context])[0]) == context
    ((nats, _),) = adapter(choosing, inference).loglikelihood(asked([(f"Q{context}", f" {choice}")]))
    assert np.isfinite(nats)
