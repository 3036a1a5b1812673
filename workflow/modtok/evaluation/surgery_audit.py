"""What surgery does to a vocabulary: rows that stayed or came, what of them text can reach; rows by script.

All of it is found by comparing the two files, whatever the method. Reachability is the strict audit of
`surgery.verification`.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cached_property

from modtok.core.metrics import Metric
from modtok.surgery.baselines_append import RankConflict, rank_conflict
from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.scripts import rows_by_script, scripts_by_token
from modtok.surgery.verification import Verification, verify
from modtok.tokenization.alphabet import text_of

AUDIT = "vocabulary"
"in place of a parallel set, and of a language"
SCRIPT_COLUMNS = ("tokenizer", "script", "before", "freed", "after")
CONFLICT_COLUMNS = ("tokenizer", "token", "parts", "rank", "taken", "taken_rank", "pieces")
SEPARATOR = "|"
LETTERS = 4
"of a token that is shown as an example, at least"


@dataclass(frozen=True)
class Comparison:
    """A tokenizer after surgery and the one before.

    Comparison("surgery-guided-open-qwen3", before, after, unreachable(before))
    """

    name: str
    before: ByteLevelBPE
    after: ByteLevelBPE
    lost_before: Set[int]
    "tokens of `before` that nothing reaches: the same for all that is compared with it"

    @cached_property
    def verified(self) -> Verification:
        return verify(self.before, self.after, self.lost_before)

    def metrics(self) -> list[Metric]:
        """Rows by what became of them; n is the size of the vocabulary before."""
        rows, found = len(self.before.surfaces), self.verified
        came = len(found.inserted)
        figures = {
            "rows": len(self.after.surfaces),
            "same_id_rows": len(self.after.surfaces) - came,
            "inserted": came,
            "inserted_unreachable": len(found.inserted_unreachable),
            "newly_broken": len(found.newly_broken),
            "unreachable_before": len(found.unreachable_before),
        }
        return [
            Metric(self.name, rows, AUDIT, AUDIT, metric, float(value), None, None, "rows", rows)
            for metric, value in figures.items()
        ]

    def script_rows(self) -> Iterator[dict[str, object]]:
        """Rows of SCRIPT_COLUMNS, the most before first; `freed` rows hold another token after."""
        scripts, new_scripts = (scripts_by_token(bpe.tokens) for bpe in (self.before, self.after))
        freed = [
            number
            for number, surface in self.before.surfaces.items()
            if self.after.surfaces.get(number) != surface
        ]
        counts = rows_by_script(scripts), rows_by_script(scripts, freed), rows_by_script(new_scripts)
        for script in dict.fromkeys([*counts[0], *counts[2]]):
            figures = (of_script.get(script, 0) for of_script in counts)
            yield dict(zip(SCRIPT_COLUMNS, (self.name, script, *figures), strict=True))

    def conflict(self) -> dict[str, object] | None:
        """Row of CONFLICT_COLUMNS: the first inserted word that no text reaches, and why; None if none."""
        for number in self.verified.inserted_unreachable:
            token = self.after.tokens[number]
            if sum(map(str.isalpha, text_of(token) or "")) >= LETTERS:
                found = rank_conflict(self.after, token)
                if found is not None:
                    return _row(self.name, found)
        return None


def _row(name: str, found: RankConflict) -> dict[str, object]:
    shown = (
        _shown(found.token), _joined(found.parts), found.rank,
        _joined(found.taken), found.taken_rank, _joined(found.pieces),
    )  # fmt: skip
    return dict(zip(CONFLICT_COLUMNS, (name, *shown), strict=True))


def _joined(pieces: tuple[bytes, ...]) -> str:
    return SEPARATOR.join(map(_shown, pieces))


def _shown(piece: bytes) -> str:
    r"""A piece as text, with \xD0 for what is not UTF-8, and an open box for a space."""
    text = piece.decode("utf-8", "backslashreplace")
    return text.replace(" ", "␣")
