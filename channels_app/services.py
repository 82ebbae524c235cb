from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

from django.db import IntegrityError, connection, transaction
from django.db.models import Case, Count, F, Max, Q, Value, When, Window
from django.db.models.functions import Concat, Substr

from channels_app.attributes import CHANNEL_ATTRIBUTES
from channels_app.models import Channel, ChannelQuerySet, channel_not_found
from channels_app.serializers import ChannelSerializer
from core import audit
from core.lib import clock
from core.lib.errors import InvalidInput, NotFound
from core.rest.custom_members import changed_members, differ, merge, name_custom, raise_if_too_many, validate_values
from core.rest.names import to_wire
from core.rest.preconditions import Precondition
from core.rest.serializers import Members
from sites.addresses import resolve
from sites.models import Site, require_site
from sites.page_changes import changing_pages

_TREE_LOCK = 7341  # the first half of the advisory lock's key, as in channels_app/sql
# Columns that may name pages.
_NAMING = {"file_path", "channel_file_path_rule", "content_file_path_rule", "channel_name", "index_name", "settings"}


@transaction.atomic
def create_site(site_name: str, *, home_name: str = "", home: dict[str, Any] | None = None, **fields: Any) -> Site:
    """Create a site and its home channel, with one number. Raises IntegrityError for a taken folder or second root."""
    # The home channel's number becomes the site's; foreign keys are checked at commit.
    channel = Channel.objects.create(site_id=0, channel_name=home_name or site_name, **(home or {}))
    Channel.objects.filter(pk=channel.pk).update(site_id=channel.pk)
    table_name = fields.pop("table_name", "") or f"siteserver_Content_{channel.pk}"
    return Site.objects.create(id=channel.pk, site_name=site_name, table_name=table_name, **fields)


@transaction.atomic
def create_channel(parent: Channel, channel_name: str, **fields: Any) -> Channel:
    """Create the parent's last child. Raises IntegrityError for a taken index name or file path."""
    lock_tree(parent.site_id)
    parent.refresh_from_db()
    taxis = last_taxis(parent) + 1
    siblings(parent.site_id).filter(taxis__gte=taxis).update(taxis=F("taxis") + 1)
    if parent.children_count:
        siblings(parent.site_id).filter(parent=parent, is_last_node=True).update(is_last_node=False)
    channel = Channel.objects.create(
        site_id=parent.site_id,
        parent=parent,
        channel_name=channel_name,
        parents_path=path_below(parent),
        parents_count=parent.parents_count + 1,
        taxis=taxis,
        **fields,
    )
    Channel.objects.filter(pk=parent.pk).update(children_count=F("children_count") + 1)
    return channel


@transaction.atomic
def add_channel(site_id: int, parent_id: int, members: Members) -> Channel:
    """Create the parent's last child from a body. Raises InvalidInput, also if the parent takes no channels."""
    lock_tree(site_id)
    parent = find_addable(site_id, parent_id)
    values, settings = dict(members.values), _settings_of(members.unknown, {})
    name = values.pop("channel_name", None)
    if name is None:
        raise InvalidInput("missing_member", "channelName is required.", member="channelName")
    with _translating_taken(site_id, 0, values):
        channel = create_channel(parent, name, settings=settings, **values)
    audit.record("channel.created", channel, site_id=site_id)
    return channel


@transaction.atomic
def update_channel(
    site_id: int, channel_id: int, members: Members, precondition: Precondition | None = None
) -> Channel:
    """Change only the members sent. Raises NotFound, InvalidInput for a taken name or path, and precondition errors."""
    channel = _hold(site_id, channel_id, precondition)
    values = {name: value for name, value in members.values.items() if getattr(channel, name) != value}
    # Sending back a response does not change the stored value.
    if "image_url" in values and resolve(channel.image_url, channel.site.web_url) == values["image_url"]:
        del values["image_url"]
    settings = _settings_of(members.unknown, channel.settings)
    changed = {to_wire(name) for name in values} | changed_members(settings, channel.settings)
    if differ(settings, channel.settings):
        values["settings"] = settings
    if not values:
        return channel
    watched = nullcontext() if _NAMING.isdisjoint(values) else changing_pages(site_id)
    with _translating_taken(site_id, channel.pk, values), watched:
        for name, value in values.items():
            setattr(channel, name, value)
        channel.version += 1
        channel.save(update_fields=[*values, "version"])
    audit.record("channel.changed", channel, site_id=site_id, changed=changed)
    return channel


