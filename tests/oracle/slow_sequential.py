"""Sequential BPE by its definition (Algorithm 2), too slow for text: each step segments all words anew by the
whole table, and counts all tokens and pairs anew. RecountingSequential keeps segmentation and counts, and
checks them in the end, which is fast enough for real text.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import ceil
from typing import Any

from tokenizers.pre_tokenizers import ByteLevel

SPECIALS = ["<unk>", "<s>", "</s>", "<pad>"]
NAMES = re.compile(r"<unk>|<s>|</s>|<pad>|<0x[+0-9A-Fa-f][0-9A-Fa-f]>")
PRINTED = [ord(symbol) for symbol in ByteLevel.alphabet() if ord(symbol) < 256]
OTHERS = [byte for byte in range(256) if byte not in PRINTED]
SYMBOLS = [chr(byte if byte in PRINTED else 256 + OTHERS.index(byte)) for byte in range(256)]
OUTSIDE = -1
"Where a character has no token; nothing merges with it."


@dataclass
class SlowSequential:
    """The table and the sets; ids are positions in `surfaces`."""

    alphabet: str
    surfaces: list[str] = field(default_factory=list)
    merges: list[tuple[int, int, int]] = field(default_factory=list)
    modules: dict[str, set[int]] = field(default_factory=dict)
    passed_over: bool = False
    numbers: dict[str, int] = field(default_factory=dict)
    ranks: dict[tuple[int, int], int] = field(default_factory=dict)
    parts: dict[int, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        bytes_ = sorted(ByteLevel.alphabet())
        base = bytes_ if self.alphabet == "bytes" else [f"<0x{byte:02X}>" for byte in range(256)]
        for surface in (*SPECIALS, *base):
            self.add(surface)

    def add(self, surface: str) -> int:
        self.numbers[surface] = len(self.surfaces)
        self.surfaces.append(surface)
        return self.numbers[surface]

    def learn(self, lang: str, words: Mapping[str, int], budget: int, least: int, coverage: float) -> None:
        own = set(range(len(SPECIALS) + 256))
        if self.alphabet == "characters":
            for character in sorted(covering(words, coverage)):
                own.add(self.numbers[character] if character in self.numbers else self.add(character))
        while len(own) - len(SPECIALS) < budget and self.step(own, words, budget, least):
            pass
        self.modules[lang] = own

    def step(self, own: set[int], words: Mapping[str, int], budget: int, least: int) -> bool:
        """Adopt or merge; False where there is nothing left to take."""
        tokens, pairs = self.counted(words)
        room = budget + len(SPECIALS) - len(own)
        known = [u for u in tokens if u not in own and tokens[u] >= least]
        fitting = [u for u in known if len(self.ancestors(u) - own) <= room]
        self.passed_over |= len(fitting) < len(known)
        token = min(fitting, key=lambda u: (-tokens[u], u), default=None)
        eligible = [p for p in pairs if own.issuperset(p) and pairs[p] >= least and self.may_spell(p)]
        pair = min(eligible, key=lambda p: (-pairs[p], p), default=None)
        if token is not None and (pair is None or tokens[token] >= pairs[pair]):
            own |= self.ancestors(token)
        elif pair is not None:
            own.add(self.merge(pair))
        return token is not None or pair is not None

    def merge(self, pair: tuple[int, int]) -> int:
        new = self.add(self.spelled(pair))
        self.ranks[pair], self.parts[new] = len(self.merges), pair
        self.merges.append((*pair, new))
        return new

    def counted(self, words: Mapping[str, int]) -> tuple[Counter[int], Counter[tuple[int, int]]]:
        tokens: Counter[int] = Counter()
        pairs: Counter[tuple[int, int]] = Counter()
        for word, count in words.items():
            segmented = self.segmented(word)
            for token in segmented:
                tokens[token] += count if token != OUTSIDE else 0
            for pair in pairwise(segmented):
                pairs[pair] += count if OUTSIDE not in pair else 0
        return tokens, pairs

    def segmented(self, word: str) -> list[int]:
        """Lowest rank first, leftmost first."""
        ids = [self.numbers.get(unit, OUTSIDE) for unit in self.units(word)]
        while True:
            pairs = enumerate(pairwise(ids))
            found = [(self.ranks[pair], place) for place, pair in pairs if pair in self.ranks]
            if not found:
                return ids
            rank, place = min(found)
            ids[place : place + 2] = [self.merges[rank][2]]

    def units(self, word: str) -> Sequence[str]:
        return word if self.alphabet == "characters" else [SYMBOLS[byte] for byte in word.encode()]

    def ancestors(self, token: int) -> set[int]:
        """The token with all tokens of its derivation."""
        parts = self.parts.get(token, ())
        return {token}.union(*(self.ancestors(part) for part in parts))

    def spelled(self, pair: tuple[int, int]) -> str:
        return self.surfaces[pair[0]] + self.surfaces[pair[1]]

    def may_spell(self, pair: tuple[int, int]) -> bool:
        return NAMES.fullmatch(self.spelled(pair)) is None


def covering(words: Mapping[str, int], coverage: float) -> set[str]:
    """The fewest most frequent characters that make up this share of the text, ties to the smaller."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            counts[character] += count
    wanted, covered, chosen = ceil(Fraction(str(coverage)) * counts.total()), 0, set()
    for character in sorted(counts, key=lambda character: (-counts[character], character)):
        if covered >= wanted:
            break
        chosen.add(character)
        covered += counts[character]
    return chosen


