"""Assigns templates to channels: in their form, in bulk, and from the page of a template."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy

from channels_app.admin.channel_filter import indented
from channels_app.admin.channels import ChannelAdmin
from channels_app.models import Channel
from core.admin.admin_actions import AdminAction, Changed
from core.admin.checkboxes import ManyCheckboxes
from core.admin.error_messages import tell
from core.admin.picker import MAX, Picker
from core.admin.views import address_of, page_of, render_page, seen_record
from core.lib.errors import ServiceError
from pages.models import Template
from pages.services import COLUMNS, assign_templates

_KEEP = ""
_LABELS = {"channel_template_id": _("template of the channel"), "content_template_id": _("template of its contents")}
_FIND = _("Find a template")
# Of a form, with room for its other fields.
_MAX_CHANNELS = 900


def template_choices(site_id: int, column: str, chosen: int = 0) -> list[tuple[int, str]]:
    """Return the templates of a site that a column of channels may name, the default first.

    An assigned template that does not exist, which means the default, keeps its number.
    """
    rows = Template.objects.filter(site_id=site_id, kind=COLUMNS[column]).order_by("name").defer("text")
    found = list(rows[:MAX])
    default = next((each.name for each in found if each.is_default), "")
    first = _now("Default: %(name)s") % {"name": default} if default else _now("Default (there is none)")
    choices = [(0, first), *((each.pk, each.name) for each in found)]
    if chosen not in dict(choices):
        choices.append((chosen, _now("%(number)d, which does not exist: the default") % {"number": chosen}))
    return choices


def template_fields(site_id: int, channel: Channel | None) -> dict[str, forms.Field]:
    """Return the fields of the form of a channel."""
    return {
        column: forms.TypedChoiceField(
            label=label,
            coerce=int,
            empty_value=0,  # type: ignore[arg-type]  # the stub knows no others than texts
            required=False,
            choices=template_choices(site_id, column, getattr(channel, column, 0)),
            widget=Picker(_FIND),
        )
        for column, label in _LABELS.items()
    }


class AssignForm(forms.Form):
    note = ""

    def __init__(self, request: HttpRequest, channels: list[Channel], data: Any = None) -> None:
        super().__init__(data)
        sites = {channel.site_id for channel in channels}
        self._has_one_site = len(sites) == 1
        for column, label in _LABELS.items():
            choices = template_choices(min(sites), column) if self._has_one_site else []
            self.fields[column] = forms.TypedChoiceField(
                label=label,
                coerce=int,
                empty_value=None,
                required=False,
                choices=[(_KEEP, _("Leave unchanged")), *choices],
                widget=Picker(_FIND),
            )
        self.fields["with_below"] = forms.BooleanField(label=_("Also assign to all channels below"), required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = {name: value for name, value in self.cleaned_data.items() if value is not None}
        if not self._has_one_site:
            raise ValidationError(_("Choose channels of one site."))
        if not cleaned.keys() & COLUMNS.keys() and not self.errors:
            raise ValidationError(_("Choose a template."))
        return cleaned


def _assign(
    request: HttpRequest, channels: Sequence[Channel], *, with_below: bool, **values: int
) -> list[Changed | ServiceError | None]:
    numbers = [channel.pk for channel in channels]
    if not numbers:
        return []
    try:
        assign_templates(channels[0].site_id, numbers, values, with_below=with_below)
    except ServiceError as refusal:
        return [refusal] * len(numbers)
    return [None] * len(numbers)


ASSIGN = AdminAction(
    "templates",
    _("Assign templates"),
    ngettext_lazy("Assign templates to %(count)d channel?", "Assign templates to %(count)d channels?", "count"),
    ngettext_lazy(
        "Templates were assigned to %(count)d channel.", "Templates were assigned to %(count)d channels.", "count"
    ),
    _assign,
    right="change",
    form=AssignForm,
    at_once=True,
)
ChannelAdmin.admin_actions = (*ChannelAdmin.admin_actions, ASSIGN)
ChannelAdmin.template_fields = staticmethod(template_fields)


class ChannelsForm(forms.Form):
    channels = forms.TypedMultipleChoiceField(label=_("Channels"), coerce=int, required=False, widget=ManyCheckboxes)


def may_assign(channel_page: Any, request: HttpRequest, template: Template) -> bool:
    """Return whether the administrator may change all channels of the template's site."""
    return bool(channel_page.places(request.user, "change").covers_site(template.site_id))


def channels_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Choose the channels that name the template; those left out get the default of its type."""
    template = seen_record(page, request, pk)
    column = next((column for column, kind in COLUMNS.items() if kind == template.kind), None)
    channel_page = page_of(page.admin_site, request, Channel)
    if column is None or channel_page is None or not may_assign(channel_page, request, template):
        raise Http404
    rows = Channel.objects.in_site(template.site_id).defer("content", "description", "settings")
    channels = list(rows[:_MAX_CHANNELS])
    naming = {channel.pk for channel in channels if getattr(channel, column) == template.pk}
    form = ChannelsForm(request.POST if request.method == "POST" else None, initial={"channels": sorted(naming)})
    field: Any = form.fields["channels"]
    field.choices = [(channel.pk, indented(channel)) for channel in channels]
    if request.method == "POST" and form.is_valid():
        chosen = set(form.cleaned_data["channels"])
        seen = {int(number) for number in request.POST.getlist("seen") if number.isdecimal()}
        return _store_channels(page, request, template, column, chosen - seen, (seen & naming) - chosen)
    context = {
        "title": _now("Channels of “%(name)s”") % {"name": template},
        "original": template,
        "form": form,
        "naming": sorted(naming),
        "are_more": rows.count() > _MAX_CHANNELS,
        "channels_address": f"{address_of(channel_page)}?site__id__exact={template.site_id}",
    }
    return render_page(page, request, "pages/channels.html", context)


def _store_channels(
    page: Any, request: HttpRequest, template: Template, column: str, added: set[int], removed: set[int]
) -> HttpResponse:
    try:
        changed = assign_templates(template.site_id, added, {column: template.pk})
        changed += assign_templates(template.site_id, removed, {column: 0})
    except ServiceError as refusal:
        messages.error(request, tell(refusal))
    else:
        told = ngettext("%(count)d channel was changed.", "%(count)d channels were changed.", len(changed))
        messages.success(request, told % {"count": len(changed)})
    return HttpResponseRedirect(address_of(page, "change", template.pk))