@transaction.atomic
def move_channel(
    site_id: int,
    channel_id: int,
    parent_id: int | None,
    before_id: int | None,
    precondition: Precondition | None = None,
) -> Channel:
    """Move the channel before a child of the parent (by default its own), or last. Raises NotFound and InvalidInput."""
    channel = _hold(site_id, channel_id, precondition)
    if channel.parent_id is None:
        raise InvalidInput("home_channel", "The home channel cannot be moved; it is the site itself.")
    parent = _find_new_parent(channel, channel.parent_id if parent_id is None else parent_id)
    before = None
    if before_id is not None:
        before = parent.children.filter(trashed_at=None, pk=before_id).first()
        if before is None:
            message = f"Channel {before_id} is not a child of channel {parent.pk}."
            raise InvalidInput("channel_not_found", message, member="before")
    old_parent_id = channel.parent_id
    if before is not None and before.pk == channel.pk:
        return channel
    with changing_pages(site_id):
        _shift(channel, before.taxis if before else last_taxis(parent) + 1, is_all=parent.pk == old_parent_id)
        if parent.pk != old_parent_id:
            below = Channel.objects.in_channel(channel.pk).order_by().values("pk")
            Channel.objects.filter(pk__in=below).update(**_replanted(channel, parent))
            Channel.objects.filter(pk=channel.pk).update(parent_id=parent.pk, version=F("version") + 1)
            count_children(old_parent_id)
    count_children(parent.pk)
    moved = Channel.objects.get(pk=channel.pk)
    places = {"parentId": (old_parent_id, moved.parent_id), "taxis": (channel.taxis, moved.taxis)}
    if changed := [name for name, (was, now) in places.items() if was != now]:
        audit.record("channel.moved", channel, site_id=site_id, changed=changed)
    return moved


@transaction.atomic
def trash_channel(site_id: int, channel_id: int, precondition: Precondition | None = None) -> Channel:
    """Trash the channel, all below it and their contents. Raises NotFound, InvalidInput for the home channel."""
    channel = _hold(site_id, channel_id, precondition)
    if channel.parent_id is None:
        raise InvalidInput("home_channel", "The home channel cannot be deleted; it is the site itself.")
    # Block new contents in these channels: their writers wait, and then find no channel.
    hold_contents(site_id, exclusive=True)
    below = Channel.objects.in_channel(channel.pk).order_by()
    size = below.count()
    trashed = {"trashed_at": clock.now(), "trashed_with_id": channel.pk, "version": F("version") + 1}
    # Contents first: a present content requires a present channel (contents/sql).
    contents = all_contents().filter(channel__in=below, trashed_at=None).update(**trashed)
    following = Channel.objects.in_site(site_id).filter(parent_id=channel.parent_id, taxis__gt=channel.taxis)
    before_id = following.values_list("pk", flat=True).first()
    with changing_pages(site_id):
        Channel.objects.filter(pk__in=below.values("pk")).update(**trashed)
    Channel.objects.filter(pk=channel.pk).update(trashed_before_id=before_id)
    siblings(site_id).filter(taxis__gt=channel.taxis).update(taxis=F("taxis") - size)
    count_children(channel.parent_id)
    audit.record("channel.trashed", channel, site_id=site_id, channels=size, contents=contents)
    return channel


class Restored(NamedTuple):
    """The numbers of restored channels, including the channel itself, and contents."""

    channels: int
    contents: int


