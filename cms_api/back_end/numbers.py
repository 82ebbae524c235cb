"""Numbers of records in addresses and forms, which anybody may have typed."""


def read_number(text: str | None) -> int | None:
    """The number that the text names; None where it is none that a record could have."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 19 else None


def read_numbers(text: str) -> list[int]:
    """The numbers of a list such as `7,8`; whatever else stands there is passed over."""
    return [number for each in text.split(",") if (number := read_number(each)) is not None]
