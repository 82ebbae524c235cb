"""The page before the form of a new content: which site, and which of its channels."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from cms_api.admin.numbers import read_number
from cms_api.admin.views import render_page
from contents.admin.list.channel_picker import ChannelPicker, channel_choices, closed_channels, offered_channels
from sites.admin.choosing import SiteChoice, site_choices


class ChannelChoice(forms.Form):
    """Which channel a new content goes into."""

    channel = forms.ChoiceField(label=_("Channel"), widget=ChannelPicker)


def choose_channel(pages: Any, request: HttpRequest, closed: Channel | None) -> HttpResponse:
    """The page that asks for the site, if there are several, and then for the channel; `closed` takes no contents."""
    sites = site_choices(request)
    asked = closed.site_id if closed else read_number(request.GET.get("site", ""))
    chosen = next((pk for pk, _name in sites if pk == asked), sites[0][0] if len(sites) == 1 else None)
    context = {
        "title": _("Add content"),
        "has_view_permission": True,
        "site_form": SiteChoice(sites, chosen=chosen) if len(sites) > 1 else None,
        "channel_form": _channel_form(chosen) if chosen else None,
        "closed": closed,
        "list_filters": request.GET.get("_changelist_filters", ""),
    }
    return render_page(pages, request, "contents/writing/choose.html", context)


def _channel_form(site_id: int) -> ChannelChoice:
    channels, form = offered_channels([site_id]), ChannelChoice(label_suffix="")
    form.fields["channel"].choices = channel_choices(channels)  # type: ignore[attr-defined]
    form.fields["channel"].widget.closed = closed_channels(channels)
    return form