@transaction.atomic
def restore_channel(site_id: int, channel_id: int) -> Restored:
    """Restore the channel and all that was trashed with it, to its former place or, if that no longer exists, as the
    last child.

    Raises NotFound if the channel was not trashed itself, InvalidInput if its parent is in the trash or an index name
    or a file path is taken.
    """
    lock_tree(site_id)
    trashed = Channel.objects.filter(site_id=site_id, trashed_with_id=channel_id)
    channel = trashed.filter(pk=channel_id).first()
    if channel is None or channel.parent_id is None:
        raise NotFound("channel_not_found", f"Channel {channel_id} of site {site_id} is not in the trash.")
    parent = _find(site_id, channel.parent_id)
    if parent is None:
        message = f"Its parent, channel {channel.parent_id}, is in the trash."
        raise InvalidInput("channel_not_found", message, member="parentId")
    hold_contents(site_id, exclusive=True)
    following = _find_following(channel)
    start, size = following.taxis if following else last_taxis(parent) + 1, trashed.count()
    siblings(site_id).filter(taxis__gte=start).update(taxis=F("taxis") + size)
    back = {"trashed_at": None, "trashed_with_id": None, "version": F("version") + 1}
    try:
        with transaction.atomic():
            moved = {"taxis": F("taxis") + start - channel.taxis, **_replanted(channel, parent)}
            trashed.update(**moved, **back, trashed_before_id=None)
    except IntegrityError as error:
        message = "Another channel has taken the index name or the file path of a channel to be restored."
        raise InvalidInput("name_taken", message) from error
    gone = all_contents().filter(site_id=site_id, trashed_at__isnull=False, trashed_with_id=channel_id)
    contents = gone.update(**back)
    count_children(parent.pk)
    audit.record("channel.restored", channel, site_id=site_id, channels=size, contents=contents)
    return Restored(size, contents)


def _find_following(channel: Channel) -> Channel | None:
    following = channel
    # Each of several siblings trashed in turn names the next one, which was present then and so was trashed later: the
    # chain has no cycle.
    while following.trashed_at is not None:
        found = Channel.objects.filter(parent_id=channel.parent_id, pk=following.trashed_before_id or 0).first()
        if found is None:
            return None
        following = found
    return following


def _hold(site_id: int, channel_id: int, precondition: Precondition | None) -> Channel:
    lock_tree(site_id)
    channel = require(site_id, channel_id)
    if precondition is not None:
        precondition(channel)
    return channel


def require(site_id: int, channel_id: int) -> Channel:
    """Return the present channel of the site. Raises NotFound for a missing site or channel."""
    if channel := _find(site_id, channel_id):
        return channel
    require_site(site_id)
    raise channel_not_found(site_id, channel_id)


def lock_tree(site_id: int) -> None:
    """Serialize changes of the site's channels until the transaction ends."""
    # no_key: the site's number does not change, so writers of contents, which check the site last, need not wait.
    Site.with_trash.select_for_update(no_key=True).filter(pk=site_id).values_list("pk").first()


def hold_contents(site_id: int, *, exclusive: bool = False) -> None:
    """Block moves and deletions of the site's channels until commit; `exclusive` also blocks writing contents.

    To prevent deadlocks, callers that change existing contents take it before their rows, as trash_channel does. SQLite
    has one writer at a time anyway.
    """
    if connection.vendor != "postgresql":
        return
    function = "pg_advisory_xact_lock" if exclusive else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}({_TREE_LOCK}, %s)", (site_id % 2147483647,))


def all_contents() -> Any:
    # Through the reverse relation: channels import nothing from above.
    return Channel._meta.get_field("contents").related_model._default_manager


# ---- parts


def siblings(site_id: int) -> ChannelQuerySet:
    return Channel.objects.live().filter(site_id=site_id)


def _find(site_id: int, channel_id: int) -> Channel | None:
    return siblings(site_id).filter(pk=channel_id or site_id).first()


def last_taxis(channel: Channel) -> int:
    if not channel.children_count:
        return channel.taxis
    below = Channel.objects.in_channel(channel.pk)
    return int(below.aggregate(last=Max("taxis"))["last"] or channel.taxis)


def path_below(parent: Channel) -> str:
    return ",".join(filter(None, [parent.parents_path, str(parent.pk)]))


def count_children(parent_id: int) -> None:
    children = Channel.objects.live().filter(parent_id=parent_id)
    numbered = children.annotate(count=Window(Count("pk"))).order_by("-taxis", "-id")
    last, count = numbered.values_list("pk", "count").first() or (0, 0)
    Channel.objects.filter(pk=parent_id).exclude(children_count=count).update(children_count=count)
    wrong = Q(is_last_node=True) & ~Q(pk=last) | Q(is_last_node=False, pk=last)
    children.filter(wrong).update(is_last_node=Q(pk=last))


