"""Sequential BPE by its definition (Algorithm 2), too slow for text: each step segments all words anew by the
whole table, and counts all tokens and pairs anew.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import ceil

from tokenizers.pre_tokenizers import ByteLevel

SPECIALS = ["<unk>", "<s>", "</s>", "<pad>"]
NAMES = re.compile(r"<unk>|<s>|</s>|<pad>|<0x[+0-9A-Fa-f][0-9A-Fa-f]>")
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

    def __post_init__(self) -> None:
        bytes_ = sorted(ByteLevel.alphabet())
        self.surfaces = SPECIALS + (
            bytes_ if self.alphabet == "bytes" else [f"<0x{byte:02X}>" for byte in range(256)]
        )

    def learn(self, lang: str, words: Mapping[str, int], budget: int, least: int, coverage: float) -> None:
        own = set(range(len(SPECIALS) + 256))
        if self.alphabet == "characters":
            for character in sorted(covering(words, coverage)):
                if character not in self.surfaces:
                    self.surfaces.append(character)
                own.add(self.surfaces.index(character))
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
            self.merges.append((*pair, len(self.surfaces)))
            own.add(len(self.surfaces))
            self.surfaces.append(self.spelled(pair))
        return token is not None or pair is not None

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
        ids = [self.surfaces.index(unit) if unit in self.surfaces else OUTSIDE for unit in self.units(word)]
        ranks = {merge[:2]: rank for rank, merge in enumerate(self.merges)}
        while True:
            found = [(ranks[pair], place) for place, pair in enumerate(pairwise(ids)) if pair in ranks]
            if not found:
                return ids
            rank, place = min(found)
            ids[place : place + 2] = [self.merges[rank][2]]

    def units(self, word: str) -> Sequence[str]:
        if self.alphabet == "characters":
            return word
        printed = {ord(symbol) for symbol in ByteLevel.alphabet() if ord(symbol) < 256}
        others = [byte for byte in range(256) if byte not in printed]
        return [chr(b) if b in printed else chr(256 + others.index(b)) for b in word.encode()]

    def ancestors(self, token: int) -> set[int]:
        """The token with all tokens of its derivation."""
        for left, right, result in self.merges:
            if result == token:
                return {token} | self.ancestors(left) | self.ancestors(right)
        return {token}

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
