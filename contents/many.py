"""Stores many contents of one site at once, by the rules of `services.create_content` and `update_content`.

A portion costs a dozen statements, however many contents it has. Its contents are held in memory: some hundreds.

An error takes back the whole transaction of the caller, since there is no savepoint: with one, updates of contents take
six times as long on SQLite, which writes its table of words out at each statement then.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import orjson
from django.db import transaction

from channels_app.services import hold_contents
from cms_api import audit
from cms_api.lib.bulk_update import update_columns
from cms_api.rest.serializers import Members
from contents.custom_fields import custom_values
from contents.history import Overwritten, note_changes
from contents.models import Content, ContentBody
from contents.moving import require_open_channel
from contents.portions import portions
from contents.services import alter, require_title, values_of_new
from contents.writing import next_taxes
from sites.models import Site

Change = tuple[Content, Members]


@transaction.atomic(savepoint=False)
def create_contents(site_id: int, channel_id: int, bodies: Iterable[Members], user_name: str) -> None:
    """New contents of the channel, numbered in this order.

    Raises BadRequest for a blank title, and where the channel is gone or takes no contents; nothing is stored then.
    """
    hold_contents(site_id)
    require_open_channel(site_id, channel_id)
    sent = list(bodies)
    spelled = _spelled(site_id, sent)
    taxes = next_taxes(channel_id, len(sent))
    contents, texts = [], []
    for members, taxis in zip(sent, taxes, strict=True):
        values = values_of_new(site_id, channel_id, dict(members.values), user_name)
        require_title(values)
        texts.append(values.pop("content", ""))
        settings = _dump({spelled[name]: value for name, value in members.unknown.items() if name in spelled})
        contents.append(Content(**values | {"settings_xml": settings, "taxis": taxis}))
    Content.objects.bulk_create(contents)
    ContentBody.objects.bulk_create(
        ContentBody(content=content, text=text) for content, text in zip(contents, texts, strict=True)
    )


@transaction.atomic(savepoint=False)
def change_contents(site: Site, changes: Sequence[Change], user_name: str) -> None:
    """Change each of the present contents of the site, which the caller has locked, by its members.

    Raises BadRequest for a blank title; nothing is stored then.
    """
    spelled = _spelled(site.pk, [members for _content, members in changes])
    for portion in _portions(changes):
        bodies = _replace_bodies(portion)
        overwritten = []
        for content, members in portion:
            content.site = site  # of which addresses of pictures follow
            sent = dict(members.values)
            sent.pop("content", None)
            if "title" in sent:
                require_title(sent)
            settings = {spelled[name]: value for name, value in members.unknown.items() if name in spelled}
            before = alter(content, sent, settings, bodies.get(content.pk), user_name)
            if before is not None:
                overwritten.append((content, before))
        _store(site.pk, overwritten)


def _portions(changes: Sequence[Change]) -> Iterator[Sequence[Change]]:
    """The changes, as many at a time as the bodies that they overwrite fit into memory."""
    if not any("content" in members.values for _content, members in changes):
        yield changes
        return
    by_number = {content.pk: (content, members) for content, members in changes}
    for numbers in portions(list(by_number), ["body__text"]):
        yield [by_number[number] for number in numbers]


def _replace_bodies(changes: Sequence[Change]) -> dict[int, str]:
    """Store the bodies that are others than before; what they were, by the number of their content."""
    sent = {content.pk: members.values["content"] for content, members in changes if "content" in members.values}
    stored = dict(ContentBody.objects.filter(pk__in=sent).values_list("pk", "text")) if sent else {}
    before = {pk: stored.get(pk, "") for pk, text in sent.items() if text != stored.get(pk, "")}
    update_columns([ContentBody(content_id=pk, text=sent[pk]) for pk in before if pk in stored], {"text"})
    # A content may have come without one.
    ContentBody.objects.bulk_create(ContentBody(content_id=pk, text=sent[pk]) for pk in before if pk not in stored)
    return before


def _store(site_id: int, overwritten: Sequence[tuple[Content, Overwritten]]) -> None:
    contents = [content for content, _before in overwritten]
    update_columns(contents, {"version"}.union(*(before.members for _content, before in overwritten)))
    note_changes(overwritten)
    decided = [content for content, before in overwritten if "is_checked" in before.members]
    for is_checked, action in ((True, "content.approved"), (False, "content.approval_withdrawn")):
        audit.note_each(action, [each for each in decided if each.is_checked is is_checked], site_id=site_id)


def _spelled(site_id: int, sent: Collection[Members]) -> dict[str, str]:
    """The further members that a content keeps, spelled as the site has them, by the names in which they were sent."""
    names = {name for members in sent for name in members.unknown}
    return {name: spelled for spelled, name in custom_values(site_id, "", {name: name for name in names}).items()}


def _dump(settings: dict[str, Any]) -> str:
    return orjson.dumps(settings).decode() if settings else "{}"