def find_addable(site_id: int, parent_id: int) -> Channel:
    """Return the channel, if others may be added below it. Raises InvalidInput."""
    parent = find_parent(site_id, parent_id)
    if parent.settings.get("isChannelAddable") is False:
        message = f"Channel {parent.pk} does not allow channels below it."
        raise InvalidInput("channel_takes_no_channels", message, member="parentId")
    return parent


def find_parent(site_id: int, parent_id: int) -> Channel:
    """Return the present channel of the site. Raises InvalidInput if there is none."""
    parent = _find(site_id, parent_id)
    if parent is None:
        raise channel_not_found(site_id, parent_id, "parentId")
    return parent


def _find_new_parent(channel: Channel, parent_id: int) -> Channel:
    parent = find_parent(channel.site_id, parent_id)
    if Channel.objects.in_channel(channel.pk).filter(pk=parent.pk).exists():
        message = f"Channel {channel.pk} cannot go below itself; channel {parent.pk} is one of its descendants."
        raise InvalidInput("channel_below_itself", message, member="parentId")
    return parent


def _shift(channel: Channel, target: int, *, is_all: bool) -> None:
    """Renumber the channel and everything below it from `target` on, and shift the channels in between.

    With `is_all` the channel also gets its next version, by which triggers distinguish it from shifted siblings.
    """
    start = channel.taxis
    end = last_taxis(channel)  # the subtree has the numbers from start to end
    size = end - start + 1
    if start <= target <= end + 1:
        return
    if target < start:
        first, last, shift, others = target, end, target - start, size
    else:
        first, last, shift, others = start, target - 1, target - end - 1, -size
    moved = When(taxis__range=(start, end), then=F("taxis") + shift)
    next_one = When(pk=channel.pk, then=F("version") + int(is_all))
    version = Case(next_one, default=F("version"), output_field=Channel._meta.get_field("version"))
    shifted = siblings(channel.site_id).filter(taxis__range=(first, last))
    shifted.update(taxis=Case(moved, default=F("taxis") + others), version=version)


def _replanted(channel: Channel, parent: Channel) -> dict[str, Any]:
    rest = Substr("parents_path", len(channel.parents_path) + 1)
    return {
        "parents_path": Concat(Value(path_below(parent)), rest),
        "parents_count": F("parents_count") + parent.parents_count + 1 - channel.parents_count,
    }


def _settings_of(unknown: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    """Return the stored settings merged with the members that are no columns: settings and custom fields."""
    known: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, value in unknown.items():
        if attribute := CHANNEL_ATTRIBUTES.get(name.casefold()):
            is_stored = attribute.name in stored and not differ(value, stored[attribute.name])
            known[attribute.name] = value if is_stored else attribute.read(value, name)
        elif name.casefold() not in ChannelSerializer.answered_only:
            others[name] = value
    spelled = {name.casefold(): name for name in stored}
    custom = {spelled.get(name.casefold(), name): value for name, value in name_custom(others, "channel").items()}
    validate_values(custom, stored, "channel")
    merged = merge(stored, known | custom)
    raise_if_too_many(merged, "channel")
    return merged


@contextmanager
def _translating_taken(site_id: int, channel_id: int, values: dict[str, Any]) -> Iterator[None]:
    """Raises InvalidInput if another channel has, or takes within the block, the index name or the file path."""
    _raise_if_taken(site_id, channel_id, values)
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        _raise_if_taken(site_id, channel_id, values)  # by a writer that ignores the lock of the tree
        raise


def _raise_if_taken(site_id: int, channel_id: int, values: dict[str, Any]) -> None:
    for name, wire in (("index_name", "indexName"), ("file_path", "filePath")):
        value = values.get(name)
        if value and (other := siblings(site_id).filter(**{name: value}).exclude(pk=channel_id).first()):
            message = f'{wire} "{value}" already belongs to channel {other.pk} ({other.channel_name}).'
            raise InvalidInput("name_taken", message, member=wire)
