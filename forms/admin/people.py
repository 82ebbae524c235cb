"""Find a person: the entries of all forms with a text, their export, their end, and the report about it.

The text travels in bodies of requests only, since addresses are written to logs.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_variables

from core import audit
from core.admin.formatting import format_date_time
from core.admin.numbers import read_number
from core.admin.picker import Picker
from core.admin.views import address_of, render_page
from core.lib import clock
from core.lib.cells import to_text
from core.lib.statement_limit import TooSlow
from core.tables.export import as_csv
from forms.models import Entry, EntryFile, Field
from forms.people import MAX, MAX_FOUND, Found, Result, Sought, find
from forms.purging import erase
from forms.rights import DELETE, EXPORT, READ, entries_for, forms_for
from sites.models import Site

_CHUNK = 50  # entries read together


class PersonForm(forms.Form):
    text = forms.CharField(
        label=_("Email address, phone number or name"),
        max_length=MAX,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=_("Phone numbers are found with any blanks and signs between the digits; the last digits suffice."),
    )
    site = forms.TypedChoiceField(label=_("Site"), coerce=int, required=False, empty_value=None, widget=Picker)

    def __init__(self, user: Any, data: Any = None) -> None:
        super().__init__(data)
        field: Any = self.fields["site"]
        sites = Site.objects.filter(pk__in=forms_for(user, *READ).values("site")).order_by("site_name", "pk")
        field.choices = [("", _("All sites")), *sites.values_list("pk", "site_name")]

    def clean_text(self) -> str:
        sought = Sought(self.cleaned_data["text"])
        if len(sought.text) < sought.least:
            raise ValidationError(_("Enter at least %(count)d characters.") % {"count": sought.least})
        return sought.text


@sensitive_variables("text", "form", "sought")
def person_view(page: Any, request: HttpRequest) -> HttpResponseBase:
    request.sensitive_post_parameters = ["text"]  # type: ignore[attr-defined]
    form = PersonForm(request.user, request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"title": _now("Find a person"), "form": form}
    if not form.is_valid():
        return render_page(page, request, "forms/person.html", context)
    act, numbers = request.POST.get("act", ""), _numbers(request.POST.getlist("ids"))
    if act and not numbers:
        messages.warning(request, _now("Nothing is chosen."))
    elif act in {"json", "csv"}:
        return _exported(request, numbers, act)
    elif act == "erase":
        return _ask(page, request, form.cleaned_data, numbers)
    elif act == "erased":
        return _erased(page, request, form.cleaned_data["text"], numbers)
    sought, places = Sought(form.cleaned_data["text"]), forms_for(request.user, *READ)
    if form.cleaned_data["site"]:
        places = places.filter(site=form.cleaned_data["site"])
    try:
        result = find(places, sought, read_number(request.POST.get("after")) or 0)
    except TooSlow:
        result, context["is_slow"] = Result(), True
    context |= {"result": result, "groups": list(_groups(result))}
    context |= {"may_export": bool(_rights(request, EXPORT)), "may_erase": bool(_rights(request, DELETE))}
    return render_page(page, request, "forms/person.html", context)


def _rights(request: HttpRequest, right: str) -> Any:
    return forms_for(request.user, right).exists()


def _numbers(sent: Iterable[str]) -> list[int]:
    found = (read_number(each) for each in list(sent)[:MAX_FOUND])
    return sorted({number for number in found if number})


def _groups(result: Result) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Yield site, form and rows."""
    by_form: dict[int, list[Found]] = {}
    for each in result.found:
        by_form.setdefault(each.entry.form_id, []).append(each)
    for own in sorted(by_form.values(), key=lambda own: (own[0].entry.form.site_id, own[0].entry.form_id)):
        form = own[0].entry.form
        rows = [
            {
                "entry": each.entry,
                "where": ", ".join(label or _now("Reply") for label in each.labels),
                "is_chosen": each.is_apart,
            }
            for each in own
        ]
        yield form.site.site_name, form.name, rows


# ---- what is stored


@transaction.atomic
def _exported(request: HttpRequest, numbers: list[int], ending: str) -> HttpResponseBase:
    entries = entries_for(request.user, EXPORT).filter(pk__in=numbers)
    forms_of = forms_for(request.user, EXPORT).filter(entries__in=numbers).annotate(count=Count("entries"))
    for form in forms_of.order_by("pk"):
        audit.record("entry.exported", form, site_id=form.site_id, format=ending, entries=form.count)
    headers = {"Content-Disposition": f'attachment; filename="entries-{clock.now():%Y%m%d-%H%M%S}.{ending}"'}
    records = stored_of(entries)
    if ending == "csv":
        headings = ["site", "form", "entry", "sent", "name", "value"]
        parts, kind = as_csv(headings, (row for record in records for row in _rows(record)), ","), "text/csv"
    else:
        parts, kind = _as_json(records), "application/json"
    return StreamingHttpResponse(parts, content_type=f"{kind}; charset=utf-8", headers=headers)


