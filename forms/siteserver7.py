"""Forms as SiteServer 7 answers its pages: their definition, and the row of what was sent."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from channels_app.models import Channel
from contents.models import Content
from core.lib import clock
from core.lib.errors import InvalidInput, NotFound
from core.lib.statement_limit import TooSlow, statement_limit
from forms import public_lists
from forms.models import CHOICE_KINDS, MAX_CHARACTERS, Entry, Field, Form
from forms.public_lists import PublicEntry
from forms.receiving import About, Sent
from forms.records import shown_fields

INPUT_TYPES = {
    Field.Kind.TEXT_AREA: "TextArea",
    Field.Kind.NUMBER: "Number",
    Field.Kind.DATE: "Date",
    Field.Kind.DATE_TIME: "DateTime",
    Field.Kind.CHECKBOXES: "CheckBox",
    Field.Kind.RADIO: "Radio",
    Field.Kind.SELECT: "SelectOne",
    Field.Kind.HIDDEN: "Hidden",
    Field.Kind.FILE: "File",
    Field.Kind.IMAGE: "Image",
}


def sms_refused() -> InvalidInput:
    return InvalidInput("sms_not_sent", _("This service sends no text messages."))


def input_type(field: Field) -> str:
    return INPUT_TYPES.get(Field.Kind(field.kind), "Text")


def member(key: str) -> str:
    """Return the name of a field as a member of JSON: with a small first letter."""
    return key[:1].lower() + key[1:]


def style_of(field: Field) -> dict[str, Any]:
    items = [{"label": choice, "value": choice, "selected": choice == field.default} for choice in field.choices]
    required = [{"type": "Required", "value": "", "message": ""}] if field.is_required else []
    return {
        "id": field.pk,
        "attributeName": field.key,
        "displayName": field.label,
        "helpText": field.help_text,
        "inputType": input_type(field),
        "defaultValue": field.default,
        "taxis": field.taxis,
        "horizontal": False,
        "items": items if field.kind in CHOICE_KINDS else [],
        "rules": required + [{"type": "", "value": "", "message": ""} | rule for rule in field.rules],
    }


def columns_of(fields: Iterable[Field]) -> list[dict[str, Any]]:
    return [
        {
            "attributeName": field.key,
            "displayName": field.label,
            "inputType": input_type(field),
            "isList": field.is_listed,
        }
        for field in fields
    ]


def definition_of(form: Form, success: str) -> dict[str, Any]:
    """Return the definition without the row of defaults, whose name depends on the release: `defaults_of`."""
    return {
        "styles": [style_of(field) for field in shown_fields(form)],
        "title": form.title or form.name,
        "description": form.description,
        "successMessage": success,
        "successCallback": "",
        "consentText": form.consent_text,
        "isSms": False,
        "isCaptcha": form.guard == Form.Guard.CAPTCHA,
    }


def defaults_of(styles: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        member(style["attributeName"]): [] if style["inputType"] == "CheckBox" else style["defaultValue"]
        for style in styles
    }


def about(site_id: int, channel_id: int, content_id: int) -> About:
    """Return what the page was about, as far as the site has it; 0 counts as not sent."""
    has_channel = bool(channel_id) and Channel.objects.filter(pk=channel_id, site=site_id, trashed_at=None).exists()
    has_content = bool(content_id) and Content.objects.filter(pk=content_id, site=site_id, trashed_at=None).exists()
    return About(Entry.Source.API, channel_id if has_channel else None, content_id if has_content else None)


def row_of(form: Form, place: About, sent: Sent, token: str, told: str) -> dict[str, Any]:
    """Return the row of what was sent: the sender's own values, and what the service added."""
    folded = {name.casefold(): texts for name, texts in sent.items()}
    values = {
        member(field.key): list(texts) if field.kind == Field.Kind.CHECKBOXES else ",".join(texts)
        for field in shown_fields(form)
        if (texts := folded.get(field.folded_key))
    }
    return values | {
        "id": token,
        "guid": token,
        "siteId": form.site_id,
        "formId": form.pk,
        "channelId": place.channel_id or 0,
        "contentId": place.content_id or 0,
        "isReplied": False,
        "createdDate": clock.now().isoformat(" ", "seconds"),
        "message": told,
    }


def public_rows(form: Form, query: Mapping[str, str]) -> dict[str, Any]:
    """Return a page of the public list, with the listed fields alone. Raises NotFound without one, and InvalidInput."""
    found, total, size = read_public(form, query)
    fields = public_lists.listed_fields(form)
    keys = [field.key for field in fields]
    return {
        "items": [_public_row(form, entry) for entry in found],
        "total": total,
        "pageSize": size,
        "styles": [style_of(field) for field in fields],
        "allAttributeNames": keys,
        "listAttributeNames": keys,
        "isReply": form.public_list == Form.PublicList.REPLIED,
        "columns": columns_of(fields),
    }


def read_public(form: Form, query: Mapping[str, str]) -> tuple[list[PublicEntry], int, int]:
    """Return the entries of the page that the query names, the number of all, and that of a page."""
    if form.public_list == Form.PublicList.NONE:
        raise NotFound("form_not_found", _("There is no such form."))
    sent = {name.casefold(): text for name, text in query.items()}
    numbers = {name: number_in(sent.get(name, "")) for name in ("page", "perpage", "channelid", "contentid")}
    size = public_lists.page_size(form, numbers["perpage"])
    try:
        with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
            found, total = public_lists.rows(
                form,
                numbers["page"],
                size,
                sent.get("word", "")[:MAX_CHARACTERS],
                channel_id=numbers["channelid"] or None,
                content_id=numbers["contentid"] or None,
            )
    except TooSlow as error:
        raise InvalidInput("query_too_slow", _("The search takes too long.")) from error
    return found, total, size


def number_in(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _public_row(form: Form, entry: PublicEntry) -> dict[str, Any]:
    replied = entry.replied_at.isoformat(" ", "seconds") if entry.replied_at else None
    return {member(key): value for key, value in entry.values.items()} | {
        "id": entry.id,
        "siteId": form.site_id,
        "formId": form.pk,
        "isReplied": bool(entry.reply),
        "replyContent": entry.reply,
        "replyDate": replied,
        "createdDate": entry.created_at.isoformat(" ", "seconds"),
    }
