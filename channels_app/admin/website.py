from typing import Any

from django.contrib import messages
from django.core.exceptions import DisallowedRedirect
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from channels_app.links import NO_LINK
from core.admin.views import address_of, seen_record


def visit_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    record = seen_record(page, request, pk)
    address = page.address_on_website(record)
    if address == NO_LINK:
        told = _("“%(name)s” links nowhere on the website because of its kind of link.") % {"name": record}
    elif address.startswith("/") and not record.site.has_pages:
        told = _("The address of the website is not known. Set it in the site's settings, as separatedWebUrl.")
    else:
        try:
            return HttpResponseRedirect(address)
        except DisallowedRedirect:
            told = address  # such as mailto:
    messages.info(request, told)
    return HttpResponseRedirect(address_of(page, "change", record.pk))


def visit_context(page: Any, record: Any) -> dict[str, str]:
    return {"visit_address": address_of(page, "visit", record.pk)} if record.site.has_website else {}