def stored_of(entries: QuerySet[Entry]) -> Iterator[dict[str, Any]]:
    """Yield everything that is stored about each of the entries; of files, their names."""
    after = 0
    rows = entries.select_related("form__site").defer("form__site__settings").prefetch_related("files").order_by("pk")
    while chunk := list(rows.filter(pk__gt=after)[:_CHUNK]):
        after = chunk[-1].pk
        fields = {str(each.pk): each for each in Field.objects.filter(form__in={entry.form_id for entry in chunk})}
        for entry in chunk:
            yield _stored(entry, fields)


def _stored(entry: Entry, fields: dict[str, Field]) -> dict[str, Any]:
    values = entry.values if isinstance(entry.values, dict) else {}
    return {
        "site": entry.form.site.site_name,
        "form": entry.form.name,
        "id": str(entry.token),
        "sent": to_text(entry.created_at),
        "state": entry.state,
        "source": entry.source,
        "page": entry.page,
        "channelId": entry.channel_id,
        "contentId": entry.content_id,
        "values": [
            {"name": fields[number].key if number in fields else f"#{number}", "value": value}
            | ({"label": fields[number].label} if number in fields else {})
            for number, value in values.items()
        ],
        "consent": entry.consent,
        "reply": entry.reply,
        "replied": to_text(entry.replied_at),
        "repliedBy": entry.replied_by,
        "files": [{"name": file.name, "type": file.media_type, "bytes": file.size} for file in entry.files.all()],
    }


def _rows(record: dict[str, Any]) -> Iterator[list[str]]:
    """Yield a row for each value and each other member."""
    first = [record["site"], record["form"], record["id"], record["sent"]]
    for each in record["values"]:
        value = each["value"]
        text = ", ".join(map(str, value)) if isinstance(value, list) else to_text(value)
        yield [*first, each.get("label") or each["name"], text]
    for name in ("state", "source", "page", "consent", "reply", "replied", "repliedBy"):
        if record[name]:
            yield [*first, name, record[name]]
    for file in record["files"]:
        yield [*first, "file", file["name"]]


def _as_json(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield "["
    for number, record in enumerate(records):
        yield ",\n" if number else "\n"
        yield json.dumps(record, ensure_ascii=False, indent=1)
    yield "\n]\n"


# ---- its end


@dataclass
class Erased:
    """The deleted entries of a form, as the report shows them."""

    site: str
    form: str
    sent: list[str]  # times
    fields: list[str]
    replies: int
    files: int
    count: int = 0


def _ask(page: Any, request: HttpRequest, sent: dict[str, Any], numbers: list[int]) -> HttpResponse:
    entries = entries_for(request.user, DELETE).filter(pk__in=numbers)
    count, form_count = entries.count(), entries.values("form").distinct().count()
    if not count:
        messages.error(request, _now("You may not delete these entries."))
    told = ngettext(
        "%(count)d entry is permanently deleted, with its reply and its files.",
        "%(count)d entries of %(forms)d forms are permanently deleted, with their replies and files.",
        count,
    ) % {"count": count, "forms": form_count}
    sentences = [told, _now("This cannot be undone. Backups keep them until they are replaced.")]
    if left := len(numbers) - count:
        words = ngettext(
            "%(count)d chosen entry stays: you may not delete it, or it no longer exists.",
            "%(count)d chosen entries stay: you may not delete them, or they no longer exist.",
            left,
        )
        sentences.append(words % {"count": left})
    context = {
        "title": ngettext("Delete %(count)d entry permanently?", "Delete %(count)d entries permanently?", count)
        % {"count": count},
        "sentences": sentences,
        "hidden": [
            ("text", sent["text"]),
            ("site", sent["site"] or ""),
            ("act", "erased"),
            *(("ids", number) for number in numbers),
        ],
        "button": _now("Delete permanently"),
        "is_grave": True,
        "back": address_of(page, "person"),
        "back_words": _now("Find a person"),
    }
    return render_page(page, request, "forms/question.html", context)


def _erased(page: Any, request: HttpRequest, text: str, numbers: list[int]) -> HttpResponse:
    """Delete the entries, and show the report to hand to the person; nothing of it is stored."""
    entries = entries_for(request.user, DELETE)
    found = list(_described(entries.filter(pk__in=numbers)))
    counts = erase(entries, numbers)
    for number, each in found:
        each.count = counts[number]
    context = {
        "title": _now("Erase report"),
        "text": text,
        "erased": [each for _number, each in found],
        "total": sum(counts.values()),
        "left": len(numbers) - sum(counts.values()),
        "moment": format_date_time(clock.now()),
        "by": audit.current_actor().name,
    }
    return render_page(page, request, "forms/erased.html", context)


def _described(entries: QuerySet[Entry]) -> Iterator[tuple[int, Erased]]:
    rows = (
        entries.order_by("form", "pk").select_related("form__site").defer("form__site__settings", "form__description")
    )
    by_form: dict[int, list[Entry]] = {}
    for entry in rows:
        by_form.setdefault(entry.form_id, []).append(entry)
    for form_id, own in by_form.items():
        form = own[0].form
        used = {number for entry in own if isinstance(entry.values, dict) for number in entry.values}
        labels = [str(each) for each in form.fields.all() if str(each.pk) in used]
        files = EntryFile.objects.filter(entry__in=own).count()
        replies = sum(bool(entry.reply) for entry in own)
        sent = [format_date_time(entry.created_at) for entry in own]
        yield form_id, Erased(form.site.site_name, form.name, sent, labels, replies, files)
