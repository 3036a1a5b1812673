"""Hugging Face's tokenizer.json, written by hand so that the same tokenizer gives the same bytes.

Ids: the special tokens 0 to 3, the base alphabet, the merge results in order. Two BPE shapes, by alphabet:
`bytes` (GPT-2's byte-to-symbol map, ByteLevel) and `characters` (byte tokens `<0x00>` to `<0xFF>` as
fallback). Merges are pairs, never "a b", as tokens hold spaces. The file cannot carry
`encode_special_tokens`, so a tokenizer_config.json beside it asks transformers for the same with
`split_special_tokens`.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from modtok.core.io import write_text
from modtok.tokenization.pretokenization import PATTERNS, SPECIAL_TOKENS, hf_splits

TOKENIZER_CONFIG = {
    # Never a Llama class: it rebuilds the tokenizer from its vocabulary and every id comes out wrong.
    "tokenizer_class": "PreTrainedTokenizerFast",
    "unk_token": "<unk>",
    "bos_token": "<s>",
    "eos_token": "</s>",
    "pad_token": "<pad>",
    "split_special_tokens": True,
    "clean_up_tokenization_spaces": False,
}


def write_tokenizer(directory: Path, tokenizer_json: Mapping[str, Any]) -> None:
    """Write tokenizer_config.json and tokenizer.json, in this order: the second makes the folder whole.

    write_tokenizer(Path("mono-bpe-fi"), bpe_json("bytes", "whitespace", tokens, merges))
    """
    has = {token["content"] for token in tokenizer_json["added_tokens"]}
    config = {
        key: value for key, value in TOKENIZER_CONFIG.items() if not key.endswith("_token") or value in has
    }
    write_text(directory / "tokenizer_config.json", _dumps(config))
    write_text(directory / "tokenizer.json", _dumps(tokenizer_json))


def bpe_json(
    alphabet: str,
    pretokenization: str,
    tokens: Sequence[str],
    merges: Sequence[tuple[str, str]],
) -> dict[str, Any]:
    """The tokenizer.json of a BPE tokenizer.

    `tokens`: surfaces by id, specials first (`bytes`: GPT-2's symbols); `merges`: pairs of surfaces by rank.
    """
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    fallback = {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]}
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": alphabet == "characters",
        "ignore_merges": False,
        "vocab": {token: number for number, token in enumerate(tokens)},
        "merges": [list(pair) for pair in merges],
    }
    splits = hf_splits(pretokenization)
    if alphabet == "bytes":
        return frame([*splits, level], level, model)
    return frame(splits, fallback, model)


def frame(
    steps: Sequence[Mapping[str, Any]], decoder: Mapping[str, Any], model: Mapping[str, Any]
) -> dict[str, Any]:
    """A whole tokenizer.json around a model: our special tokens, `steps` of pre-tokenization."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added_token(number, token) for number, token in enumerate(SPECIAL_TOKENS)],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": list(steps)},
        "post_processor": None,
        "decoder": decoder,
        "model": model,
    }


def pretokenization_of(tokenizer_json: Mapping[str, Any]) -> str:
    """The name of the pre-tokenization of a tokenizer.json of ours. Error: another one, as ValueError."""
    for step in tokenizer_json["pre_tokenizer"]["pretokenizers"]:
        for name, pattern in PATTERNS.items():
            if step["type"] == "Split" and step["pattern"]["Regex"] == pattern:
                return name
    raise ValueError("its pre-tokenization is neither whitespace nor gpt2")


def _added_token(number: int, token: str) -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": number, "content": token, **flags}


def _dumps(value: Mapping[str, Any]) -> str:
    """JSON with one line per key of the top level: readable to diff, and fast for a large vocabulary."""
    lines = [f"  {json.dumps(key)}: {json.dumps(item, ensure_ascii=False)}" for key, item in value.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
