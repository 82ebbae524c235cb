"""Forms as SiteServer 7 answers its pages: their definition, and the row of what was sent."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from channels_app.models import Channel
from contents.models import Content
from core.lib import clock
from core.lib.errors import InvalidInput
from forms.models import CHOICE_KINDS, Entry, Field, Form
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
