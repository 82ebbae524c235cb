"""Positions in the log of a PostgreSQL server, as numbers: whatever was committed lies before its end at that time."""

UNKNOWN = 2**64 - 1  # beyond every other


def parse(text: str) -> int:
    """The number of a position such as `16/B374D848`."""
    high, _, low = text.partition("/")
    return int(high, 16) << 32 | int(low, 16)
