"""Groups and tags of a site, and their names in contents.

Contents store names as text, so renaming changes them in portions, each a transaction that notes the changes. An
interrupted run leaves contents with either name; running it again continues.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from channels_app.services import hold_contents
from contents.flags import ListKind
from contents.models import Content, ContentGroup, ContentQuerySet, ContentTag, ListedContent, ListedCount
from contents.storing.batches import LONG
from contents.storing.locking import Locked, Seen
from contents.storing.overwrite import overwrite_each, store_each
from contents.wire.name_list import MAX_NAME, MAX_NAMES, split_names
from core import audit
from core.admin.places import Places
from core.lib.errors import InvalidInput, NotFound, ServiceError
from core.lib.folding import is_blank
from core.lib.markup import clean_name

BATCH_SIZE = 250  # contents per transaction, so that other writers wait only briefly
_READ_AT_A_TIME = 2000  # rows
# Maps the names of a content to its new names.
_Rule = Callable[[list[str]], list[str]]


@dataclass(frozen=True)
class Names:
    """Groups or tags: list kind, model, its name column, and the content member with the names."""

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
    rows = names.rows().filter(site__in=list(site_ids), **{f"{names.column}__in": split_names(text)})
    return set(rows.values_list(names.column, flat=True))


@transaction.atomic
def create_group(site_id: int, name: str, description: str = "", taxis: int = 0) -> ContentGroup:
    """Create a group. Raises InvalidInput for an invalid or taken name."""
    name = require_name(name)
    made, is_new = ContentGroup.objects.get_or_create(
        site_id=site_id, group_name=name, defaults={"description": description, "taxis": taxis}
    )
    if not is_new:
        raise InvalidInput("name_of_group_taken", f"Site {site_id} already has the group {name}.")
    audit.record("content.group_created", made, site_id=site_id)
    return made


@transaction.atomic
def describe_group(group_id: int, description: str, taxis: int) -> ContentGroup:
    group = ContentGroup.objects.select_for_update().filter(pk=group_id).first()
    if group is None:
        raise _gone(group_id)
    values = {"description": description, "taxis": taxis}
    changed = [name for name, value in values.items() if getattr(group, name) != value]
    if changed:
        group.description, group.taxis, group.is_own = description, taxis, True
        group.save(update_fields=[*changed, "is_own"])
        audit.record("content.group_changed", group, site_id=group.site_id, changed=changed)
    return group


def require_name(name: str) -> str:
    """Clean and trim the name. Raises InvalidInput if contents cannot carry it."""
    name = clean_name(name).strip()
    if is_blank(name) or len(name) > MAX_NAME or "," in name or not name.isprintable():
        raise InvalidInput("name_unfit", f"A name must have 1 to {MAX_NAME} characters and no comma.")
    return name


def tags_known_in(site_id: int, places: Places) -> QuerySet[ContentTag]:
    """Return the tags of the site's approved contents, and of others that are not in the trash in these places."""
    listed = ListedContent.objects.filter(kind=ListKind.TAG, owner_id=OuterRef("pk"))
    if not places.covers_site(site_id):
        listed = listed.filter(Q(is_checked=True) | places.condition("content__site", "channel_id"))
    return ContentTag.objects.filter(Exists(listed), site_id=site_id)


def contents_with(names: Names, row_id: int) -> ContentQuerySet:
    """Return the contents that have the name, except those in the trash."""
    listed = ListedContent.objects.filter(kind=names.kind, owner_id=row_id)
    return Content.objects.filter(pk__in=listed.values("content_id"))


def replace_name(names: Names, row_id: int, new: str | None, most: int) -> tuple[int, bool]:
    """Replace the name in up to `most` contents (None removes it), then delete its row.

    Returns the number of changed contents and whether all is done. An existing new name absorbs the old one. Raises
    NotFound, or InvalidInput if the new name is invalid or too long for a content.
    """
    row = names.rows().filter(pk=row_id).first()
    if row is None:
        raise _gone(row_id)
    new = None if new is None else require_name(new)
    if new == names.name_of(row):
        return 0, True
    if new is not None:
        # A new group inherits the old one's description.
        own = {name: getattr(row, name) for name in ("description", "taxis") if hasattr(row, name)}
        try:
            names.rows().get_or_create(**{"site_id": row.site_id, names.column: new}, defaults=own)
        except IntegrityError as error:  # the site was deleted
            raise _gone(row_id) from error
    listed = ListedContent.objects.filter(kind=names.kind, owner_id=row_id).values_list("content_id", flat=True)
    replaced = 0
    while replaced < most:
        number = _replace(names, row, new, listed[:BATCH_SIZE]) or _replace_in_trash(names, row, new, most - replaced)
        if not number:
            return replaced, _remove(names, row, new)
        replaced += number
    return replaced, False


