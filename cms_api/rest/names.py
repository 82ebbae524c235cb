"""Member names: camelCase on the wire, snake_case in Python, read in any letter case (design §4)."""

from collections.abc import Iterable

from cms_api.lib.errors import InvalidInput


def to_wire(name: str) -> str:
    """`group_name_collection` → `groupNameCollection`."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def camelise(name: str) -> str:
    """A member name of unknown spelling as it is answered: `VideoLength` → `videoLength`, `ID` → `id`.

    A run of capitals at the start is lowered, except the last one before a small letter; other
    names stay, such as `check_isadmin` (original-behaviour A.0).
    """
    run = next((i for i, letter in enumerate(name) if not letter.isupper()), len(name))
    lowered = run if run == len(name) or run <= 1 or not name[run].isalpha() else run - 1
    return name[:lowered].lower() + name[lowered:]


def refuse_two_spellings(names: Iterable[str]) -> None:
    """Raises InvalidInput when two of the names differ in letter case only."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            raise InvalidInput("duplicate_member", f"{other} and {name} are the same member; send one of them.")