class Best:
    """The keys of a counter by falling count, then by key, while the counts change."""

    def __init__(self, counts: Counter) -> None:
        self.counts = counts
        self.heap = [(-count, key) for key, count in counts.items()]
        heapify(self.heap)

    def risen(self, key: Any) -> None:
        heappush(self.heap, (-self.counts[key], key))

    def first(self, least: int, fits: Callable[[Any], bool], never: Callable[[Any], bool]) -> Any:
        """The best key that fits; those that never will are forgotten. Entries of old counts are renewed."""
        aside, best = [], None
        while self.heap and best is None and -self.heap[0][0] >= least:
            count, key = heappop(self.heap)
            if -count != self.counts[key]:
                self.risen(key)
            elif not never(key):
                aside.append((count, key))
                best = key if fits(key) else None
        for entry in aside:
            heappush(self.heap, entry)
        return best


class RecountingSequential(SlowSequential):
    """The same with a segmentation that is kept: a merge of the last rank only replaces its pair."""

    def learn(self, lang: str, words: Mapping[str, int], budget: int, least: int, coverage: float) -> None:
        self.begun = False
        super().learn(lang, words, budget, least, coverage)
        if not self.begun:
            return
        assert all(segmented == self.segmented(word) for word, segmented in self.now.items())
        assert (+self.tokens, +self.pairs) == tuple(+counter for counter in self.counted(words))

    def step(self, own: set[int], words: Mapping[str, int], budget: int, least: int) -> bool:
        if not self.begun:
            self.begin(words)
        room = budget + len(SPECIALS) - len(own)
        token = self.best_token.first(least, lambda u: len(self.ancestors(u) - own) <= room, own.__contains__)
        pair = self.best_pair.first(least, own.issuperset, lambda p: not self.may_spell(p))
        if token is not None and (pair is None or self.tokens[token] >= self.pairs[pair]):
            own |= self.ancestors(token)
        elif pair is not None:
            new = self.merge(pair)
            own.add(new)
            for word in self.holding.pop(pair):
                self.recount(word, pair, new)
        return token is not None or pair is not None

    def begin(self, words: Mapping[str, int]) -> None:
        self.begun, self.words, self.now = True, words, {word: self.segmented(word) for word in words}
        self.tokens, self.pairs = self.counted(words)
        self.holding: dict[tuple[int, int], set[str]] = defaultdict(set)
        for word, segmented in self.now.items():
            for pair in pairwise(segmented):
                self.holding[pair].add(word)
        self.best_token, self.best_pair = Best(self.tokens), Best(self.pairs)

    def recount(self, word: str, pair: tuple[int, int], new: int) -> None:
        count, before, after = self.words[word], self.now[word], []
        for token in before:
            if after and (after[-1], token) == pair:
                after[-1] = new
            else:
                after.append(token)
        self.now[word] = after
        for segmented, sign in ((before, -count), (after, count)):
            for token in segmented:
                self.tokens[token] += sign if token != OUTSIDE else 0
            for both in pairwise(segmented):
                self.pairs[both] += sign if OUTSIDE not in both else 0
        for both in pairwise(after):
            if new in both:
                self.best_pair.risen(both)
                self.holding[both].add(word)
