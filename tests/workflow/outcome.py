"""What came of a campaign of faults."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """How many faults there were, and how many the project came through with nothing lost."""

    campaign: str
    attempts: int
    survived: int
    about: str = ""
    skipped: str = ""
    "why there were none"

    @property
    def lost(self) -> int:
        return self.attempts - self.survived

    def __str__(self) -> str:
        said = f"skipped: {self.skipped}" if self.skipped else f"{self.survived} survived, {self.lost} lost"
        return f"{self.campaign}: {self.attempts} attempts, {said}" + (
            f" ({self.about})" if self.about else ""
        )
