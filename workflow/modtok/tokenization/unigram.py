"""Unigram tokenizers trained by SentencePiece from word counts (paper section 4.1).

SentencePiece reads the counts as its TSV input, without normalization, dummy prefix or removal of white
space, and with byte fallback. The alphabet is chosen as for BPE; other characters break a word and are spelt
in byte tokens. Three rules let both file formats, tokenizer.json and .model, encode alike to the token:
- a piece holds no white space but one U+0020 at its start, unless it is one white space character alone;
- "<" stands alone, so that no piece lies across the name guard of tokenizer.json (see pretokenization);
- scores are multiples of GRID, so that sums of scores are exact in SentencePiece's single precision too, and
  segmentations of equal score are told apart in the same way.
"""

import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]  # made at import

from modtok.core.errors import ConfigError, require
from modtok.tokenization.alphabet import covering_characters
from modtok.tokenization.pretokenization import BYTE_TOKENS, SPECIAL_TOKENS, WHITE_SPACE
from modtok.tokenization.word_count_files import WordCounts

# SentencePiece's stand-in for U+0020 inside its own files.
SPACE_SYMBOL = "\u2581"
# What cannot pass its TSV: separators, what it takes for a space, and its mark of unknown text.
_NO_TSV = re.compile("[\t\n\r\0\u2581\u2585]")
MAX_WORD_BYTES = 4192
# Its sums depend on the number of threads, and with them the pieces; one is also the fastest on word counts.
THREADS = 1
# Its time and memory grow with the characters counted, some 13 s and 1.5 GB for these; more are sampled down.
MAX_CHARACTERS = 1 << 26
GRID = 2.0**-8
"Sums are exact in single precision down to -65,536: texts of some 7,000 tokens."


@dataclass(frozen=True)
class UnigramModel:
    """Pieces with their log-probabilities. Ids: special tokens, the 256 byte tokens, then the pieces."""

    pieces: list[str]
    "distinct; with real spaces"
    scores: np.ndarray
    "(pieces,) float64"

    @property
    def size(self) -> int:
        """Tokens that count in a budget: pieces and byte tokens."""
        return len(BYTE_TOKENS) + len(self.pieces)


@dataclass(frozen=True)
class TrainedUnigram:
    """A trained model, and what could not take part in its training."""

    model: UnigramModel
    left_out: WordCounts
    "words that cannot pass SentencePiece's TSV (see passes_tsv)"


def train_unigram(
    counts: WordCounts, *, budget: int, alphabet: str = "characters", character_coverage: float = 0.9995
) -> TrainedUnigram:
    """Train on counted words; characters, byte tokens and pieces are `budget` tokens (specials not counted).

    A corpus that cannot fill the budget gives a warning with the size reached. The result does not depend on
    the number of processors. Errors: no words, an alphabet larger than the budget, the alphabet `bytes`.

    train_unigram(WordCounts([" word"], np.array([5])), budget=270).model.pieces
    """
    require(
        alphabet == "characters", f"alphabet '{alphabet}' is for BPE; unigram has 'characters'", ConfigError
    )
    passing = np.fromiter(map(passes_tsv, counts.words), dtype=bool, count=len(counts.words))
    words, left_out = _select(counts, passing), _select(counts, ~passing)
    characters = _alphabet(words, budget, character_coverage)
    parts = sampled(segments(words, characters))
    model = _complete(_sentencepiece(parts, budget), characters, budget)
    if model.size < budget:
        message = f"the corpus ran out at {model.size} of {budget} tokens; more text gives more"
        warnings.warn(message, stacklevel=2)
    return TrainedUnigram(on_grid(model), left_out)


def on_grid(model: UnigramModel) -> UnigramModel:
    """The model with scores rounded to multiples of GRID, as files hold them."""
    return UnigramModel(model.pieces, np.round(model.scores / GRID) * GRID)


def passes_tsv(word: str) -> bool:
    r"""Whether SentencePiece can read the word: no TAB, LF, CR, NUL, U+2581, U+2585, at most 4,192 bytes."""
    return not _NO_TSV.search(word) and len(word.encode()) <= MAX_WORD_BYTES


def _select(counts: WordCounts, chosen: np.ndarray) -> WordCounts:
    words = [word for word, keep in zip(counts.words, chosen.tolist(), strict=True) if keep]
    return WordCounts(words, counts.counts[chosen], counts.source)


