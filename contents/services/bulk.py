"""Stores many contents of one site together, with the results of `create_content` and `update_content` one by one.

A call takes a dozen statements and holds its contents (some hundreds) in memory. For each content, it returns the
stored content or the refusal.

A database error rolls back the caller's whole transaction: a savepoint would make updates six times as slow on SQLite,
which then flushes its word table at each statement.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import orjson
from django.db import transaction

from channels_app.services import hold_contents
from contents.models import Content, ContentBody
from contents.services.decisions import record_decisions
from contents.services.moving import Target
from contents.services.single import alter, require_title, values_of_change, values_of_new
from contents.storing.batches import BODY_TEXT, with_texts
from contents.storing.custom_fields import FieldNames, read_entries
from contents.storing.history import PreviousValues, store_changes
from contents.storing.insert import next_taxis, raise_taxis
from contents.storing.locking import Locked, Seen
from core.lib.bulk import insert_records, update_columns
from core.lib.errors import ServiceError, attempt
from core.rest.custom_members import validate_values
from core.rest.serializers import Members
from sites.models import Site

Result = Content | ServiceError


@transaction.atomic(savepoint=False)
def create_contents(site_id: int, channel_id: int, bodies: Sequence[Members], user_name: str) -> list[Result]:
    """Create contents in order. Raises InvalidInput if the channel takes none."""
    read = [attempt(_read_new, members) for members in bodies]
    hold_contents(site_id)
    Target(channel_id).require_open(site_id)
    names = _names_in(site_id, read)

    def make(sent: _Sent) -> Content:
        settings = names.spell(sent.entries)
        validate_values(settings, {}, "content")
        names.accept(settings)
        values = values_of_new(site_id, channel_id, sent.values, user_name)
        content = Content(**{"taxis": None} | values | {"settings_xml": orjson.dumps(settings).decode()})
        content.text = sent.body or ""
        return content

    results = [sent if isinstance(sent, ServiceError) else attempt(make, sent) for sent in read]
    contents = [result for result in results if isinstance(result, Content)]
    if contents:
        names.register()
        _number(channel_id, contents)
        insert_records(contents)
        insert_records([ContentBody(content_id=content.pk, text=content.text) for content in contents])
    return results


@transaction.atomic(savepoint=False)
def update_contents(seen: Sequence[Seen], bodies: Sequence[Members | ServiceError], user_name: str) -> list[Result]:
    """Change contents of one site, each named once, with a body or its refusal. Refuses missing ones first."""
    if not seen:
        return []
    locked = Locked(seen)
    by_number = {each.number: members for each, members in zip(seen, bodies, strict=True)}
    found = locked.contents
    site = Site.objects.only("web_url").get(pk=seen[0].site_id)
    results = change_contents(site, [(content, by_number[content.pk]) for content in found], user_name)
    return locked.results_of({content.pk: result for content, result in zip(found, results, strict=True)})


@transaction.atomic(savepoint=False)
def change_contents(
    site: Site, changes: Sequence[tuple[Content, Members | ServiceError]], user_name: str
) -> list[Result]:
    """Change locked contents of the site, each named once, with a body or its refusal."""
    results: dict[int, Result] = {}
    sent: dict[int, _Sent] = {}
    for content, members in changes:
        read = members if isinstance(members, ServiceError) else attempt(_read_change, members)
        if isinstance(read, ServiceError):
            results[content.pk] = read
        else:
            sent[content.pk] = read
    names = _names_in(site.pk, sent.values())

    def change(content: Content) -> PreviousValues | None:
        values, body, entries = sent[content.pk]
        settings = names.spell(entries)
        before = alter(content, values, settings, _body_before(content, body), user_name)
        names.accept(settings)
        return before

    rest = [content for content, _members in changes if content.pk in sent]
    for portion in _portions(rest, sent.values()):
        overwritten = []
        for content in portion:
            content.web_url = site.web_url
            before = attempt(change, content)
            results[content.pk] = before if isinstance(before, ServiceError) else content
            if isinstance(before, PreviousValues):
                overwritten.append((content, before))
        names.register()
        _raise_taxes(overwritten)
        _store_bodies(
            {content: sent[content.pk].body or "" for content, before in overwritten if before.body is not None}
        )
        store_changes(overwritten)
        record_decisions([content for content, before in overwritten if "is_checked" in before.members])
    return [results[content.pk] for content, _members in changes]


# ---- bodies


class _Sent(NamedTuple):
    values: dict[str, Any]  # by attribute name, without body and custom fields
    body: str | None
    entries: dict[str, Any]  # custom fields


def _read_new(members: Members) -> _Sent:
    values = dict(members.values)
    require_title(values)
    return _split(values, members)


def _read_change(members: Members) -> _Sent:
    values = values_of_change(members)
    if "title" in values:
        require_title(values)
    return _split(values, members)


def _split(values: dict[str, Any], members: Members) -> _Sent:
    body = values.pop("content", None)
    return _Sent(values, body, read_entries(values.pop("settings_xml", ""), members.unknown))


def _names_in(site_id: int, read: Iterable[_Sent | ServiceError]) -> FieldNames:
    return FieldNames(site_id, (name for sent in read if isinstance(sent, _Sent) for name in sent.entries))


# ---- storing


def _number(channel_id: int, contents: Sequence[Content]) -> None:
    """Give each content without a taxis the next one, above all before it."""
    has_new = any(content.taxis is None for content in contents)
    last = next_taxis(channel_id) - 1 if has_new else min(content.taxis for content in contents)
    for content in contents:
        if content.taxis is None:
            content.taxis = last + 1
        last = max(last, content.taxis)
    raise_taxis(channel_id, last)


def _raise_taxes(overwritten: Iterable[tuple[Content, PreviousValues]]) -> None:
    highest: dict[int, int] = {}
    for content, before in overwritten:
        if "taxis" in before.members:
            highest[content.channel_id] = max(content.taxis, highest.get(content.channel_id, content.taxis))
    for channel_id, taxis in sorted(highest.items()):
        raise_taxis(channel_id, taxis)


def _portions(contents: Sequence[Content], sent: Collection[_Sent]) -> Iterator[Sequence[Content]]:
    """The contents with the stored values of those long members that some body changes."""
    texts = {"summary": any("summary" in each.values for each in sent)}
    texts |= {
        "settings_xml": any(each.entries for each in sent),
        BODY_TEXT: any(each.body is not None for each in sent),
    }
    names = [name for name, is_read in texts.items() if is_read]
    return with_texts(contents, names) if names else iter([contents])


def _body_before(content: Content, body: str | None) -> str | None:
    if body is None:
        return None
    stored = vars(content)[BODY_TEXT] or ""
    return None if body == stored else stored


def _store_bodies(texts: dict[Content, str]) -> None:
    bodies = [ContentBody(content_id=content.pk, text=text) for content, text in texts.items()]
    # A content may have been stored without a body row.
    missing = {content.pk for content in texts if vars(content)[BODY_TEXT] is None}
    update_columns([body for body in bodies if body.pk not in missing], {"text"})
    ContentBody.objects.bulk_create(body for body in bodies if body.pk in missing)
