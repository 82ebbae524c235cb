"""Stores many contents of one site at once, by the rules of `create_content` and `update_content`.

A call takes a dozen statements and holds its contents (some hundreds) in memory. ValueError for members that bulk calls
do not accept: `settings_xml` (send its entries as further members), `taxis` (follows from the order), and None for
anything except `last_hits_date`. At most `custom_members.MAX_MEMBERS` different custom fields.

An error rolls back the caller's whole transaction: a savepoint would make updates six times as slow on SQLite, which
then flushes its word table at each statement.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import orjson
from django.db import transaction

from channels_app.services import hold_contents
from cms_api.lib.bulk_update import update_columns
from cms_api.rest.custom_members import validate_values
from cms_api.rest.serializers import Members
from contents.models import Content, ContentBody
from contents.services.decisions import record_decisions
from contents.services.moving import Target
from contents.services.single import alter, require_title, values_of_new
from contents.storing.batches import BODY_TEXT, portions
from contents.storing.custom_fields import custom_values
from contents.storing.history import record_changes
from contents.storing.insert import next_taxes
from sites.models import Site

Change = tuple[Content, Members]
_UNTAKEN = frozenset({"settings_xml", "taxis"})


@transaction.atomic(savepoint=False)
def create_contents(site_id: int, channel_id: int, bodies: Iterable[Members], user_name: str) -> None:
    """Create contents in order. Raises InvalidInput for a blank title, an invalid custom field or a closed channel."""
    sent = list(bodies)
    _raise_if_ignored(sent)
    hold_contents(site_id)
    Target(channel_id).require_open(site_id)
    settings_of = _settings_reader(site_id, sent)
    contents, texts = [], []
    for members, taxis in zip(sent, next_taxes(channel_id, len(sent)), strict=True):
        values = values_of_new(site_id, channel_id, dict(members.values), user_name)
        require_title(values)
        texts.append(values.pop("content", ""))
        settings = settings_of(members)
        validate_values(settings, {}, "content")
        contents.append(Content(**values | {"settings_xml": orjson.dumps(settings).decode(), "taxis": taxis}))
    Content.objects.bulk_create(contents)
    ContentBody.objects.bulk_create(
        ContentBody(content=content, text=text) for content, text in zip(contents, texts, strict=True)
    )


@transaction.atomic(savepoint=False)
def change_contents(site: Site, changes: Sequence[Change], user_name: str) -> None:
    """Change locked contents of the site, each given once. Raises InvalidInput for a blank title or invalid field."""
    sent_for_all = [members for _content, members in changes]
    _raise_if_ignored(sent_for_all)
    settings_of = _settings_reader(site.pk, sent_for_all)
    for portion in _portions(changes):
        bodies = _replace_bodies(portion)
        overwritten = []
        for content, members in portion:
            content.web_url = site.web_url
            sent = dict(members.values)
            sent.pop("content", None)
            if "title" in sent:
                require_title(sent)
            before = alter(content, sent, settings_of(members), bodies.get(content.pk), user_name)
            if before is not None:
                overwritten.append((content, before))
        changed = [content for content, _before in overwritten]
        update_columns(changed, {"version"}.union(*(before.members for _content, before in overwritten)))
        record_changes(overwritten)
        record_decisions([content for content, before in overwritten if "is_checked" in before.members])


def _portions(changes: Sequence[Change]) -> Iterator[Sequence[Change]]:
    if not any("content" in members.values for _content, members in changes):
        yield changes
        return
    by_number = {content.pk: (content, members) for content, members in changes}
    for numbers in portions(list(by_number), [BODY_TEXT]):
        yield [by_number[number] for number in numbers]


def _replace_bodies(changes: Sequence[Change]) -> dict[int, str]:
    sent = {content.pk: members.values["content"] for content, members in changes if "content" in members.values}
    stored = dict(ContentBody.objects.filter(pk__in=sent).values_list("pk", "text")) if sent else {}
    before = {pk: stored.get(pk, "") for pk, text in sent.items() if text != stored.get(pk, "")}
    update_columns([ContentBody(content_id=pk, text=sent[pk]) for pk in before if pk in stored], {"text"})
    # A content may have been stored without a body row.
    ContentBody.objects.bulk_create(ContentBody(content_id=pk, text=sent[pk]) for pk in before if pk not in stored)
    return before


def _raise_if_ignored(sent: Iterable[Members]) -> None:
    for members in sent:
        blank = {name for name, value in members.values.items() if value is None and name != "last_hits_date"}
        if wrong := sorted(blank | (_UNTAKEN & members.values.keys())):
            raise ValueError(f"Bulk changes of contents do not accept {', '.join(wrong)}.")


def _settings_reader(site_id: int, sent: Iterable[Members]) -> Callable[[Members], dict[str, Any]]:
    """A function from a body to its custom fields, spelled as the site spells them."""
    # The first of several spellings wins, as if the bodies came one by one.
    names = {name.casefold(): name for members in reversed(list(sent)) for name in members.unknown}
    spelled = {name.casefold(): name for name in custom_values(site_id, "", dict.fromkeys(names.values()))}

    def settings_of(members: Members) -> dict[str, Any]:
        folded = {name.casefold(): value for name, value in members.unknown.items()}
        return {spelled[name]: value for name, value in folded.items() if name in spelled}

    return settings_of
