"""The entries of the menu for the work of the signed-in person."""

from collections.abc import Iterator

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from contents.admin.approval import menu_entries
from contents.models import Content
from core.admin.menu import Entry, add_entries
from core.admin.views import address_of, page_of


def work(site: AdminSite, request: HttpRequest) -> Iterator[Entry]:
    if page := page_of(site, request, Content):
        yield from menu_entries(page, request)
        yield Entry(_("Calendar"), address_of(page, "calendar"), "calendar")


add_entries("work", work)