def _replace_in_trash(names: Names, row: Any, new: str | None, most: int) -> int:
    """Replace it in up to `most` trashed contents, which are in no list and would restore the old name."""
    # A single read without locks, since the text search also finds names that contain this one.
    old = names.name_of(row)
    trashed = Content.objects.filter(site_id=row.site_id, trashed_at__isnull=False)
    texts = trashed.filter(**{f"{names.member}__contains": old}).order_by().values_list("pk", names.member)
    found = (pk for pk, text in texts.iterator(chunk_size=_READ_AT_A_TIME) if old in split_names(text))
    numbers = sorted(islice(found, most))
    portions = [numbers[start : start + BATCH_SIZE] for start in range(0, len(numbers), BATCH_SIZE)]
    return sum(_replace(names, row, new, portion) for portion in portions)


@transaction.atomic
def _replace(names: Names, row: Any, new: str | None, numbers: Iterable[int]) -> int:
    hold_contents(row.site_id)
    # Locked in order of id, as in all bulk changes, to prevent deadlocks.
    contents = Content.objects.filter(pk__in=list(numbers)).defer(*LONG).order_by("pk").select_for_update()
    old, changes = names.name_of(row), []
    for content in contents:
        before = getattr(content, names.member)
        renamed = [new if name == old else name for name in split_names(before)]
        after = ",".join(dict.fromkeys(filter(None, renamed)))
        if len(after) > MAX_NAMES:
            message = f"Content {content.pk} would have more than {MAX_NAMES} characters of names."
            raise InvalidInput("name_too_long", message)
        if after != before:
            changes.append((content, {names.member: after}))
    return len(store_each(changes))


@transaction.atomic
def _remove(names: Names, row: Any, new: str | None) -> bool:
    """Delete the row unless a content has gained the name again; return whether it was deleted."""
    # Exclusive: a content being added with the name waits and finds the row deleted.
    hold_contents(row.site_id, exclusive=True)
    if ListedContent.objects.filter(kind=names.kind, owner_id=row.pk).exists():
        return False
    details: dict[str, Any] = {"name": new} if new else {}
    audit.record("content.name_replaced", row, site_id=row.site_id, **details)
    ListedCount.objects.filter(kind=names.kind, owner_id=row.pk).delete()
    names.rows().filter(pk=row.pk).delete()
    return True


def _gone(number: int) -> NotFound:
    return NotFound("name_not_found", f"The group or tag {number} no longer exists.")


# ---- names of several contents


def add_names(
    seen: Sequence[Seen],
    member: str,
    names: Iterable[str],
    editor: str,
    require: Callable[[Content], None] | None = None,
) -> list[Content | ServiceError | None]:
    """Append names to the contents; None for contents that have them all.

    Refuses missing contents, refusals of `require`, and too many names.
    """
    added = list(names)

    def with_names(present: list[str]) -> list[str]:
        return [*present, *(name for name in added if name not in present)]

    return _rename(seen, member, with_names, editor, require)


def remove_names(
    seen: Sequence[Seen],
    member: str,
    names: Iterable[str],
    editor: str,
    require: Callable[[Content], None] | None = None,
) -> list[Content | ServiceError | None]:
    """Remove group or tag names; the result is None for contents without them.

    Refuses missing contents, and refusals of `require`.
    """
    unwanted = set(names)

    def without_names(present: list[str]) -> list[str]:
        return [name for name in present if name not in unwanted]

    return _rename(seen, member, without_names, editor, require)


@transaction.atomic
def _rename(
    seen: Sequence[Seen], member: str, rule: _Rule, editor: str, require: Callable[[Content], None] | None
) -> list[Content | ServiceError | None]:
    def joined(content: Content) -> str:
        text: str = getattr(content, member)
        present = split_names(text)
        names = rule(present)
        if len(names) == len(present):
            return text  # unchanged, including its blanks
        text = ",".join(names)
        if len(text) > MAX_NAMES:
            raise InvalidInput("too_many_names", f"The names can have at most {MAX_NAMES} characters together.")
        return text

    locked = Locked(seen)
    if require is not None:
        locked.decide(require)
    changes = [(content, {member: names}) for content, names in locked.decide(joined)]
    return locked.results_if_changed(overwrite_each(changes, editor=editor))
