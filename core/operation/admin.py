import shutil
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.core.cache import cache
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.defaultfilters import filesizeformat
from django.template.loader import render_to_string
from django.urls import URLPattern, path
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from core import audit
from core.admin.formatting import format_date_time
from core.admin.pages import BaseModelAdmin
from core.admin.ranks import Rank, rank_of
from core.admin.start import Figure, Panel, add_panel
from core.admin.views import address_of, page_of, render_page
from core.audit.models import AuditEntry
from core.operation import nodes, shared_settings
from core.operation.models import Node

_ENGINES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


@admin.register(Node)
class NodeAdmin(BaseModelAdmin):
    """One page that lists the servers and restarts them all; servers have no pages of their own."""

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
        return self._answer(request, "page", **_state())

    def state_view(self, request: HttpRequest) -> HttpResponse:
        state = _state()
        table = render_to_string("operation/table.html", state, request)
        return JsonResponse({"isUnderWay": state["is_under_way"], "table": table})

    def restart_view(self, request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            return self._answer(request, "question", nodes=nodes.living().order_by("name"))
        if nodes.is_possible():
            nodes.record_order()
            messages.success(request, _now("The restart has been requested."))
        else:
            messages.error(request, _now("This server cannot restart."))
        return redirect("admin:operation_node_changelist")

    def forget_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        node = get_object_or_404(Node, pk=pk)
        with transaction.atomic():
            if nodes.forget(node):
                audit.record("system.server_forgotten", node)
                messages.success(request, _now("The server %(name)s is no longer listed.") % {"name": node.name})
            else:
                messages.error(request, _now("The server %(name)s is running.") % {"name": node.name})
        return redirect("admin:operation_node_changelist")

    def _answer(self, request: HttpRequest, name: str, **context: Any) -> HttpResponse:
        shown = {"title": _now("Restart"), "obstacle": nodes.obstacle(), **context}
        return render_page(self, request, f"operation/{name}.html", shown)


def _state() -> dict[str, Any]:
    order = nodes.last_order()
    living = set(nodes.living().values_list("pk", flat=True))
    waiting = set(nodes.waiting(order).values_list("pk", flat=True))
    listed = list(Node.objects.order_by("name"))
    differences = shared_settings.differences([node for node in listed if node.pk in living])
    differing = {node.pk: {"first": first, "names": ", ".join(names)} for node, first, names in differences}
    rows = [
        {"node": node, "lives": node.pk in living, "waits": node.pk in waiting, "differs": differing.get(node.pk)}
        for node in listed
    ]
    return {"rows": rows, "order": order, "is_under_way": bool(waiting)}


def _system(site: admin.AdminSite, request: HttpRequest) -> Panel | None:
    if rank_of(request.user) is not Rank.HIGHEST:
        return None
    servers, entries = (page_of(site, request, model) for model in (Node, AuditEntry))
    address = address_of(servers) if servers else ""
    listed = list(Node.objects.all()[:100])
    figures = [Figure(_("servers"), str(len(listed)), address)]
    if problems := sum(bool(node.problem) for node in listed):
        figures.append(Figure(_("servers with a problem"), str(problems), address, is_worrying=True))
    figures += _parts()
    if entries:
        figures.append(_last_failure(address_of(entries)))
    verdict, worries = _now("No problems."), sum(figure.is_worrying for figure in figures)
    if worries:
        told = ngettext("%(count)d problem: ▲", "%(count)d problems: ▲", worries)
        verdict = told % {"count": worries}
    return Panel("system", _("The system"), address, figures=figures, verdict=verdict, is_worrying=bool(worries))


def _parts() -> list[Figure]:
    version = ".".join(map(str, connection.get_database_version()[:2]))
    found = [Figure(_("database"), f"{_ENGINES.get(connection.vendor, connection.vendor)} {version}")]
    if settings.CMS_CACHE_URL:
        try:
            cache.get("start-page")
            found.append(Figure(_("cache"), _("online")))
        except Exception:  # noqa: BLE001 - any error of the cache client means that the cache does not answer
            found.append(Figure(_("cache"), _("offline"), is_worrying=True))
    usage = shutil.disk_usage(settings.DATA_DIR)
    told = _("%(free)s free") % {"free": filesizeformat(usage.free)}
    return [*found, Figure(_("disk of the data folder"), told, is_worrying=usage.free < 0.1 * usage.total)]


def _last_failure(address: str) -> Figure:
    failed = AuditEntry.objects.filter(action="administrator.sign_in_failed").order_by("-pk")
    last = failed.values_list("at", flat=True).first()
    if last is None:
        return Figure(_("failed sign-ins"), _("none"), address)
    return Figure(_("last failed sign-in"), format_date_time(last), f"{address}?action=administrator.sign_in_failed")


add_panel(60, "system", _("The system"), _system)
