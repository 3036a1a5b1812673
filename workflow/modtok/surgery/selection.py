"""Which rows may go: by writing system, with filters for what must stay (third document, 3.2).

A candidate has a character of a script to delete and none of a script to keep; bytes and added tokens never
go. Candidates come by descending id within each script, as later merges tend to have higher ids, the
scripts in the order given. A token of two scripts to delete comes with the first of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modtok.core.errors import ConfigError, require
from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.scripts import Scripts


@dataclass(frozen=True)
class Policy:
    """Writing systems to give rows to, to take them from, and to spare."""

    targets: tuple[str, ...]
    delete: tuple[str, ...]
    keep: tuple[str, ...] = ()
    reset: bool = True
    "whether all rows with a character of a target script go first, whatever `keep` says"

    def check(self, by_use: bool = False) -> None:
        """Errors: no target; a script that is to be deleted and is kept, or is a target as well.

        `by_use`: rows go by use (same_script); then scripts to delete must be named, the target's may be one.
        """
        require(len(self.targets) > 0, "--target-script: none given; name at least one", ConfigError)
        given = bool(self.delete) or not by_use
        require(given, "--delete-scripts: none given; name those that give rows", ConfigError)
        _check_apart("--delete-scripts", self.delete, "--keep-scripts", self.keep)
        if not by_use:
            _check_apart("--target-script", self.targets, "--delete-scripts", self.delete)


def _check_apart(option: str, scripts: Sequence[str], other_option: str, others: Sequence[str]) -> None:
    both = ", ".join(script for script in scripts if script in others)
    require(not both, f"{both}: in {option} and in {other_option}; choose one", ConfigError)


@dataclass(frozen=True)
class Selection:
    """Rows that may go, in the order in which they go."""

    reset: list[int]
    "rows with a character of a target script, by descending id: all of them go, before all others"
    optional: list[int]
    "candidates of the scripts to delete"

    def __len__(self) -> int:
        return len(self.reset) + len(self.optional)


def select(bpe: ByteLevelBPE, scripts: Mapping[int, Scripts], policy: Policy) -> Selection:
    """The rows that a checked policy lets go. `scripts`: what scripts_by_token says of the tokens.

    select(bpe, scripts, Policy(("Greek",), delete=("Thai",))).optional[0]
    """
    free = sorted((number for number in scripts if number not in bpe.protected), reverse=True)
    targets = set(policy.targets)
    reset = [number for number in free if policy.reset and scripts[number] & targets]
    # without a reset the target's own rows stay, in mixed tokens too
    spared = targets.union(policy.keep)
    candidates = [number for number in free if not scripts[number] & spared]
    return Selection(reset, list(dict.fromkeys(_by_script(candidates, scripts, policy.delete))))


def _by_script(candidates: Sequence[int], scripts: Mapping[int, Scripts], delete: Sequence[str]) -> list[int]:
    return [number for script in delete for number in candidates if script in scripts[number]]
