"""The way from the page of a channel or content to its page on the website, for pages with `address_on_website`."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import DisallowedRedirect
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from channels_app.links import NO_LINK
from cms_api.admin.registered import address_of
from cms_api.admin.views import seen_record


def visit_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Lead to the record's page, or say why there is none."""
    record = seen_record(page, request, pk)
    address = page.address_on_website(record)
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
    return HttpResponseRedirect(address_of(page, "change", record.pk))


def visit_context(page: Any, record: Any) -> dict[str, str]:
    """The way to the website for the record's page, if its site has one."""
    return {"visit_address": address_of(page, "visit", record.pk)} if record.site.has_website else {}
