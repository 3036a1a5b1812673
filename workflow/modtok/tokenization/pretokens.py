"""The pre-tokens of a tokenizer.json: what its own normalization and pre-tokenization cut a text into.

Words counted for our tokenizers are cut by white space. GPT-OSS cuts a fifth of running Ukrainian words
again, and a token across such a cut could never be made, though every audit of merges finds it reachable.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from modtok.tokenization.alphabet import BYTE_SYMBOLS, spelled_bytes, text_of
from modtok.tokenization.loading import from_json
from modtok.tokenization.word_count_files import WordCounts, from_sums


class Pretokens:
    """Cuts texts as a byte-level tokenizer.json does. Pretokens(gptoss).of("AT&T") -> [b"AT", b"&T"]."""

    def __init__(self, tokenizer_json: Mapping[str, Any]) -> None:
        # Without merges and added tokens, of which only the first cost time and the second cut texts.
        vocabulary = {symbol: number for number, symbol in enumerate(BYTE_SYMBOLS)}
        model = {**tokenizer_json["model"], "vocab": vocabulary, "merges": [], "unk_token": None}
        bare = {**tokenizer_json, "model": model, "added_tokens": [], "post_processor": None}
        self._tokenizer = from_json(bare, "the pre-tokenizer").tokenizer

    def of(self, text: str) -> list[bytes]:
        """The pre-tokens of a text, as bytes after normalization."""
        normalizer = self._tokenizer.normalizer
        normalized = normalizer.normalize_str(text) if normalizer else text
        cut = self._tokenizer.pre_tokenizer.pre_tokenize_str(normalized)
        spelled = (spelled_bytes(symbols) for symbols, _ in cut)
        return [token for token in spelled if token is not None]

    def leaves_whole(self, text: str) -> bool:
        """Whether the text is one pre-token by itself, unchanged."""
        return self.of(text) == [text.encode()]


def split_again(counts: WordCounts, tokenizer_json: Mapping[str, Any]) -> WordCounts:
    """The counts of the pre-tokens that a byte-level tokenizer.json cuts words into.

    Words that are cut coarser, as `whitespace` does, give what counting the text itself would, but for white
    space. A piece that is no text, of a pre-tokenizer that cuts inside a character, is left out.

    split_again(counts, {...})  # with GPT-2's file "it's" becomes "it" and "'s"
    """
    pretokens = Pretokens(tokenizer_json)
    found: Counter[str] = Counter()
    for word, count in zip(counts.words, counts.counts.tolist(), strict=True):
        for token in map(text_of, pretokens.of(word)):
            if token is not None:
                found[token] += count
    return from_sums(found, counts.source)
