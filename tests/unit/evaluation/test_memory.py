"""The arithmetic of vocabularies, against the papers' figures and counting by hand."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from modtok.core.model_shapes import ModelShape, find_shape
from modtok.evaluation.memory import TIED, UNTIED, Cost, Vocabulary, costs, forward_operations, kv_cache_bytes
from modtok.modelling.architecture import Architecture

DOCUMENT = find_shape("d=4096,layers=32")[1]
"the second document's d"


def of_sizes(shape: ModelShape, *sizes: int) -> list[Cost]:
    return costs({"m": shape}, [Vocabulary(str(size), size, 1000) for size in sizes], 2)


def saved(costs: list[Cost], embeddings: str) -> float:
    return next(cost for cost in costs[2:] if cost.embeddings == embeddings).parameters_saved_percent


# --- the second document ---


@pytest.mark.parametrize(
    ("size", "parameters"),
    [
        (64_000, 262_144_000),
        (151_643, 621_129_728),
        (129_280, 529_530_880),
        (151_329, 619_843_584),
        (32_000, 131_072_000),
        (128_000, 524_288_000),
    ],
    ids=["Yi", "Qwen2", "DeepSeek-V3", "ChatGLM", "Mistral", "Llama 3"],
)
def test_output_layers_of_open_vocabularies(size: int, parameters: int) -> None:
    assert {cost.output_parameters for cost in of_sizes(DOCUMENT, size)} == {parameters}


def test_cutting_qwen2_to_the_size_of_mistral() -> None:
    cut = of_sizes(DOCUMENT, 151_643, 32_000)[2]
    assert cut.output_saved == 490_057_728
    assert round(cut.output_saved_percent, 1) == 78.9


# --- the paper, section 5.2 ---


@pytest.mark.parametrize(
    ("model", "untied", "tied"), [("1B", 47, 31), ("2.5B", 35, 21), ("30B", 10, 5)]
)  # fmt: skip
def test_a_24k_sub_vocabulary_against_256k(model: str, untied: float, tied: float) -> None:
    of_model = of_sizes(find_shape(model)[1], 256_000, 24_000)
    assert saved(of_model, UNTIED) == pytest.approx(untied, abs=1)
    assert saved(of_model, TIED) == pytest.approx(tied, abs=1)


def test_a_telugu_document_needs_37_percent_less_cache_than_under_gemma_3() -> None:
    lengths = [Vocabulary("gemma3", 262_145, 1610), Vocabulary("extracted", 24_004, 1010)]
    assert round(costs({"2.5B": find_shape("2.5B")[1]}, lengths, 2)[2].kv_cache_saved_percent) == 37


# --- by hand ---


def test_the_cache_holds_keys_and_values_of_each_layer_and_key_value_head() -> None:
    shape = ModelShape(width=24, layers=3, heads=4, kv_heads=2, hidden=40, context=16)
    assert kv_cache_bytes(shape, 5, 4) == 5 * 3 * (2 + 2) * 6 * 4


def test_operations_are_those_of_every_matrix_product() -> None:
    shape = ModelShape(width=8, layers=2, heads=2, kv_heads=1, hidden=12, context=16)
    tokens, size = 3, 5
    projections = (8 * 8) + (8 * 4) + (8 * 4) + (8 * 8) + 3 * (8 * 12)
    scores_and_values = sum(2 * 8 for query in range(tokens) for _ in range(query + 1))
    one_layer = tokens * projections + scores_and_values
    assert forward_operations(shape, size, tokens) == 2 * (2 * one_layer + tokens * 8 * size)


def test_a_cost_is_the_shapes_own_arithmetic() -> None:
    shape = find_shape("0.5B")[1]
    full, _, cut, tied = of_sizes(shape, 1000, 100)
    assert (cut.parameters, tied.parameters) == (
        shape.parameters(100, tied=False),
        shape.parameters(100, tied=True),
    )
    assert full.parameters - cut.parameters == cut.parameters_saved == 2 * 900 * 1536
    assert cut.weights_bytes == 2 * cut.parameters
    assert cut.relative_cost == forward_operations(shape, 100, 1000) / forward_operations(shape, 1000, 1000)
    assert (full.relative_cost, full.parameters_saved, full.kv_cache_saved_percent) == (1, 0, 0)


def test_longer_sequences_can_cost_more_than_a_small_vocabulary_saves() -> None:
    vocabularies = [Vocabulary("large", 256_000, 1000), Vocabulary("letters", 300, 4000)]
    longer = costs({"7B": find_shape("7B")[1]}, vocabularies, 2)[2]
    assert longer.parameters_saved_percent > 20
    assert longer.kv_cache_saved_percent == -300
    assert longer.relative_cost > 3


# --- measured ---


def test_weights_and_cache_are_what_a_model_holds() -> None:
    shape = ModelShape(width=24, layers=3, heads=4, kv_heads=2, hidden=40, context=16)
    model = LlamaForCausalLM(LlamaConfig(**Architecture(shape, 50, tied=False).to_json()))
    held = sum(weight.nbytes for weight in model.parameters())
    assert held == 4 * shape.parameters(50, tied=False)
    with torch.no_grad():
        cache = model(torch.zeros(1, 7, dtype=torch.int64), use_cache=True).past_key_values
    kept = sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)
    assert kept == kv_cache_bytes(shape, 7, 4)
