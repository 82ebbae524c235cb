"""The groups and tags of a site: made, renamed, joined and removed along with the names that contents carry.

A name stands in the text of each content, so that a group with a hundred thousand contents is renamed content by
content: in portions, each a transaction that notes the change in the history of its contents. Whoever is interrupted
leaves some contents with the old name and some with the new one, both of which are there; doing it again goes on.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Model, QuerySet

from channels_app.services import hold_contents
from cms_api import audit
from cms_api.lib.errors import InvalidInput, NotFound, ServiceError
from contents.flags import ListKind
from contents.models import Content, ContentGroup, ContentTag, ListedContent, ListedCount
from contents.storing.batches import LONG
from contents.storing.locking import Locked, Seen
from contents.storing.overwrite import overwrite_each, store_each
from contents.wire.name_list import MAX_NAME, MAX_NAMES, split_names

PORTION = 250  # contents of one transaction: others who write wait for a moment only
_READ_AT_A_TIME = 2000  # texts of names that are looked through
# The names that a content is to have, out of those that it has.
_Rule = Callable[[list[str]], list[str]]


@dataclass(frozen=True)
class Names:
    """Groups or tags: their list, their table, and the columns that hold a name there and the names of a content."""

    kind: ListKind
    model: type[ContentGroup] | type[ContentTag]
    column: str
    member: str

    def name_of(self, row: Model) -> str:
        return str(getattr(row, self.column))

    def rows(self) -> QuerySet[Any]:
        return self.model._default_manager.all()


GROUPS = Names(ListKind.GROUP, ContentGroup, "group_name", "group_name_collection")
TAGS = Names(ListKind.TAG, ContentTag, "tag_name", "tags")


def known_among(names: Names, site_ids: Iterable[int], text: str) -> set[str]:
    """Which of the names in the text, taken as they stand, are there in the sites already."""
    rows = names.rows().filter(site__in=list(site_ids), **{f"{names.column}__in": split_names(text)})
    return set(rows.values_list(names.column, flat=True))


@transaction.atomic
def create_group(site_id: int, name: str, description: str = "", taxis: int = 0) -> ContentGroup:
    """A new group without contents. Raises InvalidInput for a name that cannot be, or is there already."""
    name = require_name(name)
    made, is_new = ContentGroup.objects.get_or_create(
        site_id=site_id, group_name=name, defaults={"description": description, "taxis": taxis}
    )
    if not is_new:
        raise InvalidInput("name_of_group_taken", f"Site {site_id} has the group {name} already.")
    audit.note("content.group_created", made, site_id=site_id)
    return made


@transaction.atomic
def describe_group(group_id: int, description: str, taxis: int) -> ContentGroup:
    """Give the group another description and place. Raises NotFound."""
    group = ContentGroup.objects.select_for_update().filter(pk=group_id).first()
    if group is None:
        raise _gone(group_id)
    values = {"description": description, "taxis": taxis}
    changed = [name for name, value in values.items() if getattr(group, name) != value]
    if changed:
        group.description, group.taxis = description, taxis
        group.save(update_fields=changed)
        audit.note("content.group_changed", group, site_id=group.site_id, changed=changed)
    return group


def require_name(name: str) -> str:
    """The name without blanks around it. Raises InvalidInput for one that contents cannot carry."""
    name = name.strip()
    if not name or len(name) > MAX_NAME or "," in name or not name.isprintable():
        raise InvalidInput("name_unfit", f"A name has 1 to {MAX_NAME} characters and no comma.")
    return name


def replace_name(names: Names, row_id: int, new: str | None, most: int) -> tuple[int, bool]:
    """Give up to so many contents the new name in place of that of the row, or none for None, and then the row goes.

    Answers in how many it was replaced, and whether all is done. If the new name is there already, both become one.
    Raises NotFound, or InvalidInput for a name that cannot be or does not fit into a content.
    """
    row = names.rows().filter(pk=row_id).first()
    if row is None:
        raise _gone(row_id)
    new = None if new is None else require_name(new)
    if new == names.name_of(row):
        return 0, True
    if new is not None:
        _make_target(names, row, new)
    replaced = 0
    while replaced < most:
        number = _replace_in_portion(names, row, new) or _replace_in_trash(names, row, new, most - replaced)
        if not number:
            return replaced, _remove(names, row, new)
        replaced += number
    return replaced, False


def _make_target(names: Names, row: Any, new: str) -> None:
    """The group or tag of the new name; a new group takes over what the old one is described by."""
    own = {name: getattr(row, name) for name in ("description", "taxis") if hasattr(row, name)}
    try:
        names.rows().get_or_create(**{"site_id": row.site_id, names.column: new}, defaults=own)
    except IntegrityError as error:  # the site has gone
        raise _gone(row.pk) from error


@transaction.atomic
def _replace_in_portion(names: Names, row: Any, new: str | None) -> int:
    hold_contents(row.site_id)
    listed = ListedContent.objects.filter(kind=names.kind, owner_id=row.pk).values_list("content_id", flat=True)
    return _replace(names, row, new, list(listed[:PORTION]))


def _replace_in_trash(names: Names, row: Any, new: str | None, most: int) -> int:
    """The same for up to so many contents in the trash, which stand in no list and would bring the old name back."""
    numbers = _carrying_in_trash(names, row, most)
    portions = [numbers[start : start + PORTION] for start in range(0, len(numbers), PORTION)]
    return sum(_replace_among(names, row, new, portion) for portion in portions)


@transaction.atomic
def _replace_among(names: Names, row: Any, new: str | None, numbers: Sequence[int]) -> int:
    hold_contents(row.site_id)
    return _replace(names, row, new, numbers)


def _carrying_in_trash(names: Names, row: Any, most: int) -> list[int]:
    # The trash is read once and without a lock, since many names may hold this one as a part.
    old = names.name_of(row)
    trashed = Content.objects.filter(site_id=row.site_id, trashed_at__isnull=False)
    texts = trashed.filter(**{f"{names.member}__contains": old}).order_by().values_list("pk", names.member)
    found = (pk for pk, text in texts.iterator(chunk_size=_READ_AT_A_TIME) if old in split_names(text))
    return sorted(islice(found, most))


def _replace(names: Names, row: Any, new: str | None, numbers: Sequence[int]) -> int:
    # Locked in the order of their ids, as by whoever else changes several.
    contents = Content.objects.filter(pk__in=numbers).defer(*LONG).order_by("pk").select_for_update()
    changes = []
    for content in contents:
        before = getattr(content, names.member)
        after = _replaced(before, names.name_of(row), new)
        if len(after) > MAX_NAMES:
            message = f"Content {content.pk} would have more than {MAX_NAMES} characters of names."
            raise InvalidInput("name_too_long", message)
        if after != before:
            changes.append((content, {names.member: after}))
    return len(store_each(changes))


def _replaced(text: str, old: str, new: str | None) -> str:
    names = (new if name == old else name for name in split_names(text))
    return ",".join(dict.fromkeys(name for name in names if name))


@transaction.atomic
def _remove(names: Names, row: Any, new: str | None) -> bool:
    """Take the group or tag away that no content carries any more; False where one has come to carry it again."""
    # Exclusively: who adds a content with the name right now waits, and finds the row gone.
    hold_contents(row.site_id, exclusive=True)
    if ListedContent.objects.filter(kind=names.kind, owner_id=row.pk).exists():
        return False
    details: dict[str, Any] = {"name": new} if new else {}
    audit.note("content.name_replaced", row, site_id=row.site_id, **details)
    ListedCount.objects.filter(kind=names.kind, owner_id=row.pk).delete()
    names.rows().filter(pk=row.pk).delete()
    return True


def _gone(number: int) -> NotFound:
    return NotFound("name_not_found", f"The group or tag {number} is not there any more.")


# ---- Names of several contents


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
