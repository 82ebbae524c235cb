"""Member names: camelCase on the wire, snake_case in Python, any letter case in requests."""

from collections.abc import Iterable

from core.lib.errors import InvalidInput


def to_wire(name: str) -> str:
    """`group_name_collection` → `groupNameCollection`."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def camelise(name: str) -> str:
    """Return `videoLength` for `VideoLength`, `id` for `ID`; `check_isadmin` stays, as in SiteServer v6."""
    run = next((i for i, letter in enumerate(name) if not letter.isupper()), len(name))
    lowered = run if run == len(name) or run <= 1 or not name[run].isalpha() else run - 1
    small = name[:lowered].lower()
    # İ would become two letters.
    return small + name[lowered:] if len(small) == lowered else name


def raise_if_two_spellings(names: Iterable[str]) -> None:
    """Raises `InvalidInput` if two names differ in letter case only."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            message = f"{other} and {name} are the same member; send only one of them."
            raise InvalidInput("duplicate_member", message, member=name)
