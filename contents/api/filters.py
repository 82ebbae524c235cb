"""Parameters of GET lists of contents: any member, and some more."""

from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings
from django_filters import Filter

from channels_app.stl import in_groups
from channels_app.tree import read_tree
from cms_api.rest.fields import invalid, read_boolean, read_integer
from cms_api.rest.filters import WireFilterSet
from cms_api.rest.rules import Expression, Rule
from contents.flags import FLAGS
from contents.wire.columns import COLUMNS, Column
from contents.wire.serializers import ContentSerializer

_FLAGS = {column: flag for flag, column in FLAGS.items()}
_DATE_LENGTH = len("2026-11-20")


@dataclass(slots=True)
class Chosen:
    """What the parameters of a request choose; of members named in `liked`, in small letters, a part is sought."""

    site_id: int
    liked: frozenset[str] = frozenset()
    flags: dict[str, bool] = field(default_factory=dict)
    wheres: list[Expression] = field(default_factory=list)
    group_names: tuple[str, ...] = ()
    tag_names: tuple[str, ...] = ()
    channel_ids: frozenset[int] | None = None
    names_approval: bool = False

    def add(self, rule: Rule) -> None:
        """The members that the rule's column names: a part of them where that is sought, else the whole."""
        folded = rule.column.casefold()
        self.names_approval |= folded == "ischecked"
        if folded in self.liked:
            self.wheres.append(replace(rule, operator="Contains"))
        else:
            self.wheres.append(rule)

    def narrow(self, channel_ids: frozenset[int]) -> None:
        """To contents of these channels themselves."""
        self.channel_ids = channel_ids if self.channel_ids is None else self.channel_ids & channel_ids


def rule_of(column: str, operator: str, text: str, name: str) -> Rule:
    """The rule that a parameter of this name makes. Raises InvalidInput for a NUL character."""
    if "\0" in text:
        raise invalid(name, "a text without NUL characters")
    return Rule(column, operator, text, name, name)


class MemberFilter(Filter):
    """A member of a content; the whole of it, or with `like` a part."""

    def __init__(self, column: Column, **options: Any) -> None:
        super().__init__(column.name, **options)
        self.column = column

    def read(self, text: str, name: str) -> Rule:
        return rule_of(self.column.wire, "=", text, name)

    def filter(self, qs: Chosen, value: Rule) -> Chosen:
        flag = _FLAGS.get(self.column.name)
        if flag is None or self.column.wire.casefold() in qs.liked:
            qs.add(value)
        else:
            qs.flags[flag] = read_boolean(value.value, value.name)
        return qs


class BoundFilter(Filter):
    """The first or the last moment of a date that counts; a date without a time lasts to the end of its day."""

    def __init__(self, column: str, operator: str, **options: Any) -> None:
        super().__init__(column, "gte" if operator == ">=" else "lte", **options)
        self._operator = operator

    def read(self, text: str, name: str) -> Rule:
        is_whole_day = self._operator == "<=" and len(text.strip()) == _DATE_LENGTH
        return rule_of(self.field_name, self._operator, f"{text.strip()} 23:59:59" if is_whole_day else text, name)

    def filter(self, qs: Chosen, value: Rule) -> Chosen:
        qs.wheres.append(value)
        return qs


class NameFilter(Filter):
    """Contents of a group, or with a tag, of this name."""

    def __init__(self, target: str, **options: Any) -> None:
        super().__init__(**options)
        self._target = target

    def read(self, text: str, name: str) -> str:
        if "\0" in text:
            raise invalid(name, "a text without NUL characters")
        return text.strip(" ")

    def filter(self, qs: Chosen, value: str) -> Chosen:
        if value:
            setattr(qs, self._target, (value,))
        return qs


class ChannelIdsFilter(Filter):
    """Contents of these channels themselves, comma-separated."""

    def read(self, text: str, name: str) -> frozenset[int]:
        texts = [part for part in text.split(",") if part.strip()]
        if len(texts) > settings.CMS_MAX_IN_VALUES:
            raise invalid(name, f"a list of at most {settings.CMS_MAX_IN_VALUES} values")
        return frozenset(read_integer(part, name) for part in texts)

    def filter(self, qs: Chosen, value: frozenset[int]) -> Chosen:
        qs.narrow(value)
        return qs


class ChannelGroupFilter(Filter):
    """Contents of the channels of this group."""

    def read(self, text: str, name: str) -> str:
        return text.strip()

    def filter(self, qs: Chosen, value: str) -> Chosen:
        channels = read_tree(qs.site_id).channels.values()
        qs.narrow(frozenset(channel["id"] for channel in channels if in_groups(channel, [value])))
        return qs


def _members() -> dict[str, Any]:
    fields = ContentSerializer.field_table()
    return {column.name: MemberFilter(column, help_text=fields[column.name].help_text) for column in COLUMNS}


_MemberFilters: Any = type("_MemberFilters", (WireFilterSet,), _members())


class ContentFilters(_MemberFilters):
    """`/contents/{siteId}/{channelId}?…`"""

    add_date_from = BoundFilter("addDate", ">=", help_text="Added at this time or later.")
    add_date_to = BoundFilter("addDate", "<=", help_text="Added at this time or before; a date alone: that day too.")
    last_edit_date_from = BoundFilter("lastEditDate", ">=", help_text="Last edited at this time or later.")
    last_edit_date_to = BoundFilter(
        "lastEditDate", "<=", help_text="Last edited at this time or before; a date alone: that day too."
    )
    content_group = NameFilter("group_names", help_text="In the group of contents of this name.")
    tag = NameFilter("tag_names", help_text="With the tag of this name.")


class SiteContentFilters(ContentFilters):
    """`/contents/{siteId}?…`"""

    channel_ids = ChannelIdsFilter(help_text="Of these channels themselves: numbers, comma-separated.")
    channel_group = ChannelGroupFilter(help_text="Of the channels in the channel group of this name.")
