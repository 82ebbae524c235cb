def read_number(text: str | None) -> int | None:
    """Return the number; None if it cannot be an id."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 19 else None


def read_numbers(text: str) -> list[int]:
    return [number for each in text.split(",") if (number := read_number(each)) is not None]


def read_chosen(text: str) -> dict[int, int | None]:
    """Return the ids in `7:3,8` with the optional versions shown."""
    found: dict[int, int | None] = {}
    for each in text.split(","):
        number, _mark, version = each.partition(":")
        if (chosen := read_number(number)) is not None:
            found[chosen] = read_number(version)
    return found
