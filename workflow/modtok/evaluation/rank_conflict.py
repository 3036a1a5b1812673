"""A real word that concatenated merge tables break and sequential BPE does not (paper Figure 2).

Both hold a token for the whole word. In the concatenated table a merge of the first language has a lower rank
than those that the second language's token is built of; it takes a unit away, and the token is out of reach.

The example is looked for on parallel text, in the pairs of languages in their order: the first pair with a
word that falls into three pieces or more; else the word of any pair with the most. Words of ASCII letters
only, which every figure's font has, of PIECES characters or more.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from modtok.core.io import write_tsv
from modtok.core.tokenizer_names import subtokenizer
from modtok.evaluation.token_counts import ParallelSets
from modtok.tokenization.alphabet import BYTE_SYMBOLS
from modtok.tokenization.bpe_file import read_bpe
from modtok.tokenization.concatenation import concatenate
from modtok.tokenization.hf_format import pretokenization_of
from modtok.tokenization.loading import HuggingFaceTokenizer, from_json
from modtok.tokenization.modular import Modular
from modtok.tokenization.pretokenization import split
from modtok.tokenization.ranked_encoder import RankedEncoder

COLUMNS = ("tokenizer", "step", "pieces")
SEPARATOR = "|"
SHORTEST = 5
PIECES = 3
"Pieces from which an example is good enough to stop the search."
TokenizerJson = Mapping[str, Any]


@dataclass(frozen=True)
class Conflict:
    """A word of the second language, and the tokenizers of both languages."""

    word: str
    pieces: int
    "of the word under the concatenated table"
    tokenizers: Mapping[str, TokenizerJson]
    "name -> tokenizer.json: monolingual, concatenated, sequential"

    def rows(self) -> Iterator[dict[str, object]]:
        """Rows of COLUMNS: what the word looks like after each merge, its pieces joined by SEPARATOR."""
        for name, tokenizer_json in self.tokenizers.items():
            for step, pieces in enumerate(_steps(tokenizer_json, self.word)):
                yield dict(zip(COLUMNS, (name, step, SEPARATOR.join(pieces)), strict=True))


def find_conflict(
    tables: Mapping[str, TokenizerJson], modular: Modular, sets: ParallelSets
) -> Conflict | None:
    """The example; None where no word of the text is broken.

    `tables`: language -> tokenizer.json of its monolingual tokenizer; `modular`: sequential BPE of the same
    languages.
    """
    words = {lang: _words(sets, lang, pretokenization_of(table)) for lang, table in tables.items()}
    best: Conflict | None = None
    for first, second in combinations(tables, 2):
        found = _of_pair(tables, modular, (first, second), words[second])
        if found is not None and (best is None or found.pieces > best.pieces):
            best = found
        if best is not None and best.pieces >= PIECES:
            break
    return best


def _words(sets: ParallelSets, lang: str, pretokenization: str) -> list[str]:
    """Words that can be drawn, the most frequent first."""
    lines = (line for texts in sets.values() for line in texts.get(lang, ()))
    counted = Counter(word for line in lines for word in split(line, pretokenization))
    fit = [word for word in counted if word.isascii() and word[1:].isalpha() and len(word) > SHORTEST]
    return sorted(fit, key=lambda word: (-counted[word], word))


def _of_pair(
    tables: Mapping[str, TokenizerJson], modular: Modular, langs: tuple[str, str], words: list[str]
) -> Conflict | None:
    """The word of the second language that the concatenated table breaks into the most pieces."""
    mono = tables[langs[1]]
    tokenizers = {
        f"mono-bpe-{langs[1]}": mono,
        subtokenizer("concatenated-bpe", langs): concatenate(
            {lang: tables[lang] for lang in langs}
        ).tokenizer_json,
        subtokenizer("sequential-bpe", langs): modular.extract(langs).tokenizer_json,
    }
    alone, broken, ours = (
        _lengths(from_json(tokenizer_json, name), words) for name, tokenizer_json in tokenizers.items()
    )
    pieces = {
        word: n for word, a, n, o in zip(words, alone, broken, ours, strict=True) if a == o == 1 and n > 1
    }
    if not pieces:
        return None
    worst = max(pieces, key=pieces.__getitem__)  # the most frequent one of those with the most pieces
    return Conflict(worst, pieces[worst], tokenizers)


def _lengths(tokenizer: HuggingFaceTokenizer, words: Sequence[str]) -> Iterable[int]:
    return tokenizer.count_batch(words).tolist()


def _steps(tokenizer_json: TokenizerJson, word: str) -> Iterator[list[str]]:
    """Pieces of an ASCII word before the first merge and after each."""
    file = read_bpe(tokenizer_json)
    surfaces = {number: surface for surface, number in file.vocabulary.items()}
    space = BYTE_SYMBOLS[0x20] if file.byte_names is BYTE_SYMBOLS else " "
    units = file.units(word.replace(" ", space))
    assert units is not None, "ASCII letters are in every alphabet that has learned the word"
    for ids in RankedEncoder(file.table).steps(units):
        yield [surfaces[number].replace(space, " ") for number in ids]


def write_conflict(path: Path, conflict: Conflict | None) -> None:
    """Write the rows of a conflict; none where there is no conflict."""
    write_tsv(path, COLUMNS, conflict.rows() if conflict else [])
