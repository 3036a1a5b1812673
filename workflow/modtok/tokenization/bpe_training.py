"""Learning one language's BPE tokens on top of what others have learned (paper section 4.2, Algorithm 2).

The words are segmented by the full table T. Then, until the language has as many tokens as its budget, the
most frequent token of T that is not yet the language's is adopted with its ancestors, or, where a pair of
adjacent tokens is more frequent, that pair becomes a new token of T. On top of nothing this is plain BPE.

Ties between a token and a pair go to the token, within a kind to the smaller id (pair of ids). What may not
be taken is passed over: a token that does not fit with its ancestors, a pair with a part outside the set, a
pair that spells the name of a special or byte token.
"""

from collections.abc import Callable
from dataclasses import dataclass
from string import hexdigits

import numpy as np

from modtok.core.errors import ConfigError, require
from modtok.tokenization.alphabet import BREAK, BYTES, Kind, Spelling, covering_characters
from modtok.tokenization.bpe_state import (
    Candidates,
    Tokens,
    Words,
    candidates,
    room_for_pairs,
    room_to_gather,
)
from modtok.tokenization.full_table import FullTable
from modtok.tokenization.native_loop import load_loop
from modtok.tokenization.pretokenization import BYTE_TOKENS, SPECIAL_TOKENS, forbidden
from modtok.tokenization.word_count_files import WordCounts

FEWER_WORDS = "keep the most frequent (modtok count --max-words; tokenizers.max_words in a run)"
# Steps between two reports of progress.
REPORT_EVERY = 1000
Progress = Callable[[int, int], None]
"Called with the tokens there are and the budget."


@dataclass(frozen=True)
class Settings:
    """How a language's tokens are chosen."""

    budget: int
    "tokens of the language: base alphabet and learned ones; the special ones are not counted"
    min_frequency: int = 2
    "a pair, or a token to adopt, counted less often is never chosen; ancestors may be rarer"
    character_coverage: float = 0.9995
    "with `characters`: share of the text that the language's characters cover"

    @property
    def least(self) -> int:
        """The least count that is chosen: nothing comes of what does not occur; it fits 64 bits."""
        return min(max(self.min_frequency, 1), 2**63 - 1)


@dataclass(frozen=True)
class Learned:
    """What a language has learned: the grown table, its own set, and how the budget was spent."""

    table: FullTable
    ids: np.ndarray
    "sorted int64, special tokens included"
    base: int
    "base tokens: bytes, or byte tokens and the language's characters"
    merges: int
    adopted: int
    ancestors: int
    "tokens that came along with adopted ones"
    passed_over: int
    "tokens that did not fit into what was left of the budget"
    left_over: int
    "tokens of the budget that the corpus did not suffice for"

    @property
    def size(self) -> int:
        """Tokens that count in the budget."""
        return len(self.ids) - self.table.start.n_special


@dataclass(frozen=True)
class Task:
    """A language ready to be learned: its words, spelled, and the table that holds its characters."""

    table: FullTable
    words: Words
    characters: str
    "the language's own; none where bytes are the alphabet"
    settings: Settings

    @property
    def room(self) -> int:
        """Tokens that may be learned."""
        return self.settings.budget - len(BYTE_TOKENS) - len(self.characters)


def task(table: FullTable, counts: WordCounts, settings: Settings) -> Task:
    """Spell a language's words, with its new characters added to the table, which itself stays as it is.

    The counts are not needed any more then: where no one else holds them, they make room for the pairs.
    Errors: no words, an alphabet larger than the budget.
    """
    check_counts(counts)
    characters = _characters(table.spelling.kind, counts, settings.character_coverage)
    base = len(BYTE_TOKENS) + len(characters)
    require(base <= settings.budget, _too_small(table.spelling.kind, base, settings.budget), ConfigError)
    table = table.with_characters(characters)
    return Task(table, _words(table.spelling, counts), characters, settings)


def learn(given: Task, progress: Progress | None = None) -> Learned:
    """Learn one language; the task's words are used up. The corpus may run out before the budget.

    learn(task(FullTable.empty("bytes"), WordCounts(["aab"], np.array([5])), Settings(257))).merges -> 1
    """
    table, first = given.table, len(given.table.surfaces)
    tokens = _tokens(given)
    foreign = _segment(given, tokens)
    made = _train(given, tokens, foreign, progress)
    _, left_over, adopted, ancestors, passed_over = foreign.state.tolist()
    grown = table.with_merges(tokens.left[first:made], tokens.right[first:made])
    base = len(BYTE_TOKENS) + len(given.characters)
    ids = np.flatnonzero(tokens.member[:made])
    return Learned(grown, ids, base, made - first, adopted, ancestors, passed_over, left_over)


def _too_small(kind: Kind, base: int, budget: int) -> str:
    remedy = "" if kind == BYTES else ", or lower the character coverage, or take the alphabet 'bytes'"
    return f"budget {budget}: the base alphabet alone has {base} tokens; raise the budget{remedy}"


def ran_out(learned: Learned, settings: Settings) -> str:
    """What to say of a corpus that did not suffice."""
    unfit = f", and {learned.passed_over} tokens of other languages do not fit" if learned.passed_over else ""
    return (
        f"the corpus ran out at {learned.size} of {settings.budget} tokens: no pair is left that occurs "
        f"{settings.min_frequency} times{unfit}; more text or words, or a lower min_frequency, gives more"
    )


