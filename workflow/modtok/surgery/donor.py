"""What is to be inserted: the target script's characters, then a donor's tokens in its own rank.

A donor is any tokenizer, or a character BPE trained on the target language's words, which are cut by the
target's own pre-tokenizer first (third document, 3.3). Of a donor only those tokens count that hold a
character of a target script and of no other script, and that the target's pre-tokenizer leaves whole: all
others could not fire, or would change other languages.
"""

import unicodedata
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from modtok.core.errors import DataError, require
from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.scripts import ScriptTable
from modtok.tokenization.alphabet import BYTE_SYMBOLS, spelled_bytes, text_of
from modtok.tokenization.bpe import TrainedBPE, train_bpe
from modtok.tokenization.bpe_file import MALFORMED, byte_alphabet
from modtok.tokenization.loading import read_tokenizer_json, tokenizer_file
from modtok.tokenization.pretokenization import SPECIAL_TOKENS
from modtok.tokenization.pretokens import Pretokens
from modtok.tokenization.word_count_files import WordCounts

# A donor trained here has this many tokens for each row: many are tokens of the target already, or have no
# character of a target script.
TOKENS_PER_ROW = 2
SPACE_MARK = "▁"
"SentencePiece's space"


@dataclass(frozen=True)
class Donor:
    """What is to be inserted, as texts."""

    characters: list[str]
    "of the target scripts, plain and behind a space: the base that is rebuilt first"
    tokens: list[str]
    "the donor's tokens in its rank"


def text_tokens(trained: TrainedBPE) -> list[str]:
    """The tokens of a character BPE that are text, by rank, characters first."""
    return trained.tokens[len(SPECIAL_TOKENS) + len(BYTE_SYMBOLS) :]


def train_donor(counts: WordCounts, rows: int, min_frequency: int = 2) -> TrainedBPE:
    """A character BPE with some tokens for each row to fill.

    `counts`: words as the target cuts them (split_again). Error: no words.
    """
    require(len(counts.words) > 0, f"{counts.source}: no words for a donor; count some text first")
    characters = sorted(set().union(*counts.words))
    budget = len(BYTE_SYMBOLS) + len(characters) + TOKENS_PER_ROW * rows
    with warnings.catch_warnings():
        # that the corpus runs out is what one expects of so large a budget
        warnings.simplefilter("ignore")
        return train_bpe(
            counts,
            budget=budget,
            alphabet="characters",
            min_frequency=min_frequency,
            character_coverage=1.0,
        )


def tokenizer_tokens(path: Path) -> list[str]:
    """Texts of a tokenizer.json's tokens by rank: BPE's by merges, Unigram's by score, others' by id.

    Error: a file that is no tokenizer.json, or has no tokens that are text by themselves.
    """
    file = tokenizer_file(path)
    content = read_tokenizer_json(file)
    try:
        surfaces = _ranked(content["model"])
        is_bytes = byte_alphabet(content) is BYTE_SYMBOLS
    except MALFORMED as error:
        raise DataError(f"{file}: no vocabulary of a tokenizer ({error}); name another donor") from error
    texts = [_text(surface) if is_bytes else surface.replace(SPACE_MARK, " ") for surface in surfaces]
    return [text for text in texts if text]


def _ranked(model: Mapping[str, Any]) -> list[str]:
    if model.get("type") == "Unigram":
        return [piece for piece, _ in sorted(model["vocab"], key=lambda entry: (-entry[1], entry[0]))]
    vocabulary = model["vocab"]
    merges = (merge.split(" ") if isinstance(merge, str) else merge for merge in model.get("merges") or ())
    made = dict.fromkeys("".join(merge) for merge in merges)
    base = sorted(vocabulary.keys() - made.keys(), key=vocabulary.__getitem__)
    return [*base, *made]


def _text(surface: str) -> str | None:
    token = spelled_bytes(surface)
    return None if token is None else text_of(token)


def interleaved(donors: Sequence[Sequence[str]]) -> list[str]:
    """Tokens of several donors, one of each in turn. interleaved([["a", "b"], ["c"]]) -> ["a", "c", "b"]."""
    in_turn = chain.from_iterable(zip_longest(*donors))
    return list(dict.fromkeys(token for token in in_turn if token is not None))


def donor(bpe: ByteLevelBPE, tokens: Iterable[str], targets: Sequence[str], name: str) -> Donor:
    """Those tokens that can be inserted for some target scripts; `name` stands for the donor in errors.

    The base: characters of the target scripts among the donor's tokens and among the target's own, so that
    other languages of the script keep their letters.

    Errors: a donor without tokens, without a character of a target script.
    """
    listed = list(dict.fromkeys(tokens))
    require(len(listed) > 0, f"{name}: the donor is empty; name a tokenizer with tokens, or count some text")
    own = [text for token in bpe.tokens.values() if (text := text_of(token))]
    table = ScriptTable([*listed, *own])
    wanted = frozenset(targets)
    fitting = [token for token in listed if (found := table.of(token)) and found <= wanted]
    scripts = ", ".join(targets)
    require(len(fitting) > 0, f"{name}: no token of the donor has a character of {scripts}; name another one")
    characters = {text for text in chain(fitting, own) if len(text) == 1 and table.of(text) & wanted}
    cut = Pretokens(bpe.frame)
    return Donor(
        [text for text in _with_space(characters) if cut.leaves_whole(text)],
        [text for text in fitting if cut.leaves_whole(text)],
    )


def _with_space(characters: Iterable[str]) -> list[str]:
    """The characters by code point, each plain and, unless it is a mark, behind a space."""
    return [
        text
        for character in sorted(characters)
        for text in (character, f" {character}")
        if text == character or not unicodedata.category(character).startswith("M")
    ]
