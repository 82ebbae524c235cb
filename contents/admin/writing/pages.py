"""The pages for adding and changing a content."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import orjson
from django import forms
from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from channels_app.models import Channel
from contents.admin.fields import offered_fields
from contents.admin.history.descriptions import describe_decision
from contents.admin.list.channels import ChannelPicker, offer_channels
from contents.admin.preview import allow_frames, frames_context
from contents.admin.writing.conflict import Conflict, describe, is_as_before, last_saved, merge
from contents.admin.writing.drafts import (
    change_draft,
    describe_draft,
    describe_rejection,
    draft_saved,
    is_same,
    means_draft,
    merge_draft,
    read_shown,
    saving_context,
)
from contents.admin.writing.form import STATE, ContentForm, Written, empty_values
from contents.admin.writing.schedule import ScheduleForm
from contents.admin.writing.storing import (
    add_content,
    change_content,
    chosen_state,
    describe_stored,
    first_states,
    next_states,
)
from contents.models import Content
from contents.services.approval import DecisionKind, state_of
from contents.services.drafts import as_content, find_draft
from contents.services.labels import tags_known_in
from contents.services.schedules import schedules_of
from contents.services.unsaved_texts import Place, texts_of
from contents.services.unsaved_texts import drop as drop_unsaved
from core.admin.error_messages import tell
from core.admin.numbers import read_number
from core.admin.views import address_of, render_page
from core.lib import clock
from core.lib.errors import ServiceError
from sites.admin.choosing import SiteChoice, site_choices

_MAX_TAGS = 300  # suggested
# Form data of an earlier conflict: values that both had changed, and those taken from the other.
_CONTESTED, _TAKE = "contested", "take"
_PAGE = "_draft_page"  # under which the script has kept what was not saved


class ChannelChoice(forms.Form):
    channel = forms.ChoiceField(label=gettext_lazy("Channel"), widget=ChannelPicker)


class WritingPage:
    """A request for the form; `page` is the ModelAdmin of contents."""

    def __init__(self, page: Any, request: HttpRequest) -> None:
        self._page, self._request = page, request
        self._user: Any = request.user
        self._schedule: Any = None  # ScheduleForm, once the request has one

    def add(self) -> HttpResponse:
        """The form of a new content, or the choice of a channel if the request names none."""
        request = self._request
        number = read_number(request.GET.get("channel", ""))
        found = Channel.objects.live().select_related("site").filter(pk=number) if number else Channel.objects.none()
        channel = self._page.places(self._user, "add").narrow(found, "site", "").first()
        if channel is None or channel.settings.get("isContentAddable") is False:
            return choose_channel(self._page, request, channel)
        written = self.new(channel)
        initial = {"state": DecisionKind.WAITING.value, "author": self._user.display_name}
        form = ContentForm(written, request.POST or None, initial=initial)
        self._schedule = ScheduleForm(self._user, channel, None, request.POST or None)
        if request.method == "POST" and all([form.is_valid(), self._schedule.is_valid()]):
            # Without a state, such as "Save and continue editing": nothing is submitted unasked.
            state = chosen_state(form, request.POST) or DecisionKind.DRAFT
            try:
                with transaction.atomic():
                    saved = add_content(form, self._user, state=state)
                    planned = self._schedule.store(saved.content_id)
                told = describe_stored(saved.content_id, state)
                return self._saved(form, saved.content_id, _joined(told, planned), saved.removed)
            except ServiceError as refusal:
                self._show_refusal(form, refusal)
        return self._show(form)

    def change(self, content: Content) -> HttpResponse:
        request = self._request
        self._schedule = ScheduleForm(self._user, content.channel, content.pk, request.POST or None)
        written = self.existing(content)
        initial = {"seen_version": content.version, "seen_draft": written.shown.version}
        form = ContentForm(written, request.POST or None, initial=initial)
        if request.method != "POST":
            return self._show(form, self._contested_by_draft(content, form))
        is_valid = all([form.is_valid(), self._schedule.is_valid()])
        return self._change(content, form) if is_valid else self._show(form, self._contested(content, form))

    def new(self, channel: Channel) -> Written:
        fields, states = offered_fields(channel.site_id), first_states(self._user, channel)
        return Written(channel, self._user.pk, None, empty_values(fields, clock.now()), fields, states)

    def existing(self, content: Content) -> Written:
        fields = offered_fields(content.site_id)
        shown = read_shown(content, fields)
        schedule = self._schedule.stored if self._schedule else None
        states = next_states(as_content(shown.draft) if shown.draft else content, self._user, schedule)
        fields += shown.new_fields
        return Written(content.channel, self._user.pk, content, shown.values, fields, states, shown)

    def _change(self, content: Content, form: ContentForm) -> HttpResponse:
        sent = self._request.POST
        state = chosen_state(form, sent)
        taken = frozenset(sent.getlist(_TAKE)) & frozenset(sent.getlist(_CONTESTED))
        shown = form.written.shown
        try:
            if shown.version != (form.cleaned_data["seen_draft"] or 0):
                return self._merge(content, form)
            with transaction.atomic():
                done, removed = self._store(content, form, state, taken)
                planned = self._schedule.store(content.pk)
                if self._has_ended(content.pk):
                    planned = _("Your change needs approval again.")
            return self._saved(form, content.pk, _joined(done, planned), removed)
        except ServiceError as refusal:
            if refusal.code == "changed_meanwhile":
                return self._merge(content, form)
            self._show_refusal(form, refusal)
        return self._show(form, self._contested(content, form))

    def _has_ended(self, content_id: int) -> bool:
        """Return whether the approval for a time has ended with a change of someone who may not give it."""
        stored = self._schedule.stored
        if self._schedule.may_change or stored is None or stored.publish_at is None:
            return False
        now = schedules_of([content_id]).get(content_id)
        return now is None or now.publish_at is None

    def _merge(self, content: Content, form: ContentForm) -> HttpResponse:
        """Show the typed values merged with the newer stored version; store nothing."""
        present = written_content(self._page, self._request, str(content.pk))
        if present is None or present.channel_id != content.channel_id:
            raise Http404
        seen, seen_draft = form.cleaned_data["seen_version"] or 0, form.cleaned_data["seen_draft"] or 0
        written = self.existing(present)
        is_same_draft = form.written.shown.version == written.shown.version == seen_draft
        if is_same_draft and content.version != seen and is_as_before(content, seen):
            form.cleaned_data["seen_version"] = content.version
            return self._change(content, form)
        if seen_draft or written.shown.draft:
            conflict, values = merge_draft(present, written.shown, form, (seen, seen_draft))
        else:
            conflict, values = merge(present, form, seen)
        initial = {"seen_version": present.version, "seen_draft": written.shown.version}
        initial |= {STATE: form.cleaned_data.get(STATE, "")}
        shown = ContentForm(replace(written, values=values), initial=initial)
        self._schedule = self._schedule.renewed()
        response = self._show(shown, conflict)
        response.status_code = 409
        return response

    def _contested(self, content: Content, form: ContentForm) -> Conflict | None:
        sent = self._request.POST
        shown = form.written.shown
        stored = form.written.values | {name: shown.public[name] for name in shown.contested}
        names = [name for name in sent.getlist(_CONTESTED) if name in stored]
        if not names:
            return None
        rows = describe(names, form.values, stored, form.written.fields, frozenset(sent.getlist(_TAKE)))
        return Conflict(*last_saved(content), [], rows)

    def _contested_by_draft(self, content: Content, form: ContentForm) -> Conflict | None:
        shown, fields = form.written.shown, form.written.fields
        if not shown.contested:
            return None
        names = [name for name in shown.values if name in shown.contested]
        return Conflict(*last_saved(content), [], describe(names, shown.values, shown.public, fields))

    def _store(
        self, content: Content, form: ContentForm, state: str, taken: frozenset[str]
    ) -> tuple[str, Sequence[str]]:
        """Store the form; return a message, "" if nothing was changed, and the removed markup."""
        if not means_draft(content, form.written.shown, self._user, self._request.POST):
            saved = change_content(content, form, self._user, state=state, taken=taken)
            return describe_stored(content.pk, state) if saved.is_changed else "", saved.removed
        if is_same(form, state):
            return "", ()
        draft, removed = change_draft(content, form, self._user, state=state, taken=taken)
        return describe_draft(draft, state), removed

    def _show(self, form: ContentForm, conflict: Conflict | None = None) -> TemplateResponse:
        channel, content = form.written.channel, form.written.content
        self._request.menu_site = channel.site_id  # type: ignore[attr-defined]  # for the menu
        tags = tags_known_in(channel.site_id, self._page.places(self._user, "view")).order_by("tag_name")
        rejection, shown = "", form.written.shown
        if shown is not None and shown.draft is not None:
            rejection = describe_rejection(shown)
        elif content is not None and (state := state_of(content)).kind is DecisionKind.REJECTED:
            rejection = describe_decision(orjson.loads(content.settings_xml), state)
        context = {
            "title": _("Add content") if content is None else content.title,
            "form": form,
            "schedule": self._schedule,
            "content_record": content,
            "channel": channel,
            "preview_address": self._preview_address(channel, content),
            **self._unsaved_context(channel, content),
            "conflict": conflict,
            "known_tags": tags.values_list("tag_name", flat=True)[:_MAX_TAGS],
            **self._page.actions_context(self._request, content),
            "media": form.media,
            "has_view_permission": True,
            "rejection": rejection,
            **saving_context(form, self._user, self._schedule.stored),
            **(frames := frames_context(self._request, channel.site)),
        }
        response = render_page(self._page, self._request, "contents/writing/form.html", context)
        allow_frames(response, frames)
        return response

    def _unsaved_context(self, channel: Channel, content: Content | None) -> dict[str, Any]:
        """Where the script keeps what is not saved; a form that comes back goes on with what its page has kept."""
        place: Place = {"content": content, "channel": None if content else channel}
        return {
            "unsaved_address": f"{address_of(self._page, 'unsaved')}?{urlencode(_query(channel, content))}",
            "has_unsaved": texts_of(self._user, place).exists(),
            "unsaved_page": self._request.POST.get(_PAGE, "")[:40],
        }

    def _preview_address(self, channel: Channel, content: Content | None) -> str:
        return f"{address_of(self._page, 'preview', channel.site_id)}?{urlencode(_query(channel, content))}"

    def _saved(self, form: ContentForm, content_id: int, done: str, removed: Sequence[str]) -> HttpResponse:
        request, channel = self._request, form.written.channel
        if name := request.POST.get(_PAGE):
            drop_unsaved(self._user, name)
        if removed:
            told = _("Removed from the text for security reasons: %(names)s.")
            messages.warning(request, told % {"names": ", ".join(removed[:20])})
        messages.success(request, done or _("Nothing was changed."))
        if "_addanother" in request.POST:
            return HttpResponseRedirect(request.get_full_path())
        if "_continue" in request.POST or "_draft" in request.POST:
            address = address_of(self._page, "change", content_id)
            if query := request.GET.get("_changelist_filters"):
                address += f"?{urlencode({'_changelist_filters': query})}"
        else:
            of_channel = urlencode({"site__id__exact": channel.site_id, "channel__id__exact": channel.pk})
            address = f"{address_of(self._page)}?{request.GET.get('_changelist_filters', of_channel)}"
        return HttpResponseRedirect(address)

    def _show_refusal(self, form: ContentForm, refusal: ServiceError) -> None:
        if self._schedule.show_refusal(refusal):
            return
        member = str(refusal.members.get("member", ""))
        member = {"content": "body"}.get(member, member)
        form.add_error(member if member in form.fields else None, tell(refusal))


def _joined(*sentences: str) -> SafeString:
    return format_html_join(" ", "{}", ((sentence,) for sentence in sentences if sentence))


def _query(channel: Channel, content: Content | None) -> dict[str, int]:
    return {"content": content.pk} if content else {"channel": channel.pk}


def choose_channel(page: Any, request: HttpRequest, closed: Channel | None) -> HttpResponse:
    """The page for choosing a site, if there are several, and a channel; `closed` takes no contents."""
    places = page.places(request.user, "add")
    sites = site_choices(request, places)
    asked = closed.site_id if closed else read_number(request.GET.get("site", ""))
    chosen = next((pk for pk, _name in sites if pk == asked), sites[0][0] if len(sites) == 1 else None)
    channel_form = None
    if chosen:
        channel_form = ChannelChoice(label_suffix="")
        offer_channels(channel_form.fields["channel"], [chosen], places)
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
    number = read_number(unquote(object_id))
    rows = page.get_queryset(request).defer(None).select_related("channel", "site")
    return rows.filter(pk=number).first() if number else None


def version_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """JSON for the form's script: the current version, its author and time."""
    if not page.admin_site.has_permission(request):
        return JsonResponse({"message": _("Your session has ended.")}, status=401)
    content = written_content(page, request, str(pk))
    if content is None or not page.has_view_permission(request, content):
        return JsonResponse({"message": _("The content item no longer exists.")}, status=404)
    draft = find_draft(content)
    user_name, at = draft_saved(draft) if draft else last_saved(content)
    return JsonResponse(
        {
            "version": draft.version if draft else content.version,
            "user_name": user_name,
            "at": at.isoformat(" ", "seconds"),
        }
    )
