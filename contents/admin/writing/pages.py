"""The pages on which editors write: the form of a new content and of one that is there."""

from typing import Any
from urllib.parse import urlencode

import orjson
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _

from channels_app.models import Channel
from cms_api.admin.editor.drafts import tell_saved
from cms_api.admin.numbers import read_number
from cms_api.admin.ranks import sites_of
from cms_api.admin.refusals import tell
from cms_api.lib import clock
from cms_api.lib.errors import InvalidInput, ServiceError
from contents.admin.approval.words import tell_decision
from contents.admin.writing.called import CalledByForm
from contents.admin.writing.choosing import choose_channel
from contents.admin.writing.conflict import Conflict, describe, is_as_before, last_saved, merge
from contents.admin.writing.custom_inputs import offered_fields
from contents.admin.writing.form import CONTESTED, STATE, TAKE, ContentForm, Written, group_names
from contents.admin.writing.places import Place, place_of
from contents.admin.writing.states import first_states, next_states, stays_public, tell_stored
from contents.admin.writing.storing import Saved, add_content, change_content, chosen_state, refuses_version
from contents.admin.writing.values import empty_values, stored_values
from contents.models import Content, ContentTag
from contents.services.approval import Kind, state_of

_TEMPLATE = "contents/writing/form.html"
_MOST_TAGS = 300  # that are suggested


