"""The page of channels with copies of channels."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils.crypto import get_random_string
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from channels_app.admin.channels import ChannelAdmin, count_words
from channels_app.admin.rows import tree_address
from channels_app.models import Channel
from contents.admin.list.channels import ChannelPicker, offer_channels
from core.admin.error_messages import tell
from core.admin.places import places_of
from core.admin.views import address_of, render_page, route, seen_record
from core.jobs import enqueueing
from core.jobs.models import Job
from core.lib.errors import ServiceError
from sites.admin.choosing import seen_sites
from transfer.admin.address_changes import change_of_channel
from transfer.channel_copy import COPY, SHORT, Branch, do_copy, read_branch, require_target, undo_copy

MAX_NAME = 255
admin.site.unregister(Channel)


@admin.register(Channel)
class CopyableChannelAdmin(ChannelAdmin):
    find_address_change = staticmethod(change_of_channel)

    def get_urls(self) -> list[URLPattern]:
        own = [
            route(self, "<int:pk>/copy/", "copy", copy_view),
            route(self, "copies/<int:pk>/undo/", "undo_copy", undo),
        ]
        return [*own, *super().get_urls()]


class CopyForm(forms.Form):
    name = forms.CharField(label=_("Name of the copy"), max_length=MAX_NAME)
    parent = forms.TypedChoiceField(label=_("Below"), coerce=int, widget=ChannelPicker)
    with_contents = forms.BooleanField(label=_("With contents"), required=False)

    def __init__(self, request: HttpRequest, source: Channel, data: Any = None) -> None:
        initial = {"name": copy_name(source.channel_name), "parent": source.parent_id, "with_contents": True}
        super().__init__(data, initial=initial, label_suffix="")
        self._user = request.user
        places = places_of(request.user, "channels_app.add_channel")
        sites = list(seen_sites(request, places).values_list("pk", flat=True))
        offered = offer_channels(self.fields["parent"], sites, places, with_closed=True)
        if source.parent_id not in offered and places.touches_site(source.site_id):
            offer_channels(self.fields["parent"], [source.site_id], places, with_closed=True)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            site_id = Channel.objects.values_list("site_id", flat=True).get(pk=cleaned["parent"])
            try:
                require_target(site_id, cleaned["parent"], self._user, with_contents=cleaned["with_contents"])
            except ServiceError as refusal:
                self.add_error("parent", tell(refusal))
            cleaned["site"] = site_id
        return cleaned


def copy_name(name: str) -> str:
    """Return the name with "(copy)", cut to the length of the column."""
    ending = gettext("%(name)s (copy)") % {"name": ""}
    return gettext("%(name)s (copy)") % {"name": name[: MAX_NAME - len(ending)]}


def copy_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Offer the name and the place of the copy; a POST makes it, in a job of its own process if it is large."""
    source: Channel = seen_record(page, request, pk)
    if source.parent_id is None or not page.allows(request, "add"):
        raise Http404
    form = CopyForm(request, source, request.POST if request.method == "POST" else None)
    branch = Branch([], [], 0)
    try:
        branch = read_branch(source, request.user)
        if form.is_bound and form.is_valid():
            return HttpResponseRedirect(_order(request, source, branch, form.cleaned_data).get_absolute_url())
    except ServiceError as refusal:
        messages.error(request, tell(refusal))
    context = {
        "title": gettext("Copy the channel “%(name)s”") % {"name": source},
        "site": source.site,
        "form": form,
        "counted": count_words(len(branch.channels), len(branch.contents)),
        "hidden": branch.hidden,
        "tree_address": tree_address(source),
        "token": get_random_string(32),
    }
    return render_page(page, request, "transfer/channel_copy.html", context)


def _order(request: HttpRequest, source: Channel, branch: Branch, chosen: dict[str, Any]) -> Job:
    asked = {"source": source.pk, "source_site": source.site_id, "source_name": source.channel_name, **chosen}
    ordered: dict[str, Any] = {
        "parameters": asked,
        "token": request.POST.get("token", "")[:64] or get_random_string(32),
        "site_id": chosen["site"],
    }
    size = len(branch.channels) + (len(branch.contents) if chosen["with_contents"] else 0)
    if size > SHORT:
        return enqueueing.enqueue(COPY.name, **ordered)
    return enqueueing.run_now(COPY.name, do=lambda: do_copy(asked, request.user, lambda *_progress: None), **ordered)


def undo(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Move a copy to the trash, for the person who ordered it."""
    job = Job.objects.filter(pk=pk, administrator_id=request.user.pk, kind=COPY.name, state=Job.State.DONE).first()
    if job is None or request.method != "POST" or not page.allows(request, "add"):
        raise Http404
    try:
        undo_copy(job)
    except ServiceError as refusal:
        messages.error(request, tell(refusal))
        return HttpResponseRedirect(job.get_absolute_url())
    messages.success(request, gettext("The copy was moved to the trash."))
    return HttpResponseRedirect(address_of(page, "tree", job.report["site_id"]))
