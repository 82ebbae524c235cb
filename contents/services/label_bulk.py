"""To which groups contents belong and which tags they carry; both stand in them as names with commas between."""

from collections.abc import Callable, Iterable, Sequence

from django.db import transaction

from cms_api.lib.errors import InvalidInput, ServiceError
from contents.models import Content
from contents.storing.locking import Locked, Seen
from contents.storing.overwrite import overwrite_each
from contents.wire.name_list import MAX_NAMES, split_names

# The names that a content is to have, out of those that it has.
_Rule = Callable[[list[str]], list[str]]


def add_names(
    seen: Sequence[Seen], member: str, names: Iterable[str], editor: str
) -> list[Content | ServiceError | None]:
    """Add names of groups or tags, whichever `member` holds, behind those that the contents have.

    A content that is not there, or would have too many, is refused; one that has them all is told as None.
    """
    added = list(names)
    return _rename(seen, member, lambda present: [*present, *(name for name in added if name not in present)], editor)


def remove_names(
    seen: Sequence[Seen], member: str, names: Iterable[str], editor: str
) -> list[Content | ServiceError | None]:
    """Take names of groups or tags away from the contents that have them; one that has none is told as None.

    A content that is not there is refused.
    """
    unwanted = set(names)
    return _rename(seen, member, lambda present: [name for name in present if name not in unwanted], editor)


@transaction.atomic
def _rename(seen: Sequence[Seen], member: str, rule: _Rule, editor: str) -> list[Content | ServiceError | None]:
    locked = Locked(seen)
    decided = locked.decide(lambda content: _joined(getattr(content, member), rule))
    return locked.results_if_changed(
        overwrite_each([(content, {member: joined}) for content, joined in decided], editor=editor)
    )


def _joined(text: str, rule: _Rule) -> str:
    present = split_names(text)
    names = rule(present)
    if len(names) == len(present):
        return text  # as it is written, with its blanks
    joined = ",".join(names)
    if len(joined) > MAX_NAMES:
        raise InvalidInput("too_many_names", f"The names have at most {MAX_NAMES} characters together.")
    return joined
