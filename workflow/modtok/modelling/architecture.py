"""What a model is, apart from its weights; on disk a config.json of transformers' Llama type.

So a checkpoint's folder loads as LlamaForCausalLM as it is, and what is taken out of one is a slice of it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modtok.core.errors import DataError, require
from modtok.core.model_shapes import ModelShape, check_shape
from modtok.core.provenance import file_digest

CONFIG = "config.json"
EMBEDDING, OUTPUT = "model.embed_tokens.weight", "lm_head.weight"
"names of the two tables, of a row for each token; a tied model has the first alone"
ROPE_THETA = 10_000.0
NORM_EPS = 1e-5
# Ids of the special tokens in every vocabulary: <s> begins a document, </s> ends it.
BEGIN, END, PADDING = 1, 2, 3


@dataclass(frozen=True)
class Architecture:
    """A model's shape and vocabulary: Architecture(find_shape("2.5B")[1], 366_208, tied=False)."""

    shape: ModelShape
    vocabulary_size: int
    "V: rows of the embedding and of the output matrix"
    tied: bool
    "whether both are one matrix"
    rope_theta: float = ROPE_THETA
    "base of the rotary angles"
    norm_eps: float = NORM_EPS
    "added to the mean square in RMSNorm"

    @property
    def parameters(self) -> int:
        """Number of all parameters."""
        return self.shape.parameters(self.vocabulary_size, tied=self.tied)

    def to_json(self) -> dict[str, Any]:
        """What transformers' LlamaConfig reads."""
        shape = self.shape
        return {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "vocab_size": self.vocabulary_size,
            "hidden_size": shape.width,
            "intermediate_size": shape.hidden,
            "num_hidden_layers": shape.layers,
            "num_attention_heads": shape.heads,
            "num_key_value_heads": shape.kv_heads,
            "head_dim": shape.head_width,
            "max_position_embeddings": shape.context,
            "hidden_act": "silu",
            "attention_bias": False,
            "mlp_bias": False,
            "rms_norm_eps": self.norm_eps,
            "rope_parameters": {"rope_type": "default", "rope_theta": self.rope_theta},
            "tie_word_embeddings": self.tied,
            "bos_token_id": BEGIN,
            "eos_token_id": END,
            "pad_token_id": PADDING,
            "dtype": "float32",
        }


def read_config(folder: Path, name: str = CONFIG) -> dict[str, Any]:
    """The config.json of a model's folder, or another one. Error: none there, or no JSON object."""
    file = folder / name
    remedy = "name a model's folder, such as results/models/sequential-bpe+samp-sub2"
    require(file.is_file(), f"{folder}: no model, it has no {name}; {remedy}")
    try:
        config = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file}: not JSON ({error}); {remedy}") from error
    require(isinstance(config, dict), f"{file}: no JSON object; {remedy}")
    return config


def check_tokenizer(about: Mapping[str, Any], tokenizer_json: Path) -> None:
    """Error: a model was trained with another tokenizer than that of the file.

    `about` is key `modtok` of its config.json; a model of others says nothing and is let pass.
    """
    trained, digest = about.get("tokenizer", "another one"), about.get("tokenizer_digest")
    same = digest is None or digest == file_digest(tokenizer_json)
    require(same, f"{tokenizer_json}: not the tokenizer that the model was trained with; name {trained}")


def architecture_of(config: Mapping[str, Any], name: str) -> Architecture:
    """The architecture that a config.json speaks of; `name` stands for it in errors.

    Error: a config that `to_json` did not write, or that was changed into another kind of model.
    """
    try:
        shape = ModelShape(
            width=config["hidden_size"],
            layers=config["num_hidden_layers"],
            heads=config["num_attention_heads"],
            kv_heads=config["num_key_value_heads"],
            hidden=config["intermediate_size"],
            context=config["max_position_embeddings"],
        )
        theta, eps = float(config["rope_parameters"]["rope_theta"]), float(config["rms_norm_eps"])
        found = Architecture(
            shape, int(config["vocab_size"]), bool(config["tie_word_embeddings"]), theta, eps
        )
        check_shape(shape, name)
    except (KeyError, TypeError, ValueError) as error:
        raise _not_ours(name, f"{type(error).__name__}: {error}") from error
    for key, value in found.to_json().items():
        if key != "dtype" and config.get(key) != value:
            raise _not_ours(name, f"{key} is {config.get(key)}, not {value}")
    return found


def _not_ours(name: str, why: str) -> DataError:
    return DataError(
        f"{name}: not the config of a model that modtok has trained ({why}); name such a model's folder"
    )
