"""What the page of a site's settings refuses beyond the declared form of each member, since nothing would come of it.

Programs and packages may bring such values: they are kept, and stay until somebody changes them on the page.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from sites.attributes import REGISTRY, WATERMARK
from sites.models import Site
from sites.page_rule_checks import channel_rule_problem, content_rule_problem
from sites.upload_kinds import UploadKind, folder_of, untaken_types
from sites.upload_pictures import TAKEN_TYPES

# A host of its own is switched on by the one member and named by the other.
_SEPARATED = {"isSeparatedWeb": "separatedWebUrl", "isSeparatedAssets": "separatedAssetsUrl"}
WATERMARK_MEMBERS = frozenset(attribute.name for attribute in REGISTRY if attribute.group == WATERMARK)
_ADDRESS = re.compile(r"https?://[^\s/?#]\S*|/\S*", re.IGNORECASE)
_RULES: Mapping[str, Callable[[Site, str], str]] = {
    "channelFilePathRule": channel_rule_problem,
    "contentFilePathRule": content_rule_problem,
}


def problems(
    site: Site, values: Mapping[str, Any], before: Mapping[str, Any], changed: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Each member that cannot be stored, with a sentence in the present language; only what was changed is looked at.

    `values` lack members that are wrong by themselves; `before` is what the page showed.
    """
    for switch, member in _SEPARATED.items():
        if member in values and {switch, member}.intersection(changed):
            yield from _address_problems(switch, member, values)
    for member, find_problem in _RULES.items():
        if member in values and member in changed and (problem := find_problem(site, values[member])):
            yield member, problem
    for kind in UploadKind:
        yield from _upload_problems(kind, values, before, changed)
    if WATERMARK_MEMBERS.intersection(changed):
        yield from _watermark_problems(values)


def _address_problems(switch: str, member: str, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    address = values[member]
    if address and not _ADDRESS.fullmatch(address):
        yield member, _("%(name)s must begin with http://, https:// or /, without blanks.") % {"name": _quoted(member)}
    # Without a host every address of the site would begin at the top of the service's own.
    if not address and values.get(switch):
        told = {"address": _quoted(member), "switch": _quoted(switch)}
        yield member, _("%(address)s is needed while %(switch)s is on.") % told


def _upload_problems(
    kind: UploadKind, values: Mapping[str, Any], before: Mapping[str, Any], changed: Collection[str]
) -> Iterator[tuple[str, str]]:
    member = f"{kind}UploadDirectoryName"
    if member in changed and member in values:
        typed, used = values[member], folder_of(values[member])
        if typed.replace("\\", "/").removeprefix("@").strip("/") != used:
            yield member, _replaced(typed, used or f"upload/{kind}s")
    member = f"{kind}UploadTypeCollection"
    if member in changed and member in values and (new := untaken_types(kind, values[member], str(before[member]))):
        yield member, _untaken(kind, ", ".join(new))


def _replaced(typed: str, used: str) -> str:
    sentence = _(
        "Files cannot go to “%(typed)s”, but to “%(used)s”: a folder has at most six parts of letters, digits and "
        ". - _ ( ) + @, none of which begins or ends with . or -."
    )
    return sentence % {"typed": typed, "used": used}


def _untaken(kind: UploadKind, types: str) -> str:
    if kind is UploadKind.IMAGE:
        told = {"types": types, "taken": ", ".join(sorted(TAKEN_TYPES))}
        return _("Never taken as pictures: %(types)s. Pictures may be: %(taken)s.") % told
    told = {"types": types}
    return _("Never taken: %(types)s. They are no extensions, or files of theirs may run where they are opened.") % told


def _watermark_problems(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    member = "waterMarkImagePath" if values.get("isImageWaterMark") else "waterMarkFormatString"
    if values.get("isWaterMark") and not values.get(member, " ").strip():
        told = {"address": _quoted(member), "switch": _quoted("isWaterMark")}
        yield member, _("%(address)s is needed while %(switch)s is on.") % told


def _quoted(member: str) -> str:
    return f"“{_(REGISTRY.by_name[member].label)}”"