class ContentWriting(CalledByForm):
    """Pages of contents with forms for whoever may write; others are shown the content as it is."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Who may write new contents."""
        return self.allows(request, "add")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Who may change contents that are there."""
        return self.allows(request, "change", obj)

    # ---- the form

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """The form of a new content; without a channel, the page that asks for one."""
        if not self.has_add_permission(request):
            return super().add_view(request, form_url, extra_context)
        channel = self._channel(request)
        if channel is None or channel.settings.get("isContentAddable") is False:
            return choose_channel(self, request, channel)
        written = self._new(request, channel)
        form = ContentForm(written, request.POST or None, initial=_first_values(request.user))
        if request.method == "POST" and form.is_valid():
            state = chosen_state(form, request.POST)
            try:
                return self._saved(
                    request, written.place, add_content(form, request.user, request.session, state=state)
                )
            except ServiceError as refusal:
                _show_refusal(form, refusal)
        return self._page(request, form, None)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The form of a content that is there; whoever may only look at it is shown it."""
        content = self._content(request, object_id)
        if content is None or not self.has_change_permission(request, content):
            return super().change_view(request, object_id, form_url, extra_context)
        written = self._existing(request, content)
        initial = {"seen_version": content.version}
        form = ContentForm(written, request.POST or None, initial=initial)
        if request.method == "POST" and form.is_valid():
            return self._change(request, content, form)
        contested = self._contested(request, content, form) if request.method == "POST" else None
        return self._page(request, form, content, contested)

    def _change(self, request: HttpRequest, content: Content, form: ContentForm) -> HttpResponse:
        state = chosen_state(form, request.POST)
        taken = frozenset(request.POST.getlist(TAKE)) & frozenset(request.POST.getlist(CONTESTED))
        try:
            saved = change_content(content, form.written.values, form, request.user, state=state, taken=taken)
            return self._saved(request, form.written.place, saved)
        except InvalidInput as refusal:
            if refuses_version(refusal):
                return self._merge(request, content, form)
            _show_refusal(form, refusal)
        except ServiceError as refusal:
            _show_refusal(form, refusal)
        return self._page(request, form, content, self._contested(request, content, form))

    def _merge(self, request: HttpRequest, content: Content, form: ContentForm) -> HttpResponse:
        """The form as it was typed, over what somebody else has stored meanwhile. Nothing is stored by this."""
        present = self._content(request, str(content.pk))
        if present is None or present.channel_id != content.channel_id:
            raise Http404
        seen = form.cleaned_data["seen_version"] or 0
        if content.version != seen and is_as_before(content, seen):
            form.cleaned_data["seen_version"] = content.version
            return self._change(request, content, form)
        merged = merge(present, form, seen)
        initial = {"seen_version": present.version, STATE: form.cleaned_data.get(STATE, "")}
        written = self._existing(request, present)
        shown = ContentForm(
            Written(written.place, merged.values, written.fields, written.states, written.groups), initial=initial
        )
        response = self._page(request, shown, present, merged.conflict)
        response.status_code = 409
        return response

    def _contested(self, request: HttpRequest, content: Content, form: ContentForm) -> Conflict | None:
        """What both had changed when the form was sent before, as long as it is not stored."""
        names = [name for name in request.POST.getlist(CONTESTED) if name in form.written.values]
        if not names:
            return None
        taken = frozenset(request.POST.getlist(TAKE))
        rows = describe(names, form.values, form.written.values, form.written.fields, taken)
        return Conflict(*last_saved(content), [], rows)

    def _page(
        self, request: HttpRequest, form: ContentForm, content: Content | None, conflict: Conflict | None = None
    ) -> TemplateResponse:
        place = form.written.place
        request.menu_site = place.site_id  # type: ignore[attr-defined]  # for the menu
        tags = ContentTag.objects.filter(site_id=place.site_id).order_by("tag_name")
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": _("Add content") if content is None else _("Change content"),
            "subtitle": content.title if content else None,
            "form": form,
            "content_record": content,
            "place": place,
            "conflict": conflict,
            "known_tags": tags.values_list("tag_name", flat=True)[:_MOST_TAGS],
            **self.acts_context(request, content),
            "media": form.media,
            "has_view_permission": True,
            "may_be_draft": content is None or not content.is_checked,
            "stays_public": content is not None and stays_public(content, request.user),
            "rejection": _rejection(content),
        }
        return TemplateResponse(request, _TEMPLATE, context)

    def _saved(self, request: HttpRequest, place: Place, saved: Saved) -> HttpResponse:
        if saved.removed:
            told = _("Taken out of the text, since it could act in the page: %(names)s.")
            messages.warning(request, told % {"names": ", ".join(saved.removed[:20])})
        told = tell_stored(saved.content_id, saved.state) if saved.is_changed else _("Nothing was changed.")
        messages.success(request, told)
        if "_continue" in request.POST or "_draft" in request.POST:
            query = request.GET.get("_changelist_filters")
            address = self._address("change", saved.content_id)
            query = f"?{urlencode({'_changelist_filters': query})}" if query else ""
            return tell_saved(HttpResponseRedirect(f"{address}{query}"), place.draft_key)
        of_channel = urlencode({"site__id__exact": place.site_id, "channel__id__exact": place.channel.pk})
        query = request.GET.get("_changelist_filters", of_channel)
        return tell_saved(HttpResponseRedirect(f"{self._address('changelist')}?{query}"), place.draft_key)

    # ---- what the form is about

    def _channel(self, request: HttpRequest) -> Channel | None:
        number, sites = read_number(request.GET.get("channel", "")), sites_of(request.user)
        found = Channel.objects.present().select_related("site").filter(pk=number) if number else Channel.objects.none()
        return (found if sites is None else found.filter(site__in=sites)).first()

    def _new(self, request: HttpRequest, channel: Channel) -> Written:
        place, fields = Place(channel, request.user.pk), offered_fields(channel.site_id)
        values, states = empty_values(fields, clock.now()), first_states(request.user, channel.site_id)
        return Written(place, values, fields, states, group_names(channel.site_id))

    def _existing(self, request: HttpRequest, content: Content) -> Written:
        place, fields = place_of(content, request.user.pk), offered_fields(content.site_id)
        values, states = stored_values(content, fields), next_states(content, request.user)
        return Written(place, values, fields, states, group_names(content.site_id))


def _first_values(user: Any) -> dict[str, str]:
    """What the form of a new content holds already."""
    return {"token": get_random_string(32), "state": Kind.WAITING.value, "author": user.display_name}


def _rejection(content: Content | None) -> str:
    """Who rejected the content, when and why; nothing where it is not in that state."""
    if content is None or (state := state_of(content)).kind is not Kind.REJECTED:
        return ""
    return tell_decision(orjson.loads(content.settings_xml), state)


def _show_refusal(form: ContentForm, refusal: ServiceError) -> None:
    member = {"content": "body", "title": "title"}.get(str(refusal.members.get("member", "")))
    form.add_error(member if member in form.fields else None, tell(refusal))
