"""What a count says."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Count:
    """How often something has been counted, and in how many seconds that is forgotten: at least 1, rounded up."""

    number: int
    seconds_left: int

    @classmethod
    def until(cls, number: int, seconds: float) -> "Count":
        """The count with that exact rest of time."""
        # Milliseconds are what clocks of databases tell; what lies below comes from calculating.
        return cls(number, max(1, math.ceil(round(seconds, 3))))
