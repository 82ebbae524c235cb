"""What the start page tells of users: who has registered and waits to be checked."""

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from cms_api.admin.registered import address_of, page_of
from cms_api.admin.shown import shown_day, shown_number
from cms_api.admin.start.panels import Figure, Panel, Row, add_panel

_ROWS = 5
_ENOUGH = 1000  # beyond which the number is not counted


def _unchecked(site: AdminSite, request: HttpRequest) -> Panel | None:
    page = page_of(site, request, "accounts.User")
    if page is None or "approve" not in {act.name for act in page.acts_for(request)}:  # type: ignore[attr-defined]
        return None
    waiting = User.objects.filter(is_checked=False).order_by("pk")
    number = waiting.order_by()[: _ENOUGH + 1].count()
    if not number:
        return None  # most sites check nobody
    address = f"{address_of(page)}?is_checked__exact=0"
    told = f"{shown_number(_ENOUGH)}+" if number > _ENOUGH else shown_number(number)
    rows = [
        Row(user.display_name or user.user_name, address_of(page, "change", user.pk), shown_day(user.create_date))
        for user in waiting.only("user_name", "display_name", "create_date")[:_ROWS]
    ]
    figures = [Figure(_("cannot sign in until they are approved"), told, address)]
    return Panel("users", _("Users who wait to be checked"), address, figures=figures, rows=rows)


add_panel(25, "users", _("Users who wait to be checked"), _unchecked)
