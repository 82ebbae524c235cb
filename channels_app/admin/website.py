"""The way from the page of a channel or content to its page on the website."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import DisallowedRedirect
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.translation import gettext as _

from channels_app.links import NO_LINK
from cms_api.admin.pages import RecordPages


class WebsitePages(RecordPages):
    """Pages of records that have a page on the website of their site."""

    def address_on_website(self, record: Any) -> str:
        """The navigation URL of the record."""
        raise NotImplementedError

    def is_on_website(self, record: Any) -> bool:
        """Return true if the website has a page for the record."""
        has_website: bool = record.site.has_website
        return has_website

    def get_urls(self) -> list[URLPattern]:
        """The pages of records, and the way to the website."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_visit"
        return [path("<int:pk>/visit/", self.admin_site.admin_view(self.visit_view), name=name), *super().get_urls()]

    def visit_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Lead to the record's page, or say why there is none."""
        record = self.get_object(request, str(pk))
        if record is None or not self.has_view_permission(request, record):
            raise Http404
        address = self.address_on_website(record)
        if address == NO_LINK:
            told = _("“%(name)s” leads nowhere on the website, as its kind of link says.") % {"name": record}
        elif address.startswith("/"):
            told = _("The address of the website is not known. It is set in the site's settings, as separatedWebUrl.")
        else:
            try:
                return HttpResponseRedirect(address)
            except DisallowedRedirect:
                told = address  # such as mailto:
        messages.info(request, told)
        return HttpResponseRedirect(self._address("change", record.pk))

    def acts_context(self, request: HttpRequest, record: Any) -> dict[str, Any]:
        """As everywhere, with the way to the website where there is one."""
        context = super().acts_context(request, record)
        if record is not None and self.is_on_website(record):
            context["visit_address"] = self._address("visit", record.pk)
        return context
