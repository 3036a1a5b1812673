r"""Pre-tokenization: the cuts that no merge and no piece crosses, and the names that no token may spell.

`whitespace` (default): ` ?[^\s]+|\s+(?!\S)|\s+`. A word carries the one U+0020 before it, other white space
stands alone. `gpt2`: the pattern of GPT-2, which exporters recognise; it only cuts further what `whitespace`
cuts. White space is Unicode's White_Space property everywhere, as Hugging Face has it: Python's own `\s` and
str.split know four characters more, U+001C to U+001F. Nothing is normalized; pieces always join to the text.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

# Training from word counts needs only names from here: what cuts text is imported where it cuts.
if TYPE_CHECKING:
    import regex
    from tokenizers import pre_tokenizers

WHITE_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
# As they stand in tokenizer.json, where \s is White_Space.
PATTERNS = {
    "whitespace": r" ?[^\s]+|\s+(?!\S)|\s+",
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
}
_WORDS = re.compile(rf" ?[^{WHITE_SPACE}]+|[{WHITE_SPACE}]+(?![^{WHITE_SPACE}])|[{WHITE_SPACE}]+")
_SURROGATES = re.compile("[\ud800-\udfff]")

SPECIAL_TOKENS = ("<unk>", "<s>", "</s>", "<pad>")
"Ids 0 to 3 in every vocabulary."
BYTE_TOKENS = tuple(f"<0x{byte:02X}>" for byte in range(256))
"Names of the byte tokens of the alphabet `characters`, by byte."
# Hugging Face's ByteFallback decoder also takes these for a byte: small letters, and "+" before one digit.
_BYTE_NAME = re.compile(r"<0x[+0-9A-Fa-f][0-9A-Fa-f]>")
# Hugging Face's Unigram matches every string of its vocabulary in the text. With "<" cut off, no name of a
# byte or special token ever stands in one piece.
NAME_GUARD = r"<(?=0x[0-9A-F]{2}>|/?s>|unk>|pad>)"


def split(text: str, pretokenization: str) -> list[str]:
    r"""The pre-tokens of a text; joined they are the text, lone surrogates included.

    split("two  words\n", "whitespace") -> ["two", " ", " words", "\n"]
    """
    words = _WORDS.findall(text)
    return words if pretokenization == "whitespace" else split_words(words)


def split_words(words: Iterable[str]) -> list[str]:
    """Cut pre-tokens of `whitespace` into those of `gpt2`. split_words(["it's"]) -> ["it", "'s"]."""
    return [piece for word in words for piece in split_word(word)]


def split_word(word: str) -> list[str]:
    """Cut one pre-token of `whitespace` into those of `gpt2`. split_word(" n°5") -> [" n", "°", "5"].

    Which characters are letters depends on the Unicode version that a library has. The encoder's is Hugging
    Face's, so it cuts the words that hold characters which Python (older than both libraries) does not know.
    """
    if is_plain(word):
        return _gpt2().findall(word)
    cuts = _hf_gpt2().pre_tokenize_str(without_surrogates(word))
    return [word[start:end] for _, (start, end) in cuts]


def is_plain(word: str) -> bool:
    """Whether a pre-token of `whitespace` is no white space and Python knows all its characters."""
    return word.isprintable() and not word.isspace()


def without_surrogates(text: str) -> str:
    """The text with each lone surrogate, which UTF-8 cannot hold, replaced by U+FFFD."""
    return _SURROGATES.sub("�", text)


@cache
def _gpt2() -> "regex.Pattern[str]":
    import regex

    return regex.compile(PATTERNS["gpt2"])


@cache
def _hf_gpt2() -> "pre_tokenizers.PreTokenizer":
    from tokenizers import Regex, pre_tokenizers

    return pre_tokenizers.Split(Regex(PATTERNS["gpt2"]), "isolated")


def hf_splits(pretokenization: str, model: str = "BPE") -> list[dict[str, Any]]:
    """The steps in tokenizer.json that cut as `split` does; for the model `Unigram` with the name guard.

    hf_splits("whitespace")[0]["type"] -> "Split"
    """
    patterns = [PATTERNS[pretokenization], *([NAME_GUARD] if model == "Unigram" else [])]
    return [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in patterns
    ]


def forbidden(surface: str) -> bool:
    """Whether a surface spells a special or byte token's name; no token may. forbidden("<s>") -> True."""
    return surface in SPECIAL_TOKENS or _BYTE_NAME.fullmatch(surface) is not None
