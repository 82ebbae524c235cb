"""Forms and entries as programs with a key read them."""

from collections.abc import Mapping
from typing import Any

from core.rest.conditional import tag_of
from forms.models import Entry, Form

Record = dict[str, Any]
FORM = {
    "id": "pk",
    "siteId": "site_id",
    "name": "name",
    "title": "title",
    "description": "description",
    "isOpen": "is_open",
    "opensDate": "opens_at",
    "closesDate": "closes_at",
    "publicList": "public_list",
    "createdDate": "created_at",
    "lastModifiedDate": "updated_at",
}


def show_form(row: tuple[Any, ...]) -> Record:
    return {name: _shown(value) for name, value in zip(FORM, row, strict=True)}


def _shown(value: Any) -> Any:
    return value.isoformat(" ", "seconds") if hasattr(value, "isoformat") else value


def keys_of(form: Form) -> Mapping[str, str]:
    """Return the keys of the fields by their ids as texts, as entries have them."""
    return {str(number): key for number, key in form.fields.values_list("pk", "key")}


def entry_record(entry: Entry, form: Form, keys: Mapping[str, str]) -> Record:
    """Return the record; values of deleted fields are left out."""
    return {
        "id": entry.pk,
        "guid": str(entry.token),
        "siteId": form.site_id,
        "formId": form.pk,
        "channelId": entry.channel_id or 0,
        "contentId": entry.content_id or 0,
        "createdDate": _shown(entry.created_at),
        "state": entry.state,
        "source": entry.source,
        "page": entry.page,
        "consent": entry.consent,
        "isReplied": bool(entry.reply),
        "replyContent": entry.reply,
        "replyDate": _shown(entry.replied_at),
        "replyUserName": entry.replied_by,
        "values": {keys[number]: value for number, value in entry.values.items() if number in keys},
    }


def represent(entry: Entry) -> tuple[str, Record]:
    record = entry_record(entry, entry.form, keys_of(entry.form))
    return tag_of("form_entry", record), record
