"""What is wrong with a rule that is to name the pages of a whole site, or of a channel and what is below it.

Asked by the pages of settings and of channels only: packages bring rules of any kind, which are kept and filled in as
they are.
"""

import re
from collections.abc import Set
from typing import Any

from django.utils.translation import gettext as _

from cms_api.rest.names import to_wire
from sites.models import Site
from sites.page_rules import EXTENSION, UNFIT, parse_rule, token_names

CHANNEL_TOKENS = (
    "{@channelId} {@channelName} {@lowerChannelName} {@channelIndex} {@lowerChannelIndex} {@parentRule} {@year} "
    "{@month} {@day} {@hour} {@minute} {@second} {@sequence}"
)
CONTENT_TOKENS = f"{CHANNEL_TOKENS} {{@contentId}}"
# Many records share them.
_COARSE = {"year", "month", "day", "hour", "minute", "parentrule", "siteid"}
_SEQUENCE = "sequence"  # counted anew in each channel
_SAME_IN_CHANNEL = {"channelid", "channelname", "lowerchannelname", "channelindex", "lowerchannelindex"}
# Columns of contents that no token stands for: too long, made of the rule itself, or no member at all.
_NO_TOKENS = {"settingsxml", "addedbykey", "trashedat", "trashedwithid", "version"}
_BRACED = re.compile(r"\{[^{}]*\}?|\}")
_PLAIN_TOKEN = re.compile(r"\{@\w+\}")


def channel_rule_problem(site: Site, rule: str, *, is_single: bool = False) -> str:
    """Why the pages of channels cannot be named so, in the present language; empty where they can be.

    `is_single`: the rule is that of one channel with none below it, whose page may have any name.
    """
    if problem := _path_problem(rule):
        return problem
    if unknown := _unknown(rule, _names(CHANNEL_TOKENS), lambda: _members_of_channels(site)):
        return _unknown_token(unknown, CHANNEL_TOKENS)
    if is_single or _tells_apart(rule, _COARSE | {_SEQUENCE}) or _has(rule, _SEQUENCE, {"parentrule"}):
        return ""
    if _SEQUENCE in token_names(parse_rule(rule)):
        return _(
            "{@sequence} counts within the channel above: channels elsewhere would have the same page. "
            "It needs {@parentRule} beside it."
        )
    return _("All channels would have the same page. A token must tell them apart, such as {@channelId}.")


def content_rule_problem(site: Site, rule: str, *, is_single: bool = False) -> str:
    """Why the pages of contents cannot be named so, as `channel_rule_problem` tells it.

    `is_single`: the rule is that of one channel with none below it, in which {@sequence} is enough.
    """
    if problem := _path_problem(rule):
        return problem
    if unknown := _unknown(rule, _names(CONTENT_TOKENS) | members_of_contents(site), lambda: _custom_of_contents(site)):
        return _unknown_token(unknown, CONTENT_TOKENS)
    if _tells_apart(rule, _COARSE | _SAME_IN_CHANNEL | {_SEQUENCE}):
        return ""
    if _SEQUENCE in token_names(parse_rule(rule)):
        if is_single or _has(rule, _SEQUENCE, _SAME_IN_CHANNEL):
            return ""
        return _(
            "{@sequence} counts within a channel: contents of others would have the same page. "
            "It needs a token of the channel beside it, such as {@channelId}."
        )
    return _("All contents of a channel would have the same page. A token must tell them apart, such as {@contentId}.")


def members_of_contents(site: Site) -> set[str]:
    """The members of contents that a token may name, without letter case."""
    columns: Any = site.contents.model._meta.concrete_fields
    return {to_wire(column.attname).casefold() for column in columns} - _NO_TOKENS


def _path_problem(rule: str) -> str:
    if found := UNFIT.search(rule.replace("|", "")):
        return _("No address can hold “%(text)s”.") % {"text": found[0]}
    if ".." in rule.replace("\\", "/").split("/"):
        return _("“..” leads out of the folder of the site.")
    if not EXTENSION.search(rule):
        return _("It must end in a file extension, such as .html.")
    return ""


def _names(tokens: str) -> set[str]:
    return token_names(parse_rule(tokens))


def _unknown(rule: str, known: Set[str], read_custom: Any) -> str:
    """What stands in braces and for nothing; custom names are read only where a rule has others than the known ones."""
    if odd := next((each for each in _BRACED.findall(rule) if not _PLAIN_TOKEN.fullmatch(each)), ""):
        return odd
    others = {name for name in token_names(parse_rule(rule)) if not _is_one_of(name, known)}
    custom = read_custom() if others else set()
    return next((f"{{@{name}}}" for name in sorted(others) if not _is_one_of(name, custom)), "")


def _is_one_of(name: str, names: Set[str]) -> bool:
    return name in names or name.removeprefix("lower") in names


def _members_of_channels(site: Site) -> set[str]:
    kept = site.channels.values_list("settings", flat=True)
    return {name.casefold() for settings in kept.iterator() for name in settings}


def _custom_of_contents(site: Site) -> set[str]:
    return set(site.custom_fields.values_list("folded_name", flat=True))


def _tells_apart(rule: str, shared: Set[str]) -> bool:
    return bool(token_names(parse_rule(rule)) - shared)


def _has(rule: str, name: str, others: Set[str]) -> bool:
    """Whether the rule has the token, and one of the others."""
    names = token_names(parse_rule(rule))
    return name in names and bool(names & others)


def _unknown_token(token: str, tokens: str) -> str:
    told = {"token": token, "tokens": tokens}
    return _("“%(token)s” stands for nothing. There are %(tokens)s, and {@…} with the name of a custom field.") % told
