from typing import Any

import orjson
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from core.admin.admin_actions import AdminAction
from core.admin.pages import BaseModelAdmin
from core.admin.views import render_page, seen_record
from webhooks.admin.sites import SiteFilter
from webhooks.deliveries import replay
from webhooks.event_names import EVENT_NAMES
from webhooks.models import Delivery

REPLAY = AdminAction(
    "replay",
    _("Deliver again"),
    ngettext_lazy("Deliver %(count)d event again?", "Deliver %(count)d events again?", "count"),
    ngettext_lazy("%(count)d event will be delivered again.", "%(count)d events will be delivered again.", "count"),
    lambda request, delivery: replay(delivery.webhook, Delivery.objects.filter(pk=delivery.pk)),
    suits=lambda delivery: delivery.state != Delivery.State.WAITING,
    unsuited=_("still waiting"),
    creates=True,
)


@admin.register(Delivery)
class DeliveryAdmin(BaseModelAdmin):
    by_groups = False
    site_lookup = "webhook__site_id"
    list_display = ["message_id", "event_text", "subject", "webhook", "occurred_at", "state", "attempt_count", "result"]
    list_filter = ["state", ("webhook", admin.RelatedOnlyFieldListFilter), SiteFilter, "event_name"]
    list_select_related = ["webhook"]
    search_fields = ["message_id", "subject"]
    ordering = ["-pk"]
    admin_actions = [REPLAY]

    @admin.display(description=_("event"), ordering="event_name")
    def event_text(self, delivery: Delivery) -> str:
        return str(EVENT_NAMES.get(delivery.event_name, delivery.event_name))

    @admin.display(description=_("last response"))
    def result(self, delivery: Delivery) -> str:
        last = delivery.attempts[-1] if delivery.attempts else {}
        return str(last.get("status") or last.get("error") or "–")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if request.method == "POST":
            raise PermissionDenied
        delivery = seen_record(self, request, object_id)
        body = orjson.dumps(orjson.loads(delivery.payload), option=orjson.OPT_INDENT_2).decode()
        context = {"delivery": delivery, "title": str(delivery), "body": body, "event": self.event_text(delivery)}
        return render_page(self, request, "webhooks/delivery.html", context | self.actions_context(request, delivery))
