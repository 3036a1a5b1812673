"""Surgery as it is asked for: from word counts or donors, scripts and slots to the operation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from modtok.core.errors import ConfigError, require
from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.derivations import Derivations, derivations
from modtok.surgery.donor import Donor, donor, interleaved, text_tokens, tokenizer_tokens, train_donor
from modtok.surgery.insertion import PairChoice, first_pair
from modtok.surgery.mixing import mixed
from modtok.surgery.operation import Operation, operate
from modtok.surgery.pair_order import most_frequent_pair
from modtok.surgery.same_script import least_made
from modtok.surgery.scripts import Scripts, ScriptTable, scripts_by_token
from modtok.surgery.segmentation import token_frequencies
from modtok.surgery.selection import Policy, Selection, select
from modtok.tokenization.bpe import TrainedBPE
from modtok.tokenization.pretokens import split_again
from modtok.tokenization.word_count_files import WordCounts, read_counts

TARGET = "target"
"The name of the target's own words among the corpora."
_TAKEN = "the name of the target's own words in the report; give the language another"


@dataclass(frozen=True)
class Request:
    """What is asked for. Files of counts are summed up where several are named together."""

    policy: Policy
    slots: int | None
    "None: all rows that can go"
    counts: Sequence[Path] = ()
    "of the target language; a donor is trained on them"
    donors: Sequence[Path] = ()
    "tokenizers that bring tokens, in turn"
    spared: Mapping[str, Path] = field(default_factory=dict)
    "counts of other languages of the target script that the donor is trained on as well"
    spared_share: float = 0.0
    "their share of the donor's text"
    keep_counts: Mapping[str, Path] = field(default_factory=dict)
    "counts of languages to keep: rows go by use, not by script"
    min_frequency: int = 2
    by_frequency: bool = False
    "whether the most frequent pair of a surface's pieces is joined first"

    def check(self) -> None:
        """Errors: those of the policy; neither counts nor a donor; options that need or contradict others."""
        self.policy.check(by_use=bool(self.keep_counts))
        given = bool(self.counts) != bool(self.donors)
        require(given, "give either --counts, to train a donor, or --donor", ConfigError)
        needs_counts = not (self.spared or self.by_frequency) or bool(self.counts)
        require(needs_counts, "--spare and --pair-order frequency need --counts", ConfigError)
        in_range = 0 <= self.spared_share < 1
        require(in_range, f"--spare-share {self.spared_share}: from 0 to below 1", ConfigError)
        require(self.slots is None or self.slots > 0, f"--slots {self.slots}: at least 1", ConfigError)
        require(TARGET not in {**self.spared, **self.keep_counts}, f"{TARGET}: {_TAKEN}", ConfigError)
        for lang in self.spared.keys() & self.keep_counts.keys():
            same = self.spared[lang] == self.keep_counts[lang]
            require(same, f"{lang}: --spare and --keep-counts name different files; name one", ConfigError)


class Surgery:
    """A request carried out on a tokenizer. Example: Surgery(bpe, request).operation.after."""

    def __init__(self, bpe: ByteLevelBPE, request: Request) -> None:
        request.check()
        self.bpe, self.request = bpe, request

    @cached_property
    def scripts(self) -> dict[int, Scripts]:
        """Scripts by token."""
        return scripts_by_token(self.bpe.tokens)

    @cached_property
    def derived(self) -> Derivations:
        """Derivations of the tokens before."""
        return derivations(self.bpe)

    @cached_property
    def target_counts(self) -> WordCounts | None:
        """The target's words as the tokenizer cuts them. Error: none has a character of a target script."""
        if not self.request.counts:
            return None
        counts = split_again(read_counts(self.request.counts), self.bpe.frame)
        table, targets = ScriptTable(counts.words), set(self.request.policy.targets)
        has_target = any(table.of(word) & targets for word in counts.words)
        named = ", ".join(self.request.policy.targets)
        require(
            has_target, f"{counts.source}: no character of {named}; name counts of a language written in it"
        )
        return counts

    @cached_property
    def corpora(self) -> dict[str, WordCounts]:
        """Words that rows are valued by and tokens counted on: the target's, those of other languages."""
        others = {**self.request.keep_counts, **self.request.spared}
        own = {} if self.target_counts is None else {TARGET: self.target_counts}
        return own | {name: split_again(read_counts([path]), self.bpe.frame) for name, path in others.items()}

    @cached_property
    def chosen(self) -> Selection:
        """The rows that may go."""
        if not self.request.keep_counts:
            return select(self.bpe, self.scripts, self.request.policy)
        valued = {TARGET, *self.request.keep_counts}
        frequency = token_frequencies(
            self.bpe, {name: words for name, words in self.corpora.items() if name in valued}
        )
        return least_made(self.bpe, self.derived, self.scripts, frequency, self.request.policy)

    @cached_property
    def trained_donor(self) -> TrainedBPE:
        """The donor that is trained on the target's words, and those of the languages that are spared."""
        request, counts = self.request, self.target_counts
        assert counts is not None, "a donor is trained where there are counts"
        others = {lang: self.corpora[lang] for lang in request.spared}
        words = mixed(counts, others, request.spared_share) if others else counts
        return train_donor(words, request.slots or len(self.chosen), request.min_frequency)

    @cached_property
    def donor(self) -> Donor:
        """What is to be inserted."""
        request = self.request
        counts = self.target_counts
        if counts is None:
            tokens = interleaved([tokenizer_tokens(path) for path in request.donors])
            name = ", ".join(map(str, request.donors))
        else:
            tokens = text_tokens(self.trained_donor)
            name = counts.source
        return donor(self.bpe, tokens, request.policy.targets, name)

    @cached_property
    def operation(self) -> Operation:
        """The operation, carried out. Error: fewer slots than rows of the target script that go first."""
        reset, slots = len(self.chosen.reset), self.request.slots
        named = ", ".join(self.request.policy.targets)
        remedy = f"give at least {reset}, or keep them with --no-reset"
        require(
            slots is None or slots >= reset,
            f"--slots {slots}: {reset} rows hold a character of {named} and go first; {remedy}",
            ConfigError,
        )
        choose: PairChoice = first_pair
        if self.request.by_frequency and self.target_counts is not None:
            choose = most_frequent_pair(self.target_counts)
        return operate(self.bpe, self.derived, self.chosen, self.donor, self.request.slots, choose)
