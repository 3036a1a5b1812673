"""Names of a run's tokenizers: the first part says how a tokenizer came to be.

`mono-bpe-{lang}`, `mono-unigram-{lang}`, `joint-bpe-{size}`, `joint-unigram-{size}`, `open-{name}`, the
modular `sequential-bpe`, `merged-unigram`, `frequency-unigram`, and what is taken out of them,
`{name}+{lang}` or `{name}+{lang}+{lang}`. Monolingual tokenizers, and subtokenizers of one language, serve
the languages together, one each: such a family, `mono-bpe` or `sequential-bpe+lang`, is one row of a table.
"""

import re
from collections.abc import Iterable, Sequence

from modtok.core.errors import ConfigError, require

_MONOLINGUAL = re.compile(r"(?P<family>mono-(?:bpe|unigram))-(?P<lang>[a-z]{2,3})")
_EXTRACTED = re.compile(r"(?P<name>[a-z0-9-]+)\+[a-z]{2,3}")
_JOINT = re.compile(r"joint-(?P<model>bpe|unigram)-(?P<size>[0-9]+)")


def family_of(tokenizer: str) -> str:
    """The family of a monolingual tokenizer or of one language's subtokenizer; any other is its own.

    family_of("mono-bpe-fr") -> "mono-bpe"; family_of("sequential-bpe+fr") -> "sequential-bpe+lang";
    family_of("open-qwen3") -> "open-qwen3"
    """
    match = _MONOLINGUAL.fullmatch(tokenizer)
    extracted = _EXTRACTED.fullmatch(tokenizer)
    if extracted:
        return extracted_family(extracted["name"])
    return match["family"] if match else tokenizer


def subtokenizer(name: str, langs: Iterable[str]) -> str:
    """The name of a subtokenizer. subtokenizer("sequential-bpe", ["fr", "en"]) -> "sequential-bpe+fr+en" """
    return "+".join([name, *langs])


def extracted_family(name: str) -> str:
    """The family of a modular tokenizer's subtokenizers of one language each."""
    return f"{name}+lang"


def full_name(tokenizer: str) -> str:
    """What a subtokenizer or a family of them was taken from.

    full_name("sequential-bpe+fr") -> "sequential-bpe"
    """
    return tokenizer.partition("+")[0]


def languages_of(tokenizer: str, langs: Sequence[str]) -> list[str]:
    """The languages that a tokenizer is counted on: a monolingual one on its own, any other on all."""
    match = _MONOLINGUAL.fullmatch(tokenizer)
    if match is None:
        return list(langs)
    require(match["lang"] in langs, f"{tokenizer}: its language is not among {', '.join(langs)}", ConfigError)
    return [match["lang"]]


def joint_size(tokenizer: str) -> int | None:
    """The size of a joint tokenizer, None for any other. joint_size("joint-bpe-128000") -> 128000"""
    match = _JOINT.fullmatch(tokenizer)
    return int(match["size"]) if match else None


def is_model_file(source: str) -> bool:
    """Whether a source of an open tokenizer is a SentencePiece model."""
    return source.removesuffix(".gz").endswith(".model")


def is_tokenizer_file(source: str) -> bool:
    """Whether a source is a path rather than an id on the hub. is_tokenizer_file("Qwen/Qwen3-8B") -> False"""
    return is_model_file(source) or source.removesuffix(".gz").endswith(".json")


def file_name(source: str) -> str:
    """The name that an open tokenizer's file has in a run.

    file_name("nllb/sentencepiece.model") -> "tokenizer.model"
    """
    return "tokenizer.model" if is_model_file(source) else "tokenizer.json"
