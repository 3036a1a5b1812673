"""Small random byte-level tokenizers, as untidy as those that models ship."""

from collections.abc import Sequence
from math import gcd
from typing import Any

from hypothesis import strategies as st

from oracle.slow_ranked import GPT2, symbols

# Of one, two and three bytes, of four writing systems, and a byte that is no character.
UNITS = [*"ab 1", *"жиї", *"ไท", "漢"]
TARGET, DELETED, KEPT = "Cyrillic", ("Thai", "Han"), ("Latin",)
ADDED = ["<end>", "<more>"]


def byte_json(
    tokens: list[bytes],
    merges: list[tuple[bytes, bytes]],
    numbers: list[int],
    as_text: bool,
    added: Sequence[bytes] = (),
) -> dict[str, Any]:
    """A tokenizer.json; `numbers`: the ids of the bytes, the tokens, and an added token inside.

    `added`: tokens that are added ones as well, so that no deletion takes them.
    """
    surfaces = [*GPT2, *map(symbols, tokens), ADDED[0]]
    written = [(symbols(left), symbols(right)) for left, right in merges]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    split = {"type": "Split", "pattern": {"Regex": r" ?[^\s]+|\s+"}, "behavior": "Isolated", "invert": False}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    vocabulary = dict(zip(surfaces, numbers, strict=True))
    ids = {ADDED[0]: vocabulary[ADDED[0]], ADDED[1]: len(surfaces)}
    ids |= {surface: vocabulary[surface] for surface in map(symbols, added)}
    return {
        "version": "1.0",
        "added_tokens": [{"id": number, "content": name, **flags} for name, number in ids.items()],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]},
        "post_processor": None,
        "decoder": level,
        "model": {
            "type": "BPE",
            "unk_token": None,
            "ignore_merges": False,
            "byte_fallback": False,
            "vocab": vocabulary,
            "merges": [" ".join(pair) for pair in written] if as_text else [list(pair) for pair in written],
        },
    }  # fmt: skip


@st.composite
def byte_tables(draw: st.DrawFn, most: int = 25) -> dict[str, Any]:
    """A tokenizer.json: merges in any order, several for a token, tokens without one, ids in any order.

    Up to two tokens are added ones as well, and half of all merges go on from a token, so that some tokens
    are made of an added one.
    """
    alphabet = sorted({bytes([byte]) for unit in UNITS for byte in unit.encode()})
    tokens: list[bytes] = []
    merges: list[tuple[bytes, bytes]] = []
    for _ in range(draw(st.integers(0, most))):
        known = [*alphabet, *tokens]
        longer = tokens if tokens and draw(st.booleans()) else known
        pair = (draw(st.sampled_from(longer)), draw(st.sampled_from(known)))
        if pair not in merges and len(pair[0] + pair[1]) < 12:
            merges.append(pair)
            tokens.append(pair[0] + pair[1])
    whole = st.lists(st.sampled_from(UNITS), min_size=2, max_size=3)
    orphans = ["".join(draw(whole)).encode() for _ in range(draw(st.integers(0, 2)))]
    tokens = list(dict.fromkeys([*tokens, *orphans]))
    merges = draw(st.permutations(merges)) if draw(st.booleans()) else merges
    size = 256 + len(tokens) + 1
    step = draw(st.sampled_from([step for step in (1, size - 1, 97, 101) if gcd(step, size) == 1]))
    numbers = [step * number % size for number in range(size)]
    added = draw(st.lists(st.sampled_from(tokens), max_size=2, unique=True)) if tokens else []
    return byte_json(tokens, merges, numbers, draw(st.booleans()), added)


words = st.lists(st.sampled_from(UNITS), min_size=1, max_size=6).map("".join)
