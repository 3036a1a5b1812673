"""The strict audit after surgery, by Hugging Face's own merging, which shares no code with the insertion.

A token is reachable when ranked merging of its own bytes gives back exactly that token, with no
pre-tokenizer and with `ignore_merges` off. Tokens that could not be reached before are reported apart.
"""

from collections.abc import Set
from dataclasses import dataclass

from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.segmentation import Segmenter


@dataclass(frozen=True)
class Verification:
    """Ids by what the audit finds."""

    unreachable_before: list[int]
    newly_broken: list[int]
    "tokens that stayed and were reachable before: none, or surgery has failed"
    still_unreachable: list[int]
    "tokens that stayed and were unreachable before"
    reached_now: list[int]
    "tokens that stayed, were unreachable before, and are reachable now"
    inserted: list[int]
    inserted_unreachable: list[int]
    "none, or surgery has failed"

    @property
    def ok(self) -> bool:
        """Whether nothing that stayed broke and all that came is reachable."""
        return not self.newly_broken and not self.inserted_unreachable


def verify(before: ByteLevelBPE, after: ByteLevelBPE, lost_before: Set[int] | None = None) -> Verification:
    """Audit a tokenizer after surgery against the one before; a row stayed if it holds the same token.

    `lost_before`: unreachable(before), where several are held against it.
    """
    lost_before = unreachable(before) if lost_before is None else lost_before
    lost_after = unreachable(after)
    inserted = [number for number, token in after.tokens.items() if before.tokens.get(number) != token]
    new = set(inserted)
    stayed_lost = lost_after - new
    stayed = after.surfaces.keys() - new
    return Verification(
        sorted(lost_before),
        sorted(stayed_lost - lost_before),
        sorted(stayed_lost & lost_before),
        sorted(stayed & lost_before - lost_after),
        inserted,
        sorted(lost_after & new),
    )


def unreachable(bpe: ByteLevelBPE) -> set[int]:
    """The tokens that merging does not give back; bytes and added tokens are not asked."""
    segmenter = Segmenter(bpe)
    asked = bpe.tokens.keys() - bpe.protected
    return {number for number in asked if segmenter.ids(bpe.tokens[number]) != [number]}
