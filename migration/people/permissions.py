"""Permissions of this service that correspond to permissions of SiteServer's roles."""

import re
from collections.abc import Iterable

from contents.models import MAX_LEVEL

# By casefolded name: of version 6, and below of version 7.
_COUNTERPARTS = {
    "cms_contentview": "contents.view_content",
    "cms_contentadd": "contents.add_content",
    "cms_contentedit": "contents.change_content",
    "cms_contentdelete": "contents.delete_content",
    "cms_contenttranslate": "contents.change_content",
    "cms_contentarrange": "contents.change_content",
    "cms_contentcheck": "contents.approve_content",
    "cms_channeladd": "channels_app.add_channel",
    "cms_channeledit": "channels_app.change_channel",
    "cms_channeldelete": "channels_app.delete_channel",
    "cms_channeltranslate": "channels_app.change_channel",
    "site_contentstrash": "contents.restore_content contents.purge_content",
    "settings_user": (
        "accounts.view_user accounts.add_user accounts.change_user accounts.delete_user accounts.approve_user "
        "accounts.lock_user accounts.reset_user accounts.export_user"
    ),
    "content_view": "contents.view_content",
    "content_add": "contents.add_content",
    "content_edit": "contents.change_content",
    "content_delete": "contents.delete_content",
    "content_translate": "contents.change_content",
    "content_arrange": "contents.change_content",
    "site_channels": (
        "channels_app.view_channel channels_app.add_channel channels_app.change_channel channels_app.delete_channel"
    ),
    "site_contentsrecycle": "contents.restore_content contents.purge_content",
}
_CHECK = re.compile(r"(?:cms_contentcheck|content_check)level([1-9])")


def counterparts(names: Iterable[str]) -> frozenset[str]:
    """Return full names of our permissions, such as "contents.view_content"."""
    return frozenset(right for name in names for right in _counterpart(name).split())


def unknown(names: Iterable[str]) -> list[str]:
    return [name for name in names if not _counterpart(name)]


def _counterpart(name: str) -> str:
    if match := _CHECK.fullmatch(name.casefold()):
        level = int(match[1])
        return f"contents.approve{level}_content" if level < MAX_LEVEL else "contents.approve_content"
    return _COUNTERPARTS.get(name.casefold(), "")
