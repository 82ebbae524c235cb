"""What of a content goes with it to another place."""

from collections.abc import Mapping
from typing import Any

# What the place gives it: its number and address, its place in the order, what it stands in relation to.
_OF_THE_PLACE = {"id", "siteid", "channelid", "taxis", "navigationurl", "sourceid", "referenceid"}
# What servers of the original tell besides, of themselves and of how it was approved.
_TOLD = {"adminid", "userid", "sequence", "pagecontent", "checkstate", "checkusername", "checkdate", "checkreasons"}
_TOLD |= {"translatecontenttype", "downloads"}
# Its entries are answered as members of their own, too.
_TWICE = {"settingsxml"}
_LEFT_OUT = _OF_THE_PLACE | _TOLD | _TWICE
# Sites have up to five levels of approval.
_HIGHEST_LEVEL = 5
_NO_DATE = "1900-01-01 00:00:00"  # in place of what servers take for no date, and write down as the present moment


def members_to_copy(content: Mapping[str, Any], *, keep_level: bool = False) -> dict[str, Any]:
    """The members of a content that a copy of it in another channel, site or server is created with.

    Texts, dates, groups, tags, flags, counters and custom fields stay; an approved content is approved there, another
    is not. The level of approval stays with `keep_level` only: SiteServer CMS goes by the level instead of the flag,
    and sites count levels differently. `referenceId` does not stay, since the content has another number there. A
    content without `addDate`, which servers show as null or a year long past, gets the first day of 1900.
    """
    members = {name: value for name, value in content.items() if value is not None and name.lower() not in _LEFT_OUT}
    if "addDate" in content and str(content["addDate"] or "") < _NO_DATE:
        members["addDate"] = _NO_DATE
    is_checked = str(content.get("isChecked", "")).lower() == "true"
    level = int(content.get("checkedLevel") or 0)
    if not keep_level:
        level = _HIGHEST_LEVEL if is_checked else min(level, 0)
    return members | {"isChecked": is_checked, "checkedLevel": level}
