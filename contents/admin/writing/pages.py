"""The pages on which editors write: the form of a new content and of one that is there."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import orjson
from django import forms
from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from channels_app.models import Channel
from cms_api.admin.editor.drafts import tell_saved
from cms_api.admin.numbers import read_number
from cms_api.admin.picker import MOST
from cms_api.admin.ranks import sites_of
from cms_api.admin.refusals import tell
from cms_api.admin.registered import address_of
from cms_api.admin.views import render_page
from cms_api.lib import clock
from cms_api.lib.errors import ServiceError
from contents.admin.history.words import tell_decision
from contents.admin.list.channel_picker import ChannelPicker, channel_choices, closed_channels, offered_channels
from contents.admin.writing.conflict import Conflict, describe, is_as_before, last_saved, merge
from contents.admin.writing.custom_inputs import offered_fields
from contents.admin.writing.form import CONTESTED, STATE, TAKE, ContentForm, Written
from contents.admin.writing.places import Place
from contents.admin.writing.states import first_states, next_states, stays_public, tell_stored
from contents.admin.writing.storing import Saved, add_content, change_content, chosen_state
from contents.admin.writing.values import Values, empty_values, stored_values
from contents.models import Content, ContentGroup, ContentTag, CustomField
from contents.services.approval import Kind, state_of
from sites.admin.choosing import SiteChoice, site_choices

_MOST_TAGS = 300  # that are suggested
States = Sequence[tuple[str, str]]


class ChannelChoice(forms.Form):
    """Which channel a new content goes into."""

    channel = forms.ChoiceField(label=gettext_lazy("Channel"), widget=ChannelPicker)


class WritingPage:
    """One request for the form of a content, a new one or one that is there, of whoever may write it.

    `page` is the ModelAdmin of contents.
    """

    def __init__(self, page: Any, request: HttpRequest) -> None:
        self._page, self._request = page, request
        self._user: Any = request.user

    def add(self) -> HttpResponse:
        """The form of a new content; without a channel, the page that asks for one."""
        request = self._request
        channel = self._channel()
        if channel is None or channel.settings.get("isContentAddable") is False:
            return choose_channel(self._page, request, channel)
        place, fields = Place(channel, self._user.pk), offered_fields(channel.site_id)
        written = self._written(
            place, empty_values(fields, clock.now()), fields, first_states(self._user, place.site_id)
        )
        initial = {"token": get_random_string(32), "state": Kind.WAITING.value, "author": self._user.display_name}
        form = ContentForm(written, request.POST or None, initial=initial)
        if request.method == "POST" and form.is_valid():
            state = chosen_state(form, request.POST)
            try:
                return self._saved(place, add_content(form, self._user, request.session, state=state))
            except ServiceError as refusal:
                _show_refusal(form, refusal)
        return self._show(form, None)

    def change(self, content: Content) -> HttpResponse:
        """The form of a content that is there."""
        request = self._request
        form = ContentForm(self._existing(content), request.POST or None, initial={"seen_version": content.version})
        if request.method == "POST" and form.is_valid():
            return self._change(content, form)
        return self._show(form, content, self._contested(content, form) if request.method == "POST" else None)

    def _change(self, content: Content, form: ContentForm) -> HttpResponse:
        sent = self._request.POST
        taken = frozenset(sent.getlist(TAKE)) & frozenset(sent.getlist(CONTESTED))
        try:
            saved = change_content(
                content, form.written.values, form, self._user, state=chosen_state(form, sent), taken=taken
            )
            return self._saved(form.written.place, saved)
        except ServiceError as refusal:
            if refusal.code == "changed_meanwhile":
                return self._merge(content, form)
            _show_refusal(form, refusal)
        return self._show(form, content, self._contested(content, form))

    def _merge(self, content: Content, form: ContentForm) -> HttpResponse:
        """The form as it was typed, over what somebody else has stored meanwhile. Nothing is stored by this."""
        present = written_content(self._page, self._request, str(content.pk))
        if present is None or present.channel_id != content.channel_id:
            raise Http404
        seen = form.cleaned_data["seen_version"] or 0
        if content.version != seen and is_as_before(content, seen):
            form.cleaned_data["seen_version"] = content.version
            return self._change(content, form)
        merged = merge(present, form, seen)
        initial = {"seen_version": present.version, STATE: form.cleaned_data.get(STATE, "")}
        shown = ContentForm(replace(self._existing(present), values=merged.values), initial=initial)
        response = self._show(shown, present, merged.conflict)
        response.status_code = 409
        return response

    def _contested(self, content: Content, form: ContentForm) -> Conflict | None:
        """What both had changed when the form was sent before, as long as it is not stored."""
        sent = self._request.POST
        names = [name for name in sent.getlist(CONTESTED) if name in form.written.values]
        if not names:
            return None
        taken = frozenset(sent.getlist(TAKE))
        rows = describe(names, form.values, form.written.values, form.written.fields, taken)
        return Conflict(*last_saved(content), [], rows)

    def _show(self, form: ContentForm, content: Content | None, conflict: Conflict | None = None) -> TemplateResponse:
        place = form.written.place
        self._request.menu_site = place.site_id  # type: ignore[attr-defined]  # for the menu
        tags = ContentTag.objects.filter(site_id=place.site_id).order_by("tag_name")
        context = {
            "title": _("Add content") if content is None else _("Change content"),
            "subtitle": content.title if content else None,
            "form": form,
            "content_record": content,
            "place": place,
            "conflict": conflict,
            "known_tags": tags.values_list("tag_name", flat=True)[:_MOST_TAGS],
            **self._page.acts_context(self._request, content),
            "media": form.media,
            "has_view_permission": True,
            "may_be_draft": content is None or not content.is_checked,
            "stays_public": content is not None and stays_public(content, self._user),
            "rejection": _rejection(content),
        }
        return render_page(self._page, self._request, "contents/writing/form.html", context)

    def _saved(self, place: Place, saved: Saved) -> HttpResponse:
        request = self._request
        if saved.removed:
            told = _("Taken out of the text, since it could act in the page: %(names)s.")
            messages.warning(request, told % {"names": ", ".join(saved.removed[:20])})
        told = tell_stored(saved.content_id, saved.state) if saved.is_changed else _("Nothing was changed.")
        messages.success(request, told)
        if "_continue" in request.POST or "_draft" in request.POST:
            address = address_of(self._page, "change", saved.content_id)
            if query := request.GET.get("_changelist_filters"):
                address += f"?{urlencode({'_changelist_filters': query})}"
        else:
            of_channel = urlencode({"site__id__exact": place.site_id, "channel__id__exact": place.channel.pk})
            address = f"{address_of(self._page)}?{request.GET.get('_changelist_filters', of_channel)}"
        return tell_saved(HttpResponseRedirect(address), place.draft_key)

    def _channel(self) -> Channel | None:
        number, sites = read_number(self._request.GET.get("channel", "")), sites_of(self._user)
        found = Channel.objects.present().select_related("site").filter(pk=number) if number else Channel.objects.none()
        return (found if sites is None else found.filter(site__in=sites)).first()

    def _existing(self, content: Content) -> Written:
        place = Place(content.channel, self._user.pk, content.pk, content.version)
        fields = offered_fields(content.site_id)
        return self._written(place, stored_values(content, fields), fields, next_states(content, self._user))

    def _written(self, place: Place, values: Values, fields: list[CustomField], states: States) -> Written:
        # The groups of the site in their order, as far as a form can show them.
        groups = ContentGroup.objects.filter(site_id=place.site_id).order_by("taxis", "pk")
        return Written(place, values, fields, states, list(groups.values_list("group_name", flat=True)[:MOST]))


def choose_channel(page: Any, request: HttpRequest, closed: Channel | None) -> HttpResponse:
    """The page that asks for the site, if there are several, and then for the channel; `closed` takes no contents."""
    sites = site_choices(request)
    asked = closed.site_id if closed else read_number(request.GET.get("site", ""))
    chosen = next((pk for pk, _name in sites if pk == asked), sites[0][0] if len(sites) == 1 else None)
    channel_form = None
    if chosen:
        channels, channel_form = offered_channels([chosen]), ChannelChoice(label_suffix="")
        field: Any = channel_form.fields["channel"]
        field.choices = channel_choices(channels)
        field.widget.closed = closed_channels(channels)
    context = {
        "title": _("Add content"),
        "has_view_permission": True,
        "site_form": SiteChoice(sites, chosen=chosen) if len(sites) > 1 else None,
        "channel_form": channel_form,
        "closed": closed,
        "list_filters": request.GET.get("_changelist_filters", ""),
    }
    return render_page(page, request, "contents/writing/choose.html", context)


def written_content(page: Any, request: HttpRequest, object_id: str) -> Content | None:
    """The content with its long texts, if the administrator may see it in the list."""
    number = read_number(unquote(object_id))
    rows = page.get_queryset(request).defer(None).select_related("channel", "site")
    return rows.filter(pk=number).first() if number else None


def version_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Which version the content has, who has made it and when; for the script of the form."""
    if not page.admin_site.has_permission(request):
        return JsonResponse({"message": _("Your session has ended.")}, status=401)
    content = written_content(page, request, str(pk))
    if content is None or not page.has_view_permission(request, content):
        return JsonResponse({"message": _("The content is not there any more.")}, status=404)
    user_name, at = last_saved(content)
    told = {"version": content.version, "user_name": user_name, "at": at.isoformat(" ", "seconds")}
    return JsonResponse(told)


def _rejection(content: Content | None) -> str:
    """Who rejected the content, when and why; nothing where it is not in that state."""
    if content is None or (state := state_of(content)).kind is not Kind.REJECTED:
        return ""
    return tell_decision(orjson.loads(content.settings_xml), state)


def _show_refusal(form: ContentForm, refusal: ServiceError) -> None:
    member = {"content": "body", "title": "title"}.get(str(refusal.members.get("member", "")))
    form.add_error(member if member in form.fields else None, tell(refusal))
