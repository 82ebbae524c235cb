"""The page of the back end that restarts the service and shows each server."""

from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from cms_api import audit
from cms_api.admin.pages import RecordPages
from cms_api.operation.models import Node
from cms_api.operation.restarts import nodes
from cms_api.operation.restarts.asking import ask_from_request, obstacle


@admin.register(Node)
class NodePages(RecordPages):
    """One page, with the servers and a button that restarts them all; nothing else is to be seen of a server."""

    by_groups = False

    def get_urls(self) -> list[URLPattern]:
        views = (
            ("", self.page_view, "changelist"),
            ("state/", self.state_view, "state"),
            ("restart/", self.restart_view, "restart"),
            ("<int:pk>/forget/", require_POST(self.forget_view), "forget"),
        )
        protect = self.admin_site.admin_view
        return [path(route, protect(view), name=f"operation_node_{name}") for route, view, name in views]

    def page_view(self, request: HttpRequest) -> HttpResponse:
        return self._answer(request, "page", obstacle=obstacle(), **_state())

    def state_view(self, request: HttpRequest) -> HttpResponse:
        """The servers as they are now, for the page to show, and whether a restart is under way."""
        state = _state()
        table = render_to_string("operation/table.html", state, request)
        return JsonResponse({"isUnderWay": state["is_under_way"], "table": table})

    def restart_view(self, request: HttpRequest) -> HttpResponse:
        """The question; a POST restarts."""
        if request.method != "POST":
            return self._answer(request, "question", obstacle=obstacle(), nodes=nodes.living().order_by("name"))
        if ask_from_request():
            messages.success(request, _("The restart has been asked for."))
        else:
            messages.error(request, _("This server cannot restart."))
        return self._to_page()

    def forget_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        node = get_object_or_404(Node, pk=pk)
        with transaction.atomic():
            if nodes.forget(node):
                audit.note("system.server_forgotten", node)
                messages.success(request, _("The server %(name)s is no longer listed.") % {"name": node.name})
            else:
                messages.error(request, _("The server %(name)s is running.") % {"name": node.name})
        return self._to_page()

    def _answer(self, request: HttpRequest, name: str, **context: Any) -> HttpResponse:
        common = self.admin_site.each_context(request) | {"opts": self.opts, "title": _("Restart")}
        return TemplateResponse(request, f"operation/{name}.html", common | context)

    def _to_page(self) -> HttpResponse:
        return HttpResponseRedirect(reverse("admin:operation_node_changelist"))


def _state() -> dict[str, Any]:
    order = nodes.last_order()
    living = set(nodes.living().values_list("pk", flat=True))
    waiting = set(nodes.waiting(order).values_list("pk", flat=True))
    rows = [
        {"node": node, "lives": node.pk in living, "waits": node.pk in waiting}
        for node in Node.objects.order_by("name")
    ]
    return {"rows": rows, "order": order, "is_under_way": bool(waiting)}
