"""Export and import on the pages of contents: what the list shows, and tables for one channel of one site."""

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy

from channels_app.admin.channel_filter import ChannelFilter
from channels_app.models import Channel
from cms_api.admin.large_forms import takes_files
from cms_api.admin.numbers import read_number
from cms_api.admin.ranks import sites_of
from cms_api.tables.columns import Column
from cms_api.tables.forms import UploadForm
from cms_api.tables.views import Choices, Tables
from contents.admin.list.channel_picker import ChannelPicker, Offered, channel_choices, offered_channels
from contents.admin.tables import LEFT_OUT, ContentResource, content_columns, content_rows
from contents.models import Content
from contents.services.approval import levels_of, may_finish
from sites.admin.choosing import choose_site
from sites.admin.site_filter import SiteFilter
from sites.models import Site


class ContentUploadForm(UploadForm):
    """The file, and the channel into which its new contents go."""

    channel = forms.TypedChoiceField(
        label=gettext_lazy("Channel of new contents"),
        coerce=int,
        widget=ChannelPicker,
        help_text=gettext_lazy("Contents whose number stands in the file stay where they are."),
    )
    field_order = ["channel", "file"]

    def __init__(self, channels: Sequence[Offered], chosen: int | None, *args: Any) -> None:
        super().__init__(*args)
        field: Any = self.fields["channel"]
        field.choices = channel_choices(channels)
        field.initial = chosen or next((channel.pk for channel in channels), None)


class ContentTables(Tables):
    """The tables of contents."""

    export_action, import_action = "content.exported", "content.imported"
    import_job = "contents.import"
    export_left_out = LEFT_OUT

    def may_export(self, request: HttpRequest) -> bool:
        """Whoever sees contents."""
        return bool(self.page.allows(request, "view"))

    # ---- export

    def table_columns(self, request: HttpRequest) -> list[Column]:
        """The columns, with the custom fields of the site that the list shows."""
        return content_columns(self.exported_site(request))

    def table_rows(self, records: QuerySet[Any], names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
        """The cells of contents."""
        return content_rows(records, names)

    def exported_site(self, request: HttpRequest) -> int | None:
        """The chosen site, the one of the chosen channel, or the only one that the administrator sees."""
        own = sites_of(request.user)
        site = read_number(request.GET.get(SiteFilter.parameter_name))
        channel = read_number(request.GET.get(ChannelFilter.parameter_name))
        if site is None and channel is not None:
            site = Channel.objects.filter(pk=channel).values_list("site_id", flat=True).first()
        if site is None:
            sites = Site.objects.all() if own is None else Site.objects.filter(pk__in=own)
            found = list(sites.values_list("pk", flat=True)[:2])
            site = found[0] if len(found) == 1 else None
        return site if own is None or site in own else None

    # ---- import

    @takes_files("CMS_IMPORT_MAX_BYTES")
    def import_view(self, request: HttpRequest) -> HttpResponse:
        """The first page; where the address names no site, the sites to choose from."""
        if not self.may_import(request):
            raise Http404
        if self.exported_site(request) is None:
            return choose_site(self.page, request, gettext_lazy("Import: which site?"), SiteFilter.parameter_name)
        shown: HttpResponse = super().import_view(request)
        return shown

    def upload_form(self, request: HttpRequest) -> ContentUploadForm:
        """The form, with the channels of the site."""
        site_id = self.exported_site(request)
        channels = offered_channels([site_id or 0])
        chosen = read_number(request.GET.get(ChannelFilter.parameter_name))
        return ContentUploadForm(channels, chosen, *self._uploaded(request))

    def import_choices(self, form: Any) -> Choices:
        """The channel, with its site."""
        channel = Channel.objects.select_related("site").get(pk=form.cleaned_data["channel"])
        return {"channel": channel.pk, "site": channel.site_id, "site_name": channel.site.site_name}

    def import_resource(self, request: HttpRequest, choices: Choices) -> ContentResource:
        """The resource that reads the rows with the administrator's current rights."""
        own = sites_of(request.user)
        rows = Channel.objects.present().filter(pk=choices["channel"], site_id=choices["site"])
        channel = (rows if own is None else rows.filter(site__in=own)).first()
        if channel is None:
            raise Http404
        # A record of the site, since rights may depend on it.
        place = Content(site_id=channel.site_id, channel=channel)
        rights = {act: bool(self.page.allows(request, act, place)) for act in ("add", "change")}
        # A table approves for good and takes that back; a record that waits asks for the first level only.
        levels = levels_of([channel.site_id])[channel.site_id]
        rights["approve"] = bool(self.page.allows(request, "approve", place)) and may_finish(request.user, levels)
        resource = ContentResource(channel, request.user.get_username(), rights)
        chosen = {SiteFilter.parameter_name: channel.site_id, ChannelFilter.parameter_name: channel.pk}
        resource.list_query = f"?{urlencode(chosen)}"
        return resource
