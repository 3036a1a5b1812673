"""A byte-level BPE tokenizer as a GGUF file holds it, which llama.cpp reads.

llama.cpp has its cuts of text compiled in, by name. Of ours it knows `gpt2` alone, and of our alphabets
`bytes`; others are refused.
"""

from collections.abc import Mapping
from typing import Any

from modtok.core.errors import DataError, require
from modtok.tokenization.hf_format import pretokenization_of

NORMAL, CONTROL = 1, 3
"types of tokens; text never becomes a CONTROL one unless the caller asks for it"
IDS = {"bos": "<s>", "eos": "</s>", "unknown": "<unk>", "padding": "<pad>"}


def gguf_fields(tokenizer_json: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The fields of a tokenizer by key; `name` stands for it in errors.

    <s> goes before a text, as in training. Errors: another model than BPE, another alphabet, other cuts.

    gguf_fields(tokenizer_json, "fr-en")["tokenizer.ggml.pre"] -> "gpt-2"
    """
    _check(tokenizer_json, name)
    model = tokenizer_json["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].__getitem__)
    special = {token["content"] for token in tokenizer_json["added_tokens"]}
    ids = {
        f"{kind}_token_id": model["vocab"][token] for kind, token in IDS.items() if token in model["vocab"]
    }
    fields = {
        "model": "gpt2",
        "pre": "gpt-2",
        "tokens": tokens,
        "token_type": [CONTROL if token in special else NORMAL for token in tokens],
        # GPT-2's symbols hold no space, so a merge is two of them with a space between
        "merges": [" ".join(pair) for pair in model["merges"]],
        "add_bos_token": True,
        **ids,
    }
    return {f"tokenizer.ggml.{key}": value for key, value in fields.items()}


def _check(tokenizer_json: Mapping[str, Any], name: str) -> None:
    """Error: a tokenizer that llama.cpp would encode otherwise than we do, and why."""
    try:
        kind, model = tokenizer_json["model"]["type"], tokenizer_json["model"]
        cuts = pretokenization_of(tokenizer_json)
        in_bytes = tokenizer_json["decoder"]["type"] == "ByteLevel"
        require(kind == "BPE", f"{name}: a {kind} tokenizer; llama.cpp reads BPE of ours", DataError)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{name}: not a tokenizer of modtok ({error}); llama.cpp may cut otherwise"
        ) from error
    remedy = "train it with --alphabet bytes on words counted with --pretokenization gpt2"
    require(in_bytes, f"{name}: its alphabet is characters, which llama.cpp's BPE does not know; {remedy}")
    unknown = f"{name}: its words are cut at white space ({cuts}), which llama.cpp cannot do; {remedy}"
    require(cuts == "gpt2", unknown)
    assert not model["ignore_merges"], "ours never have it"
