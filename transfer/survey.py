"""Looks through a package without writing: what an import would bring, and what it would leave out."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext_lazy as _

from contents.models import Content
from sites.attributes import SITE_ATTRIBUTES
from transfer.columns import Columns
from transfer.package import ChannelRecord, ContentRecord, PackageError
from transfer.site_files import SiteFiles
from transfer.site_template import SiteTemplate

MOST_CHANNELS = 500  # lines of a report
MOST_NAMED = 20
_ADDRESS = re.compile(r"""@/([^\s"'<>()?#@]{1,500}\.[A-Za-z0-9]{1,8})""")
_STEP = 200  # contents between two tellings

Tell = Callable[[str, int, int], object]


class Survey:
    """What stands in a site template; `run` reads all of it, and raises PackageError as an import would."""

    def __init__(self, template: SiteTemplate, tell: Tell) -> None:
        self._template, self._tell = template, tell
        self._files = SiteFiles(template.files)
        self._columns = Columns(Content)
        self._missing: Counter[str] = Counter()
        self._contents = 0

    def run(self) -> dict[str, Any]:
        """The report."""
        channels = list(self._template.channels())
        total = sum(channel.content_num for channel in channels)
        rows = [
            [len(each.position), each.fields.get("channel_name", ""), self._count(each, total)] for each in channels
        ]
        site = self._template.site
        return {
            "site_name": site.site_name or rows[0][1],
            "site_dir": site.site_dir,
            "is_root": site.is_root,
            "channels": len(rows),
            "contents": self._contents,
            "groups": len(site.content_groups),
            "rows": rows[:MOST_CHANNELS],
            "more": max(0, len(rows) - MOST_CHANNELS),
            **self._warnings(site.settings),
        }

    def _count(self, channel: ChannelRecord, total: int) -> int:
        if not channel.fields.get("channel_name", "").strip():
            raise PackageError(_("The channel has no name."), file=channel.origin, element="field channelName")
        count = 0
        for count, content in enumerate(self._template.contents(channel), start=1):  # noqa: B007 - the last one counts
            self._look(content)
            self._contents += 1
            if self._contents % _STEP == 0:
                self._tell("reading", self._contents, max(total, self._contents))
        return count

    def _look(self, content: ContentRecord) -> None:
        fields = {name: value for name, value in content.fields.items() if value is not None and name != "content"}
        if not fields.get("title", "").strip():
            raise PackageError(_("The content has no title."), file=content.origin, element="field title")
        self._columns.check(fields, content.origin)
        for text in (value for value in content.fields.values() if isinstance(value, str) and "@/" in value):
            self._missing.update(path for path in _ADDRESS.findall(text) if not self._files.has(path))

    def _warnings(self, settings: dict[str, Any]) -> dict[str, Any]:
        unknown = sorted(name for name in settings if name.casefold() not in SITE_ATTRIBUTES)
        return {
            "unknown_settings": unknown[:MOST_NAMED],
            "files": len(self._files.names),
            "missing": len(self._missing),
            "missing_named": sorted(self._missing)[:MOST_NAMED],
            "left_out": self._files.left_out,
        }
