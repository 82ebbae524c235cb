"""Selection of the members that a copy of a content keeps."""

from collections.abc import Mapping
from typing import Any

# Members that depend on the destination: id, URL, position, and references to other records.
_OF_THE_PLACE = {"id", "siteid", "channelid", "taxis", "navigationurl", "sourceid", "referenceid"}
# Members that only SiteServer CMS returns: internal values and details of the approval.
_TOLD = {"adminid", "userid", "sequence", "pagecontent", "checkstate", "checkusername", "checkdate", "checkreasons"}
_TOLD |= {"translatecontenttype", "downloads"}
# Responses also contain its entries as separate members.
_TWICE = {"settingsxml"}
_LEFT_OUT = _OF_THE_PLACE | _TOLD | _TWICE
# Sites have at most five approval levels.
_HIGHEST_LEVEL = 5
_NO_DATE = "1900-01-01 00:00:00"  # servers treat earlier dates as missing and store the current time


def members_to_copy(content: Mapping[str, Any], *, keep_level: bool = False) -> dict[str, Any]:
    """Return the members with which to create a copy of a content in another channel, on another site or server.

    Keeps texts, dates, groups, tags, flags, counters and custom fields. The copy is approved only if the content is.
    Keeps the approval level only with `keep_level`: SiteServer CMS evaluates the level instead of the flag, and sites
    have different numbers of levels. Omits `referenceId`, because the referenced content has another id at the
    destination. Sets a missing `addDate`, which servers return as null or a date before 1900, to 1900-01-01.
    """
    members = {name: value for name, value in content.items() if value is not None and name.lower() not in _LEFT_OUT}
    if "addDate" in content and str(content["addDate"] or "") < _NO_DATE:
        members["addDate"] = _NO_DATE
    is_checked = str(content.get("isChecked", "")).lower() == "true"
    level = int(content.get("checkedLevel") or 0)
    if not keep_level:
        level = _HIGHEST_LEVEL if is_checked else min(level, 0)
    return members | {"isChecked": is_checked, "checkedLevel": level}
