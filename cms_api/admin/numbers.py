"""Numbers of records in addresses and forms, which anybody may have typed."""


def read_number(text: str | None) -> int | None:
    """The number that the text names; None where it is none that a record could have."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 19 else None


def read_numbers(text: str) -> list[int]:
    """The numbers of a list such as `7,8`; whatever else stands there is passed over."""
    return [number for each in text.split(",") if (number := read_number(each)) is not None]


def read_chosen(text: str) -> dict[int, int | None]:
    """The numbers of records such as `7:3,8`, each with the version in which it was seen, if that was told."""
    found: dict[int, int | None] = {}
    for each in text.split(","):
        number, _mark, version = each.partition(":")
        if (chosen := read_number(number)) is not None:
            found[chosen] = read_number(version)
    return found
