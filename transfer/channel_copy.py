"""Copies of a channel with everything below it, in the same site or another one."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import orjson
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Model, Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from channels_app.admin.rows import tree_address
from channels_app.models import Channel, ids_below
from channels_app.outline import insert_below
from channels_app.record_links import CHANNEL, CONTENT, STORED, links_in_uses, renumbered
from channels_app.services import find_addable, hold_contents, lock_tree, require, siblings, trash_channel
from contents.models import Content, ContentBody, ContentDraft, ContentSchedule, CustomField, LastTaxis
from contents.services.approval import WAITING, may_publish_in
from contents.services.moving import COPIED_TEXTS, insert_copies
from contents.storing.batches import portions
from contents.storing.custom_fields import FieldNames
from core import audit
from core.admin.action_views import SECONDS
from core.admin.error_messages import tell
from core.admin.places import places_of
from core.jobs.kinds import JobFailed, JobKind, Report, said
from core.jobs.models import Job
from core.jobs.progress import Run
from core.lib import clock
from core.lib.bulk import update_columns
from core.lib.errors import InvalidInput, ServiceError
from media_library.models import MediaUse, UseSource
from pages.models import Template
from sites.models import Site
from transfer.outline import COPIED
from transfer.package import template_key
from transfer.writers import CHANNEL_LISTS

Tell = Callable[[str, int, int], object]
MAX_CHANNELS, MAX_CONTENTS = 2_000, 50_000
# Channels and contents that are copied within the request, without a job of its own process.
SHORT = 200
_UNIQUE = ("index_name", "file_path")
_TEMPLATES = ("channel_template_id", "content_template_id")
_NUMBER = re.compile("[0-9]{1,18}")
_OWN_FILE = re.compile(rf"""(?<![^\s"'=(,])(?:({STORED.pattern})|@/)""")
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Branch:
    """A channel with all channels below it, in tree order, and the ids of the contents that the user may see there."""

    channels: list[Channel]
    contents: list[int]
    hidden: int  # contents that the user may not see


def read_branch(source: Channel, user: Any, *, with_contents: bool = True) -> Branch:
    """Raises InvalidInput for a branch that is too large."""
    channels = list(Channel.objects.in_channel(source.pk)[: MAX_CHANNELS + 1])
    contents = Content.objects.live().filter(site_id=source.site_id, channel__in=ids_below([source.pk]))
    page: Any = admin.site.get_model_admin(Content)
    seen = page.seen_places(user).narrow(contents, "site", "channel")
    numbers = list(seen.order_by("pk").values_list("pk", flat=True)[: MAX_CONTENTS + 1]) if with_contents else []
    if len(channels) > MAX_CHANNELS or len(numbers) > MAX_CONTENTS:
        message = f"At most {MAX_CHANNELS} channels and {MAX_CONTENTS} content items can be copied together."
        raise InvalidInput("too_much_to_copy", message, channels=MAX_CHANNELS, contents=MAX_CONTENTS)
    return Branch(channels, numbers, contents.count() - len(numbers) if with_contents else 0)


def require_target(site_id: int, parent_id: int, user: Any, *, with_contents: bool) -> Channel:
    """Return the parent of the copy. Raises InvalidInput if the user may not add channels, or contents, below it."""
    parent = find_addable(site_id, parent_id)
    for permission in ("channels_app.add_channel", *(["contents.add_content"] if with_contents else [])):
        if not places_of(user, permission).covers(site_id, parent.path_ids):
            message = f"The administrator may not add copies below channel {parent_id}."
            raise InvalidInput("copy_target_outside", message)
    return parent


@transaction.atomic
def copy_channel(
    source: Channel, branch: Branch, site_id: int, parent_id: int, name: str, user: Any, tell: Tell
) -> Report:
    """Copy the branch as the parent's last child. Raises InvalidInput.

    The copy's states are those of `copy_contents`. Index names and file paths are taken over if free in the site. In
    another site, files stay in their site, and templates of the same names apply.
    """
    lock_tree(site_id)
    hold_contents(site_id)
    parent = require_target(site_id, parent_id, user, with_contents=bool(branch.contents))
    is_approving, editor = may_publish_in(parent, user), user.get_username()
    adopt = str if site_id == source.site_id else _naming_files_of(source.site, branch)
    tell("channels", 0, len(branch.channels))
    copies = _copy_channels(source, branch.channels, parent, name, adopt)
    numbers = {original.pk: copy.pk for original, copy in zip(branch.channels, copies, strict=True)}
    names = FieldNames(site_id, CustomField.objects.filter(site=site_id).values_list("name", flat=True))
    made: dict[int, int] = {}
    last: dict[int, int] = {}  # taxis

    def differing(original: Content) -> dict[str, Any]:
        channel_id = numbers[original.channel_id]
        last[channel_id] = max(last.get(channel_id, 0), original.taxis)
        values: dict[str, Any] = {"site_id": site_id, "channel_id": channel_id, "taxis": original.taxis}
        if site_id != source.site_id:
            spelled = names.spell(orjson.loads(adopt(original.settings_xml)))
            names.accept(spelled)
            values["settings_xml"] = orjson.dumps(spelled).decode()
        return values

    for portion in portions(branch.contents, COPIED_TEXTS):
        # Others may have moved or deleted some since the branch was read.
        rows = Content.objects.live().filter(pk__in=portion).order_by("pk")
        found = [content for content in rows if content.channel_id in numbers]
        made |= insert_copies(found, differing, editor, is_approving=is_approving, adopt=adopt)
        tell("contents", len(made), len(branch.contents))
    names.register()
    taxes = (LastTaxis(channel_id=channel_id, taxis=taxis) for channel_id, taxis in last.items())
    LastTaxis.objects.bulk_create(taxes, batch_size=_BATCH)
    _point_to_copies(copies[0], numbers, made)
    _link_to_copies(site_id, numbers, made)
    counts: dict[str, Any] = {"channels": len(copies), "contents": len(made)}
    audit.record("channel.copied", copies[0], site_id=site_id, source=source.pk, **counts)
    waiting = _contents_of(copies[0].pk).filter(is_checked=False, checked_level__gte=WAITING).count()
    return counts | {
        "channel_id": copies[0].pk,
        "name": name,
        "site_id": site_id,
        "tree": tree_address(copies[0]),
        "waiting": waiting,
        "hidden": branch.hidden,
        "last_channel": max(numbers.values()),
        "last_content": max(made.values(), default=0),
    }


def _copy_channels(
    source: Channel, originals: Sequence[Channel], parent: Channel, name: str, adopt: Callable[[str], str]
) -> list[Channel]:
    here = siblings(parent.site_id)
    taken = {field: set(here.exclude(**{field: ""}).values_list(field, flat=True)) for field in _UNIQUE}
    templates = _templates(source.site_id, parent.site_id)
    copies = []
    for original in originals:
        values = {field: adopt(getattr(original, field)) for field in COPIED}
        values |= {field: "" for field in _UNIQUE if values[field] in taken[field]}
        copy = Channel(site_id=parent.site_id, **values, settings=_adopted(original.settings, adopt))
        for field in _TEMPLATES:
            number = getattr(original, field)
            setattr(copy, field, number if templates is None else templates.get(number, 0))
        copies.append(copy)
    copies[0].channel_name = name
    insert_below(parent, copies, [original.parents_count - source.parents_count for original in originals])
    numbers = {original.pk: copy.pk for original, copy in zip(originals, copies, strict=True)}
    naming = [copy for copy in copies if not copy.settings.keys().isdisjoint(CHANNEL_LISTS)]
    for copy in naming:
        for member in copy.settings.keys() & set(CHANNEL_LISTS):
            copy.settings[member] = _NUMBER.sub(partial(_renumbered, numbers), str(copy.settings[member]))
    update_columns(naming, {"settings"})
    return copies


def _renumbered(numbers: Mapping[int, int], found: re.Match[str]) -> str:
    return str(numbers.get(int(found[0]), found[0]))


def _adopted(settings: Mapping[str, Any], adopt: Callable[[str], str]) -> dict[str, Any]:
    return {name: adopt(value) if isinstance(value, str) else value for name, value in settings.items()}


def _templates(source_id: int, target_id: int) -> dict[int, int] | None:
    """Templates of the other site with the same kinds and names; None within one site."""
    if source_id == target_id:
        return None
    columns = ("pk", "kind", "name")
    rows = Template.objects.filter(site=target_id).values_list(*columns)
    there = {template_key(kind, name): pk for pk, kind, name in rows}
    found = Template.objects.filter(site=source_id).values_list(*columns)
    return {pk: there[key] for pk, kind, name in found if (key := template_key(kind, name)) in there}


def _naming_files_of(site: Site, branch: Branch) -> Callable[[str], str]:
    """Let texts name files and records of the site from another one, except records that are copied, too."""
    copied = {(CHANNEL, channel.pk) for channel in branch.channels} | {(CONTENT, pk) for pk in branch.contents}

    def write(found: re.Match[str]) -> str:
        is_copied = found[1] is not None and (found[2], int(found[3])) in copied
        return found[0] if is_copied else f"{site.web_url}{found[0][1:]}"

    return lambda text: _OWN_FILE.sub(write, text)


def _point_to_copies(copy: Channel, channels: Mapping[int, int], contents: Mapping[int, int]) -> None:
    """Let copies that refer to a content of the branch refer to its copy."""
    found = [
        Content(pk=pk, reference_id=contents[reference], source_id=channels.get(source, source))
        for pk, reference, source in _contents_of(copy.pk)
        .filter(reference_id__gt=0)
        .values_list("pk", "reference_id", "source_id")
        if reference in contents
    ]
    update_columns(found, {"reference_id", "source_id"})


def _link_to_copies(site_id: int, channels: Mapping[int, int], contents: Mapping[int, int]) -> None:
    """Let links by id among the copies lead to the copies, with the table of uses."""
    numbers = {CHANNEL: channels, CONTENT: contents}
    change = partial(renumbered, renumber=lambda kind, number: numbers[kind].get(number))
    texts: Sequence[tuple[UseSource, Mapping[int, int], type[Model], Sequence[str]]] = (
        (UseSource.BODY, contents, ContentBody, ("text",)),
        (UseSource.FIELDS, contents, Content, ("summary", "link_url", "settings_xml")),
        (UseSource.CHANNEL, channels, Channel, ("content", "link_url", "description", "settings")),
    )
    for source, copies, model, names in texts:
        linking = MediaUse.objects.filter(links_in_uses(), site_id=site_id, source=source)
        made = sorted(copies.values())
        for start in range(0, len(made), _BATCH):
            found = linking.filter(source_id__in=made[start : start + _BATCH]).values("source_id")
            rows: list[Any] = list(model._default_manager.filter(pk__in=found))
            for row in rows:
                for name in names:
                    value = getattr(row, name)
                    setattr(row, name, _adopted(value, change) if isinstance(value, dict) else change(value))
            update_columns(rows, names)


def _contents_of(channel_id: int) -> Any:
    return Content.objects.live().filter(channel__in=ids_below([channel_id]))


# ---- undoing


@transaction.atomic
def undo_copy(job: Job) -> None:
    """Move the copy to the trash, up to an hour after the job.

    Raises NotFound without the copy, and InvalidInput if it is too late or anyone has changed the copy.
    """
    report = job.report
    site_id, channel_id = report["site_id"], report["channel_id"]
    if job.ended_at is None or job.ended_at < clock.now() - timedelta(seconds=SECONDS):
        raise InvalidInput("copy_undo_late", "A copy can be undone for an hour.")
    lock_tree(site_id)
    copy = require(site_id, channel_id)
    hold_contents(site_id, exclusive=True)
    channels, contents = Channel.objects.in_channel(copy.pk), _contents_of(copy.pk)
    is_changed = any(
        model._default_manager.filter(content__in=contents).exists() for model in (ContentDraft, ContentSchedule)
    )
    # Copies begin with version 1, and later records have higher numbers.
    for rows, count, last in (
        (channels, report["channels"], report["last_channel"]),
        (contents, report["contents"], report["last_content"]),
    ):
        is_changed |= rows.count() != count or rows.filter(Q(version__gt=1) | Q(pk__gt=last)).exists()
    if is_changed:
        raise InvalidInput("copy_changed", f"Channel {copy.pk} or something below it has changed since it was copied.")
    trash_channel(site_id, copy.pk)


# ---- the job


def do_copy(asked: Mapping[str, Any], user: Any, tell: Tell) -> Report:
    """Raises ServiceError, also if the channel or a right no longer exists."""
    page: Any = admin.site.get_model_admin(Channel)
    source = require(asked["source_site"], asked["source"])
    if not page.is_in(page.seen_places(user), source):
        raise InvalidInput("right_gone", "You no longer have the right to do this.")
    branch = read_branch(source, user, with_contents=asked["with_contents"])
    return copy_channel(source, branch, asked["site"], asked["parent"], asked["name"], user, tell)


def _do(run: Run) -> Report:
    user = get_user_model()._default_manager.get(pk=run.job.administrator_id or 0)
    try:
        return do_copy(run.parameters, user, run.tell)
    except ServiceError as refusal:
        raise JobFailed(said(tell, refusal)) from refusal


COPY = JobKind(
    name="transfer.copy_channel",
    label=_("Copy a channel"),
    title=lambda asked: gettext("Copy of the channel %(name)s") % {"name": asked["source_name"]},
    do=_do,
    template="transfer/channel_copy_report.html",
    is_open_to=lambda user: bool(places_of(user, "channels_app.add_channel")),
    steps={"channels": _("The channels are being copied."), "contents": _("The content items are being copied.")},
    again=lambda asked: reverse("admin:channels_app_channel_copy", args=[asked["source"]]),
)
