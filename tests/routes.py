"""Addresses as the project declares them."""

import re


def path_of(pattern):
    """The path of a declared address; one in any letter case by its own spelling."""
    return re.sub(r"\[(\w)\w\]", r"\1", str(pattern.pattern).removeprefix("^").removesuffix("$"))
