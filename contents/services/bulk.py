"""Stores many contents of one site at once, by the rules of `services.create_content` and `update_content`.

A portion costs a dozen statements, however many contents it has. Its contents are held in memory: some hundreds.

Of the members of a body it takes all but `settings_xml`, whose entries come as further members, and `taxis`, which
follows from the order. Neither does it take a member without a value, as only `last_hits_date` may be. With any other
it raises ValueError before it stores anything. The further members of all contents together have at most
`custom_members.MAX_MEMBERS` names.

An error takes back the whole transaction of the caller, since there is no savepoint: with one, updates of contents take
six times as long on SQLite, which writes its table of words out at each statement then.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson
from django.db import transaction

from channels_app.services import hold_contents
from cms_api.lib.bulk_update import update_columns
from cms_api.rest.custom_members import refuse_values
from cms_api.rest.serializers import Members
from contents.models import Content, ContentBody
from contents.services.decisions import note_decisions
from contents.services.moving import require_open_channel
from contents.services.single import alter, require_title, values_of_new
from contents.storing.batches import BODY_TEXT, portions
from contents.storing.custom_fields import custom_values
from contents.storing.history import Overwritten, note_changes
from contents.storing.insert import next_taxes
from sites.models import Site

Change = tuple[Content, Members]
_UNTAKEN = frozenset({"settings_xml", "taxis"})


@transaction.atomic(savepoint=False)
def create_contents(site_id: int, channel_id: int, bodies: Iterable[Members], user_name: str) -> None:
    """New contents of the channel, numbered in this order.

    Raises InvalidInput for a blank title, a custom field that cannot be stored, and where the channel is gone or takes
    no contents; nothing is stored then.
    """
    sent = list(bodies)
    _refuse_untaken(sent)
    hold_contents(site_id)
    require_open_channel(site_id, channel_id)
    spelled = _spelled(site_id, sent)
    taxes = next_taxes(channel_id, len(sent))
    contents, texts = [], []
    for members, taxis in zip(sent, taxes, strict=True):
        values = values_of_new(site_id, channel_id, dict(members.values), user_name)
        require_title(values)
        texts.append(values.pop("content", ""))
        settings = _settings(members, spelled)
        refuse_values(settings, {}, "content")
        contents.append(Content(**values | {"settings_xml": orjson.dumps(settings).decode(), "taxis": taxis}))
    Content.objects.bulk_create(contents)
    ContentBody.objects.bulk_create(
        ContentBody(content=content, text=text) for content, text in zip(contents, texts, strict=True)
    )


@transaction.atomic(savepoint=False)
def change_contents(site: Site, changes: Sequence[Change], user_name: str) -> None:
    """Change each of the present contents of the site, which the caller has locked, by its members; each stands once.

    Raises InvalidInput for a blank title and a custom field that cannot be stored; nothing is stored then.
    """
    sent_for_all = [members for _content, members in changes]
    _refuse_untaken(sent_for_all)
    spelled = _spelled(site.pk, sent_for_all)
    for portion in _portions(changes):
        bodies = _replace_bodies(portion)
        overwritten = []
        for content, members in portion:
            content.site = site  # of which addresses of pictures follow
            sent = dict(members.values)
            sent.pop("content", None)
            if "title" in sent:
                require_title(sent)
            before = alter(content, sent, _settings(members, spelled), bodies.get(content.pk), user_name)
            if before is not None:
                overwritten.append((content, before))
        _store(overwritten)


def _portions(changes: Sequence[Change]) -> Iterator[Sequence[Change]]:
    """The changes, as many at a time as the bodies that they overwrite fit into memory."""
    if not any("content" in members.values for _content, members in changes):
        yield changes
        return
    by_number = {content.pk: (content, members) for content, members in changes}
    for numbers in portions(list(by_number), [BODY_TEXT]):
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


def _store(overwritten: Sequence[tuple[Content, Overwritten]]) -> None:
    contents = [content for content, _before in overwritten]
    update_columns(contents, {"version"}.union(*(before.members for _content, before in overwritten)))
    note_changes(overwritten)
    note_decisions([content for content, before in overwritten if "is_checked" in before.members])


def _refuse_untaken(sent: Iterable[Members]) -> None:
    for members in sent:
        blank = {name for name, value in members.values.items() if value is None and name != "last_hits_date"}
        if wrong := sorted(blank | (_UNTAKEN & members.values.keys())):
            raise ValueError(f"Many contents at once take no {', '.join(wrong)}.")


def _spelled(site_id: int, sent: Iterable[Members]) -> dict[str, str]:
    """The further members that a content keeps, spelled as the site has them, by their names in folded letters."""
    # Of several spellings that are sent the first one counts, as it would if they came one by one.
    names = {name.casefold(): name for members in reversed(list(sent)) for name in members.unknown}
    return {name.casefold(): name for name in custom_values(site_id, "", dict.fromkeys(names.values()))}


def _settings(members: Members, spelled: Mapping[str, str]) -> dict[str, Any]:
    folded = {name.casefold(): value for name, value in members.unknown.items()}
    return {spelled[name]: value for name, value in folded.items() if name in spelled}
