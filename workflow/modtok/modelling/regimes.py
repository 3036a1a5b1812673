"""Regimes: which language a step is in, and over which subtokenizer (paper sections 6.2 and 6.3).

baseline         the whole vocabulary in every step; the paper takes a joint tokenizer
mono-only        the language's own subtokenizer
samp-full        its own with probability 1/2, else the whole tokenizer
samp-sub{n}      its own with probability 1/2, else its own united with n other languages', drawn without
                 replacement in proportion to their shares of the training data
late{p}-full, late{p}-sub{n}    mono-only for the first p percent of the steps, then as samp-… (ours)

What a step draws follows from the seed and the step's number alone: it is the same on every rank, after
every resumption, and, for the language, in every regime and every length of training.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from modtok.core.errors import ConfigError, require
from modtok.core.model_names import BASELINE, Regime
from modtok.core.seeds import derive

OWN_SHARE = 0.5
"probability of the language's own subtokenizer in a regime that samples (paper section 6.3)"


@dataclass(frozen=True)
class Draw:
    """What a step is in."""

    lang: str
    earlier: int
    "steps in the same language before it"
    langs: tuple[str, ...] | None
    "the subtokenizer's languages, None for the whole tokenizer"

    @property
    def subtokenizer(self) -> str:
        """Its name in the log. Draw("fi", 0, ("en", "fi")).subtokenizer -> "en+fi" """
        return "full" if self.langs is None else "+".join(self.langs)


class Plan:
    """The draws of all steps: Plan(Regime("samp-sub2"), {"en": 0.7, "fi": 0.2, "fr": 0.1}, 1000, 1).draw(7)

    `shares` are the languages' shares of the training data, in the order of the run. Errors: shares that sum
    to nothing, fewer other languages than the regime draws.
    """

    def __init__(self, regime: Regime, shares: Mapping[str, float], steps: int, seed: int) -> None:
        self.regime, self.steps, self.seed = regime, steps, seed
        self.shares = {lang: share for lang, share in shares.items() if share > 0}
        self.langs = list(self.shares)
        require(bool(self.langs), "mixture: no language has a share above 0; give one", ConfigError)
        others, has = regime.others or 0, len(self.langs) - 1
        few = f"regime {regime.name}: it draws {others} other languages, the run has {has}; take fewer"
        require(others <= has, few, ConfigError)
        self._choices, self._earlier = self._draw_languages()

    def _draw_languages(self) -> tuple[np.ndarray, np.ndarray]:
        """Number of each step's language, and of earlier steps in it: (steps,) int64 each."""
        bounds = np.cumsum(np.array([*self.shares.values()]))
        places = np.random.default_rng(derive(self.seed, "languages")).random(self.steps) * bounds[-1]
        choices = np.searchsorted(bounds, places, side="right").clip(max=len(self.langs) - 1)
        earlier = np.empty(self.steps, np.int64)
        for number in range(len(self.langs)):
            own = np.flatnonzero(choices == number)
            earlier[own] = np.arange(own.size)
        return choices, earlier

    def draw(self, step: int) -> Draw:
        """The draw of a step, counted from 0."""
        lang = self.langs[self._choices[step]]
        return Draw(lang, int(self._earlier[step]), self._subtokenizer(lang, step))

    def _subtokenizer(self, lang: str, step: int) -> tuple[str, ...] | None:
        if self.regime.name == BASELINE:
            return None
        rng = np.random.default_rng(derive(self.seed, "subtokenizer", step))
        alone = rng.random() < OWN_SHARE or step < self.regime.start * self.steps
        if alone or self.regime.sampled is None:
            return (lang,)
        if self.regime.others is None:
            return None
        united = {lang, *self._others(lang, self.regime.others, rng)}
        return tuple(one for one in self.langs if one in united)

    def _others(self, lang: str, number: int, rng: np.random.Generator) -> list[str]:
        others = [one for one in self.langs if one != lang]
        weights = np.array([self.shares[one] for one in others])
        return rng.choice(others, size=number, replace=False, p=weights / weights.sum()).tolist()
