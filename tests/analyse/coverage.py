"""How often an interval holds the truth."""

from dataclasses import dataclass

TO_THE_LETTER = 0.93


@dataclass(frozen=True)
class Coverage:
    """How often an interval held the truth."""

    what: str
    simulations: int
    held: int
    width: float
    """Mean width: of rates in percentage points, of ranks in ranks."""
    wanted: float

    @property
    def share(self) -> float:
        return self.held / self.simulations

    @property
    def fails(self) -> bool:
        """Under what is wanted: 93% to the letter in a thousand simulations; else by more than chance allows for (one-sided 95%)."""
        chance = 1.645 * (self.wanted * (1 - self.wanted) / self.simulations) ** 0.5
        return self.share < self.wanted - (0.0 if self.wanted == TO_THE_LETTER and self.simulations >= 1000 else chance)

    def __str__(self) -> str:
        return f"{self.what:<84} {self.share:>7.1%} of {self.simulations}  mean width {self.width:5.2f}"