def _alphabet(words: WordCounts, budget: int, coverage: float) -> str:
    require(0 < coverage <= 1, f"character coverage {coverage}: must be above 0 and at most 1", ConfigError)
    name = words.source
    require(any(words.words), f"{name}: no words to train on, or none unigram can use; count some text first")
    lengths = np.fromiter(map(len, words.words), dtype=float, count=len(words.words))
    total = float(lengths @ words.counts.astype(float))
    fits = total < 2**62
    require(fits, f"{name}: the counts are too large, some {total:.3g} characters; scale them down")
    characters = covering_characters(words.words, words.counts.astype(np.int64), coverage)
    size = len(BYTE_TOKENS) + len(characters)
    message = f"budget {budget}: the base alphabet alone has {size} tokens"
    require(size <= budget, f"{message}; raise the budget, or lower the character coverage", ConfigError)
    return characters


def segments(words: WordCounts, characters: str) -> Counter[str]:
    """What SentencePiece sees: the parts of words between cuts that no piece may cross, with their counts.

    segments(WordCounts([" a<b", "  "], np.array([2, 1])), " ab<") -> {" a": 2, "<": 2, "b": 2, " ": 2}
    """
    parts = _parts(characters)
    counted: Counter[str] = Counter()
    for word, count in zip(words.words, words.counts.tolist(), strict=True):
        for part in parts.findall(word):
            counted[part] += count
    return counted


def sampled(parts: Mapping[str, int]) -> Mapping[str, int]:
    """Every n-th occurrence, where all together have more than MAX_CHARACTERS; no chance is involved.

    The rounding is carried from one part to the next, so that rare parts keep their share, too.
    """
    size = sum(len(part) * count for part, count in parts.items())
    if size <= MAX_CHARACTERS:
        return parts
    ends = accumulate(parts.values(), initial=0)
    kept = pairwise(end * MAX_CHARACTERS // size for end in ends)
    return {part: last - first for part, (first, last) in zip(parts, kept, strict=True) if last > first}


def _parts(characters: str) -> re.Pattern[str]:
    """Finds letters with the one space before them, else single characters, all among `characters`."""
    letters = "".join(re.escape(character) for character in characters if character not in WHITE_SPACE + "<")
    single = f"[{re.escape(characters)}]"
    if not letters:
        return re.compile(single)
    return re.compile(f"{' ?' if ' ' in characters else ''}[{letters}]+|{single}")


def _sentencepiece(parts: Mapping[str, int], budget: int) -> UnigramModel:
    """Train on counted parts; without the pieces that are special or byte tokens."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=_tsv(parts),
        input_format="tsv",
        model_writer=model,
        model_type="unigram",
        vocab_size=len(SPECIAL_TOKENS) + budget,
        hard_vocab_limit=False,
        max_sentence_length=MAX_WORD_BYTES + len(SPACE_SYMBOL.encode()),
        character_coverage=1.0,
        byte_fallback=True,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        unk_id=0,
        bos_id=1,
        eos_id=2,
        pad_id=3,
        num_threads=THREADS,
        minloglevel=2,
    )
    proto = ModelProto.FromString(model.getvalue())
    pieces = proto.pieces[len(SPECIAL_TOKENS) + len(BYTE_TOKENS) :]
    surfaces = [piece.piece.replace(SPACE_SYMBOL, " ") for piece in pieces]
    return UnigramModel(surfaces, np.array([piece.score for piece in pieces]))


def _tsv(parts: Mapping[str, int]) -> Iterator[str]:
    for part, count in parts.items():
        yield f"{part.replace(' ', SPACE_SYMBOL)}\t{count}"


def _complete(model: UnigramModel, characters: str, budget: int) -> UnigramModel:
    """Put back characters that SentencePiece dropped: rarer than its single precision or the sample can tell.

    They get the lowest score, and the least pieces of several characters make room for them.
    """
    missing = sorted(set(characters) - set(model.pieces))
    room = budget - len(BYTE_TOKENS) - len(missing)
    surplus = max(len(model.pieces) - room, 0)
    longer = [number for number, piece in enumerate(model.pieces) if len(piece) > 1]
    least = set(sorted(longer, key=lambda number: model.scores[number])[:surplus])
    kept = [number for number in range(len(model.pieces)) if number not in least]
    lowest = np.full(len(missing), model.scores.min())
    pieces = [*(model.pieces[number] for number in kept), *missing]
    return UnigramModel(pieces, np.append(model.scores[kept], lowest))
