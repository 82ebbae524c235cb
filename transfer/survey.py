import re
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext_lazy as _

from contents.models import Content
from sites.attributes import SITE_ATTRIBUTES
from transfer.columns import Columns
from transfer.notes import MAX_NAMED, notes_of
from transfer.package import PackageError
from transfer.site_template import SiteTemplate

MAX_CHANNELS = 500  # rows of the report
_ADDRESS = re.compile(r"""@/([^\s"'<>()?#@]{1,500}\.[A-Za-z0-9]{1,8})""")
_STEP = 200  # contents between progress reports

Tell = Callable[[str, int, int], object]


def survey(template: SiteTemplate, tell: Tell) -> dict[str, Any]:
    """Read a whole site template and report its contents. Raises PackageError as an import would."""
    files, columns, site = template.stored_files(), Columns(Content), template.site
    channels = list(template.channels())
    total = sum(channel.content_num for channel in channels)
    missing: set[str] = set()
    rows, contents = [], 0
    for channel in channels:
        if not channel.fields.get("channel_name", "").strip():
            raise PackageError(_("The channel has no name."), file=channel.origin, element="field channelName")
        before = contents
        for content in template.contents(channel):
            fields = {name: value for name, value in content.fields.items() if value is not None and name != "content"}
            if not fields.get("title", "").strip():
                raise PackageError(_("The content item has no title."), file=content.origin, element="field title")
            columns.check(fields, content.origin)
            for text in content.fields.values():
                if isinstance(text, str) and "@/" in text:
                    missing.update(path for path in _ADDRESS.findall(text) if not files.has(path))
            contents += 1
            if contents % _STEP == 0:
                tell("reading", contents, max(total, contents))
        rows.append([len(channel.position), channel.fields["channel_name"], contents - before])
    unknown = sorted(name for name in site.settings if name.casefold() not in SITE_ATTRIBUTES)
    return {
        "site_name": site.site_name or rows[0][1],
        "site_dir": site.site_dir,
        "is_root": site.is_root,
        "channels": len(rows),
        "contents": contents,
        "groups": len(site.content_groups),
        "rows": rows[:MAX_CHANNELS],
        "more": max(0, len(rows) - MAX_CHANNELS),
        "unknown_settings": unknown[:MAX_NAMED],
        "files": len(files.names),
        "missing": len(missing),
        "missing_named": sorted(missing)[:MAX_NAMED],
        **notes_of(template, files),
    }
