"""Whether the system is well, for administrators of the highest rank."""

import shutil
from pathlib import Path

from django.conf import settings
from django.contrib.admin import AdminSite
from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from cms_api.admin.ranks import Rank, rank_of
from cms_api.admin.registered import address_of, page_of
from cms_api.admin.shown import shown_moment
from cms_api.admin.start.panels import Figure, Panel, add_panel
from cms_api.audit.models import AuditEntry
from cms_api.operation.models import Node

_LITTLE = 0.1  # of the disk
_ENGINES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def _system(site: AdminSite, request: HttpRequest) -> Panel | None:
    if rank_of(request.user) is not Rank.HIGHEST:
        return None
    servers = page_of(site, request, "operation.Node")
    audit = page_of(site, request, "audit.AuditEntry")
    figures = [*_servers(address_of(servers) if servers else ""), _database(), *_cache(), _disk()]
    if audit:
        figures.append(_last_act(address_of(audit)))
    worries = sum(figure.is_worrying for figure in figures)
    return Panel(
        "system",
        _("The system"),
        address_of(servers) if servers else "",
        figures=figures,
        verdict=_verdict(worries),
        is_worrying=bool(worries),
    )


def _verdict(worries: int) -> str:
    if not worries:
        return _now("All is well.")
    told = ngettext("%(count)d thing needs a look: ▲", "%(count)d things need a look: ▲", worries)
    return told % {"count": worries}


def _servers(address: str) -> list[Figure]:
    nodes = list(Node.objects.all()[:100])
    problems = sum(bool(node.problem) for node in nodes)
    found = [Figure(_("servers"), str(len(nodes)), address)]
    if problems:
        found.append(Figure(_("servers with a problem"), str(problems), address, is_worrying=True))
    return found


def _database() -> Figure:
    version = ".".join(map(str, connection.get_database_version()[:2]))
    return Figure(_("database"), f"{_ENGINES.get(connection.vendor, connection.vendor)} {version}")


def _cache() -> list[Figure]:
    if not settings.CMS_CACHE_URL:
        return []
    try:
        cache.get("start-page")
    except Exception:  # noqa: BLE001 - whatever the client of the cache raises: it does not answer
        return [Figure(_("cache"), _("does not answer"), is_worrying=True)]
    return [Figure(_("cache"), _("answers"))]


def _disk() -> Figure:
    usage = shutil.disk_usage(Path(settings.DATA_DIR))
    told = _("%(free)s free") % {"free": filesizeformat(usage.free)}
    return Figure(_("disk of the data folder"), told, is_worrying=usage.free < _LITTLE * usage.total)


def _last_act(address: str) -> Figure:
    failed = AuditEntry.objects.filter(action="administrator.sign_in_failed").order_by("-pk")
    last = failed.values_list("at", flat=True).first()
    if last is None:
        return Figure(_("failed sign-ins"), _("none"), address)
    return Figure(_("last failed sign-in"), shown_moment(last), f"{address}?action=administrator.sign_in_failed")


add_panel(60, "system", _("The system"), _system)
