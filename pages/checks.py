from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning
from django.db import Error

from sites.models import Site


def check_site_hosts(**_: Any) -> list[CheckMessage]:
    """Warn of hosts whose site does not exist, if the database responds."""
    with suppress(Error):
        return list(_without_site())
    return []


def _without_site() -> Iterator[CheckMessage]:
    for host, site in settings.CMS_SITE_HOSTS.items():
        named = {"pk": int(site)} if site.isdecimal() else {"site_dir__iexact": site}
        if not Site.objects.filter(**named).exists():
            told = f"CMS_SITE_HOSTS names the site {site!r} for {host}, but there is no such site"
            hint = "Write host=site with the folder or the number of a site."
            yield Warning(f"{told}: every request to this host gets a 404.", hint=hint, id="pages.W001")
