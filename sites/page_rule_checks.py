"""Checks of rules typed in the admin; packages may have any rules, which are stored and filled in unchanged."""

import re
from collections.abc import Callable, Set
from typing import Any

from django.utils.translation import gettext as _

from core.rest.names import to_wire
from sites.models import Site
from sites.page_rules import EXTENSION, UNFIT, parse_rule, token_names

CHANNEL_TOKENS = (
    "{@channelId} {@channelName} {@lowerChannelName} {@channelIndex} {@lowerChannelIndex} {@parentRule} {@year} "
    "{@month} {@day} {@hour} {@minute} {@second} {@sequence}"
)
CONTENT_TOKENS = f"{CHANNEL_TOKENS} {{@contentId}}"
# Many records share their values.
_COARSE = {"year", "month", "day", "hour", "minute", "parentrule", "siteid"}
_SEQUENCE = "sequence"  # restarts in each channel
_SAME_IN_CHANNEL = {"channelid", "channelname", "lowerchannelname", "channelindex", "lowerchannelindex"}
# Columns of contents without a token: too long, derived from the rule itself, or no member.
_NO_TOKENS = {"settingsxml", "addedbykey", "trashedat", "trashedwithid", "version"}
_BRACED = re.compile(r"\{[^{}]*\}?|\}")
_PLAIN_TOKEN = re.compile(r"\{@\w+\}")


def channel_rule_problem(site: Site, rule: str, *, is_single: bool = False) -> str:
    """Return a translated problem, or "". `is_single`: one channel without children uses the rule, under any name."""

    def read_custom() -> set[str]:
        kept = site.channels.values_list("settings", flat=True)
        return {name.casefold() for settings in kept.iterator() for name in settings}

    if problem := _path_problem(rule) or _unknown_token(rule, CHANNEL_TOKENS, set(), read_custom):
        return problem
    names = token_names(parse_rule(rule))
    if is_single or names - _COARSE - {_SEQUENCE} or {_SEQUENCE, "parentrule"} <= names:
        return ""
    if _SEQUENCE in names:
        return _(
            "{@sequence} counts within the channel above, so channels elsewhere would have the same "
            "page. Add {@parentRule}."
        )
    return _("All channels would have the same page. Add a token that tells them apart, such as {@channelId}.")


def content_rule_problem(site: Site, rule: str, *, is_single: bool = False) -> str:
    """Return a translated problem, or "". `is_single`: one channel without children uses the rule."""

    def read_custom() -> set[str]:
        return set(site.custom_fields.values_list("folded_name", flat=True))

    if problem := _path_problem(rule) or _unknown_token(rule, CONTENT_TOKENS, members_of_contents(site), read_custom):
        return problem
    names = token_names(parse_rule(rule))
    if names - _COARSE - _SAME_IN_CHANNEL - {_SEQUENCE}:
        return ""
    if _SEQUENCE in names:
        if is_single or names & _SAME_IN_CHANNEL:
            return ""
        return _(
            "{@sequence} counts within a channel, so content items of other channels would have the same page. "
            "Add a token of the channel, such as {@channelId}."
        )
    return _(
        "All content items of a channel would have the same page. Add a token that tells them apart, such "
        "as {@contentId}."
    )


def members_of_contents(site: Site) -> set[str]:
    """Return the members of contents that a token may name, casefolded."""
    columns: Any = site.contents.model._meta.concrete_fields
    return {to_wire(column.attname).casefold() for column in columns} - _NO_TOKENS


def _path_problem(rule: str) -> str:
    if found := UNFIT.search(rule.replace("|", "")):
        return _("An address cannot contain “%(text)s”.") % {"text": found[0]}
    if ".." in rule.replace("\\", "/").split("/"):
        return _("“..” leads out of the folder of the site.")
    if not EXTENSION.search(rule):
        return _("It must end in a file extension, such as .html.")
    return ""


def _unknown_token(rule: str, tokens: str, members: Set[str], read_custom: Callable[[], Set[str]]) -> str:
    def others(names: Set[str], known: Set[str]) -> set[str]:
        return {name for name in names if name not in known and name.removeprefix("lower") not in known}

    unknown = next((each for each in _BRACED.findall(rule) if not _PLAIN_TOKEN.fullmatch(each)), "")
    names = others(token_names(parse_rule(rule)), token_names(parse_rule(tokens)) | members)
    if not unknown and names and (strangers := others(names, read_custom())):
        unknown = f"{{@{min(strangers)}}}"
    told = {"token": unknown, "tokens": tokens}
    sentence = _("“%(token)s” is not a known token. Use %(tokens)s, or {@…} with the name of a custom field.")
    return sentence % told if unknown else ""
