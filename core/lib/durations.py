import re
from argparse import ArgumentTypeError
from datetime import timedelta

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def parse_duration(text: str) -> timedelta:
    """Parse `30m`, `24h`, `7d`, or `0` for none; raises ValueError with a sentence."""
    text = text.strip()
    if text == "0":
        return timedelta(0)
    match = re.fullmatch(r"(\d{1,5})([mhd])", text.lower(), re.ASCII)
    if match is None:
        raise ValueError(f"{text!r} is not a duration; write 30m, 24h or 7d.")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def duration_option(text: str) -> timedelta:
    """Parse a duration as the `type` of a command's option: a wrong one ends the command with exit code 2."""
    try:
        return parse_duration(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error
