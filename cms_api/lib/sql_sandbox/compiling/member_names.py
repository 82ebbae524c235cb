"""The names of an answer's members: camelCase as the original makes it, and unique."""

from collections.abc import Iterable
from itertools import count


def camel_cased(name: str) -> str:
    """A name whose leading run of capitals is lowered.

    The last one of the run stays when a non-capital other than a blank comes next: it begins a word.
    """
    run = next((place for place, character in enumerate(name) if not character.isupper()), len(name))
    if run == 0:
        return name
    begins_word = 1 < run < len(name) and not name[run].isspace()
    lowered = run - 1 if begins_word else run
    return name[:lowered].lower() + name[lowered:]


def member_names(names: Iterable[str]) -> tuple[str, ...]:
    """The members for columns of these names; 1, 2, … is appended to one that another has, letter case ignored."""
    taken: set[str] = set()
    members = []
    for name in names:
        plain = member = camel_cased(name)
        numbers = count(1)
        while member.casefold() in taken:
            member = f"{plain}{next(numbers)}"
        taken.add(member.casefold())
        members.append(member)
    return tuple(members)
