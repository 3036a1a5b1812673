"""The pre-tokens of a foreign tokenizer: what its own normalization and pre-tokenization cut a text into.

Words counted for our tokenizers are cut by white space. GPT-OSS cuts a fifth of running Ukrainian words
again, and a token across such a cut could never be made, though every audit of merges finds it reachable.
"""

from collections import Counter

from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.mixing import from_sums
from modtok.tokenization.alphabet import BYTE_SYMBOLS, spelled_bytes
from modtok.tokenization.loading import from_json
from modtok.tokenization.word_count_files import WordCounts


class Pretokens:
    """Cuts texts as a tokenizer does. Example: Pretokens(gptoss).of("AT&T") -> [b"AT", b"&T"]."""

    def __init__(self, tokenizer: ByteLevelBPE) -> None:
        # Without merges and added tokens, of which only the first cost time and the second cut texts.
        vocabulary = {symbol: number for number, symbol in enumerate(BYTE_SYMBOLS)}
        model = {**tokenizer.frame["model"], "vocab": vocabulary, "merges": [], "unk_token": None}
        bare = {**tokenizer.frame, "model": model, "added_tokens": [], "post_processor": None}
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


def split_again(tokenizer: ByteLevelBPE, counts: WordCounts) -> WordCounts:
    """Counted words cut by the tokenizer."""
    pretokens = Pretokens(tokenizer)
    found: Counter[str] = Counter()
    for word, count in zip(counts.words, counts.counts.tolist(), strict=True):
        for token in pretokens.of(word):
            found[token.decode()] += count
    return from_sums(found, counts.source)