def check_counts(counts: WordCounts) -> None:
    """Refuse what there is nothing to learn from, and what 64-bit counts and 32-bit places cannot hold."""
    name = counts.source
    require(bool(np.any(counts.counts > 0)), f"{name}: no words to train on; count some text first")
    lengths = np.fromiter((len(word.encode()) for word in counts.words), np.uint64, len(counts.words))
    size = int(lengths.sum())
    fits = 3 * (size + len(lengths)) < 2**31
    require(fits, f"{name}: {len(lengths)} distinct words, {size} bytes, are too many; {FEWER_WORDS}")
    total = _text_bytes(lengths, counts.counts)
    fits = total < 2**63
    require(fits, f"{name}: the counts stand for {total} bytes of text, more than 2^63 - 1; scale them down")


def _text_bytes(lengths: np.ndarray, counts: np.ndarray) -> int:
    """The sum of lengths times counts, exactly; the lengths add up to less than 2^31."""
    counts = counts.astype(np.uint64)
    high, low = counts >> np.uint64(32), counts & np.uint64(2**32 - 1)
    return (int(lengths @ high) << 32) + int(lengths @ low)


def _characters(kind: Kind, counts: WordCounts, coverage: float) -> str:
    """The characters that cover `coverage` of the text; none where bytes are the alphabet."""
    if kind == BYTES:
        return ""
    require(0 < coverage <= 1, f"character coverage {coverage}: must be above 0 and at most 1", ConfigError)
    return covering_characters(counts.words, counts.counts.astype(np.int64), coverage)


def _words(spelling: Spelling, counts: WordCounts) -> Words:
    """The words spelled in base ids."""
    return in_runs(*spelling.spell(counts.words), counts)


def in_runs(symbol: np.ndarray, lengths: np.ndarray, counts: WordCounts) -> Words:
    """Words that are laid out in `symbol`, one BREAK before each; `lengths`: (words,) positions of each."""
    weights = counts.counts.astype(np.int64)
    ends = np.cumsum(lengths + 1, dtype=np.int32)  # of each word, with the BREAK before it
    last = np.append(np.flatnonzero(np.diff(weights)), len(weights) - 1)  # word of each run
    return Words(symbol, ends[last], weights[last])


def _tokens(given: Task) -> Tokens:
    """The table's tokens, with room for new ones; members are the base, and whatever is still to come."""
    table = given.table
    # each merge shortens the words by one position at least
    tokens = table.room_for(min(given.room, given.words.symbol.size))
    tokens.member[: len(table.surfaces)] = 0
    tokens.member[table.start.every] = 1
    tokens.member[[table.spelling.numbers[character] for character in given.characters]] = 1
    return tokens


def _segment(given: Task, tokens: Tokens) -> Candidates:
    """Segment the words by the table, in place; return the tokens found that are open to adoption."""
    frequency = np.zeros(tokens.length.size, dtype=np.int64)
    if not tokens.member.all():
        frequency = load_loop().segment(given.words, tokens, given.table.merges.arrays)
    return candidates(given.room, frequency, tokens.member, given.settings.least)


def _train(given: Task, tokens: Tokens, foreign: Candidates, progress: Progress | None) -> int:
    """Adopt and merge until nothing is left to take; return how many tokens there are then."""
    banned = banned_spellings(given.table)
    first = len(given.table.surfaces)
    return run_loop(given.words, tokens, first, foreign, given.settings, banned, progress)


def run_loop(
    words: Words,
    tokens: Tokens,
    first: int,
    foreign: Candidates,
    settings: Settings,
    banned: np.ndarray,
    progress: Progress | None = None,
) -> int:
    """Merge and adopt on words as they are segmented, new ids from `first` on; return the next free one.

    `banned`: (names, longest) int32 base ids of what no merge may spell, padded with BREAK.
    """
    loop = load_loop()
    pairs, index = room_for_pairs(words.symbol.size, first)
    gathered = room_to_gather(words.symbol.size, tokens.left.size)
    rules = (settings.least, banned)
    index = loop.index_pairs(words, tokens, pairs, index)
    taken = REPORT_EVERY
    while taken == REPORT_EVERY:
        taken, index = loop.train(taken, words, tokens, pairs, index, gathered, foreign, *rules)
        if progress is not None:
            progress(settings.budget - foreign.room, settings.budget)
    return pairs.n_tokens


def banned_spellings(table: FullTable) -> np.ndarray:
    """Base ids of what no merge may spell: (names, longest) int32, padded with BREAK.

    Names of special and byte tokens, as far as they can be spelled, and what the table's start forbids.
    """
    digits = hexdigits + "+"
    names = [*SPECIAL_TOKENS, *(f"<0x{high}{low}>" for high in digits for low in digits)]
    spelled = [table.spelling.ids(name) for name in (*filter(forbidden, names), *table.start.taken)]
    longest = max(map(len, spelled))
    rows = [ids + [BREAK] * (longest - len(ids)) for ids in spelled if BREAK not in ids]
    return np.array(rows, dtype=np.int32).reshape(-1, longest)
