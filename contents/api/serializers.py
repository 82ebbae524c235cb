from typing import Any

from rest_framework import serializers

from contents.lists.request import MAX_NAMES, MAX_RULES, raise_if_too_many
from contents.rules.sql import OPERATORS, WORDS, rules_of
from contents.wire.serializers import ContentSerializer
from core.lib.errors import InvalidInput
from core.rest.fields import BooleanField, IntegerField, TextField, invalid
from core.rest.json import dump
from core.rest.names import raise_if_two_spellings, to_wire
from core.rest.rules import AllOf, AnyOf, Expression, Negation, OrderRule, Rule
from core.rest.serializers import WireSerializer

MAX_LEVELS = 10  # of nested groups
MAX_BATCH = 500  # contents
_GROUPS = ("any", "all", "not")
_OF_RULES = ("column", "operator", "value")
_BEYOND_INT64 = 2**63


class NamesField(serializers.ListField):
    """A list of names; trims spaces and drops empty names."""

    def read(self, value: Any, name: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise invalid(name, "a list of texts")
        # Spaces only, as in the triggers: other whitespace belongs to a name.
        return tuple(dict.fromkeys(filter(None, (item.strip(" ") for item in value))))


class RulesField(serializers.ListField):
    """A list of JSON objects, read by the serializer `rule`."""

    def __init__(self, *, rule: type["RuleSerializer"], **kwargs: Any) -> None:
        self.rule = rule
        super().__init__(**kwargs)

    def read(self, value: Any, name: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise invalid(name, "a list of JSON objects")
        return tuple(self.rule.read_rule(item, f"{name}[{place}]") for place, item in enumerate(value))


class WheresField(RulesField):
    """Where rules and groups of them, with at most MAX_RULES rules in all."""

    def read(self, value: Any, name: str) -> tuple[Expression, ...]:
        expressions = _read_entries(value, name, 0)
        if len(list(rules_of(expressions))) > MAX_RULES:
            message = f"wheres has more than {MAX_RULES} rules, including those in its groups."
            raise InvalidInput("too_many_entries", message, member="wheres")
        return expressions


class OrdersField(RulesField):
    def read(self, value: Any, name: str) -> tuple[OrderRule, ...]:
        rules = enumerate(super().read(value, name))
        return tuple(OrderRule(**rule, name=f"{name}[{place}]") for place, rule in rules)


class RuleSerializer(WireSerializer):
    required_members: tuple[str, ...] = ()

    @classmethod
    def read_rule(cls, rule: dict[str, Any], name: str) -> dict[str, Any]:
        """Parse a rule. Raises InvalidInput naming the rule and member."""
        raise_if_two_spellings([f"{name}.{key}" for key in rule])
        table, values = cls._table(), {}
        for key, value in rule.items():
            entry = table.get(key.casefold())
            if entry is not None and value is not None:
                values[entry[0]] = entry[1].read(value, f"{name}.{key}")  # type: ignore[attr-defined]
        for member in cls.required_members:
            if member not in values:
                hint = " (it has columns instead)" if member == "column" and "columns" in rule else ""
                wire = to_wire(member)
                raise InvalidInput("missing_member", f"{name} needs the member {wire}{hint}.", member=wire)
        return values


class OperatorField(TextField):
    """The operator of a Where rule, validated in _read_rule."""

    words = WORDS


class RuleValueField(TextField):
    """The value of a Where rule; numbers and booleans are read as text."""

    def read(self, value: Any, name: str) -> str:
        if isinstance(value, float):
            # Matches custom fields, which store numbers as JSON; whole ones are written as integers.
            value = str(int(value)) if value.is_integer() and abs(value) < _BEYOND_INT64 else dump(value).decode()
        return super().read(str(value) if isinstance(value, bool | int) else value, name)


class WhereSerializer(RuleSerializer):
    required_members = ("column",)  # whether a value is required depends on the operator

    column = TextField(
        help_text="Any member of a content, in any letter case, including navigationUrl and custom fields."
    )
    operator = OperatorField(
        required=False, help_text=f"{', '.join(WORDS)}, in any letter case. Default: = (also if empty)."
    )
    value = RuleValueField(
        required=False,
        help_text="Value to compare with, a number of any size or a text: comma-separated for In and NotIn, two values "
        "for Between, true or false for IsNull. Default: true for IsNull; required otherwise.",
    )


def _read_entries(value: Any, name: str, level: int) -> tuple[Expression, ...]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise invalid(name, "a list of JSON objects")
    raise_if_too_many(name, len(value), MAX_RULES)
    return tuple(_read_entry(item, f"{name}[{place}]", level) for place, item in enumerate(value))


def _read_entry(item: dict[str, Any], name: str, level: int) -> Expression:
    words = {key.casefold(): key for key, value in item.items() if value is not None}
    word = next((word for word in _GROUPS if word in words), None)
    if word is None:
        return _read_rule(item, name)
    raise_if_two_spellings([f"{name}.{key}" for key in item])
    for other in (*_GROUPS, *_OF_RULES):
        if other != word and other in words:
            message = f"{name} has both {words[word]} and {words[other]}; send one of them."
            raise InvalidInput("invalid_value", message, member=name)
    if level == MAX_LEVELS:
        message = f"{name} is nested deeper than {MAX_LEVELS} levels of groups."
        raise InvalidInput("invalid_value", message, member=name)
    value, name = item[words[word]], f"{name}.{word}"
    if word == "not":
        if not isinstance(value, dict):
            raise invalid(name, "a JSON object")
        return Negation(_read_entry(value, name, level + 1))
    if not (parts := _read_entries(value, name, level + 1)):
        raise invalid(name, "a list of at least one entry")
    return AnyOf(parts) if word == "any" else AllOf(parts)


def _read_rule(item: dict[str, Any], name: str) -> Rule:
    values = WhereSerializer.read_rule(item, name)
    word = values.get("operator", "").strip() or "="
    if (operator := OPERATORS.get(word.casefold())) is None:
        message = f"{name} has the unknown operator {word}; use {', '.join(WORDS[:-1])} or {WORDS[-1]}."
        raise InvalidInput("unknown_operator", message, member=f"{name}.operator")
    if (value := values.get("value", operator.default)) is None:
        raise InvalidInput("missing_member", f"{name} needs the member value.", member="value")
    if operator.needs_wildcard and "%" not in value:
        message = f"A Like rule needs a % in its value; {name}.value has none."
        raise InvalidInput("pattern_without_wildcard", message, member=f"{name}.value")
    numbers = (number for key, number in item.items() if key.casefold() == "value" and isinstance(number, float))
    as_json = "".join(dump(number).decode() for number in numbers)
    return Rule(values["column"], operator.word, value, name, f"{name}.value", as_json)


class OrderSerializer(RuleSerializer):
    required_members = ("column", "desc")

    column = TextField(
        help_text="Any member of a content, in any letter case, including navigationUrl and custom fields."
    )
    desc = BooleanField(help_text="true for descending, false for ascending.")


class CountField(TextField):
    words = ("exact", "none")

    def read(self, value: Any, name: str) -> str:
        word = super().read(value, name).strip().casefold()
        if word not in self.words:
            raise invalid(name, " or ".join(self.words))
        return word


class IncludeField(TextField):
    words = ("channel", "reference")


class IncludeNamesField(NamesField):
    def read(self, value: Any, name: str) -> tuple[str, ...]:
        names = super().read(value, name)
        raise_if_too_many(name, len(value), len(IncludeField.words))
        return names


class ContentListSerializer(WireSerializer):
    site_id = IntegerField(help_text="Id of the site.")
    channel_id = IntegerField(
        required=False,
        help_text="Id of a channel, listed with its descendants. Default: 0 for the whole site.",
    )
    checked = BooleanField(
        required=False, help_text="true: only approved contents; false: only pending ones. Default: both."
    )
    top = BooleanField(required=False, help_text="true: only pinned contents; false: only others. Default: both.")
    recommend = BooleanField(
        required=False, help_text="true: only recommended contents; false: only others. Default: both."
    )
    color = BooleanField(
        required=False, help_text="true: only highlighted contents; false: only others. Default: both."
    )
    hot = BooleanField(required=False, help_text="true: only hot contents; false: only others. Default: both.")
    group_names = NamesField(
        child=TextField(),
        required=False,
        help_text=f"Contents in any of at most {MAX_NAMES} groups. Default: any.",
    )
    tag_names = NamesField(
        child=TextField(),
        required=False,
        help_text=f"Contents with any of at most {MAX_NAMES} tags. Default: any.",
    )
    wheres = WheresField(
        rule=WhereSerializer,
        required=False,
        help_text='Rules or groups {"any": […]}, {"all": […]}, {"not": …}, all of which must match. Default: none.',
    )
    orders = OrdersField(
        rule=OrderSerializer,
        required=False,
        help_text="Sort rules, the first one first. Default: pinned first, then channelId, taxis, id, all descending.",
    )
    page = IntegerField(required=False, help_text="Page number from 1; less counts as 1. Default: 1.")
    per_page = IntegerField(
        required=False,
        help_text="Contents per page, up to CMS_MAX_PER_PAGE (1,000); less than 1 counts as 20. Default: 20.",
    )
    fields = NamesField(
        child=TextField(),
        required=False,
        help_text="Members to return, any number of them, in any letter case. Default: all.",
    )
    include = IncludeNamesField(
        child=IncludeField(),
        required=False,
        help_text="Records to add in `included`, in any letter case. Default: none.",
    )
    cursor = TextField(
        required=False,
        help_text="Replaces page: empty for the first page, then nextCursor of the previous response. Default: pages "
        "by number.",
    )
    count = CountField(
        required=False,
        help_text="exact returns totalCount; none skips counting and returns null. Default: exact.",
    )


class ContentChangesSerializer(ContentSerializer):
    """The body of a PUT."""

    is_draft = BooleanField(
        required=False,
        help_text="true: changes the draft of the approved content instead of the content. Default: false.",
    )


class CheckedItemSerializer(RuleSerializer):
    required_members = ("channel_id", "id")

    channel_id = IntegerField(help_text="Id of the content's channel.")
    id = IntegerField(help_text="Id of the content.")


class CheckSerializer(WireSerializer):
    site_id = IntegerField(help_text="Id of the site of all contents.")
    contents = RulesField(
        rule=CheckedItemSerializer,
        help_text="Contents to approve, at most CMS_MAX_PER_PAGE (1,000).",
    )
    reasons = TextField(max_length=255, required=False, help_text="Reasons, stored with each content. Default: empty.")


class BatchField(serializers.ListField):
    """The contents of a batch, which the view reads one by one."""

    def read(self, value: Any, name: str) -> list[Any]:
        if not isinstance(value, list):
            raise invalid(name, "a list")
        raise_if_too_many(name, len(value), MAX_BATCH)
        return value


class BatchSerializer(WireSerializer):
    atomic = BooleanField(
        required=False,
        help_text="true: all contents or none; false: each by itself, with a result for each. Default: true.",
    )
    fields = NamesField(
        child=TextField(),
        required=False,
        help_text="Members to return, any number of them, in any letter case. Default: all.",
    )


class NewContentsSerializer(BatchSerializer):
    contents = BatchField(help_text="The new contents, the lowest first; an empty list creates none.")


class ChangedContentsSerializer(BatchSerializer):
    contents = BatchField(help_text="Ids, and the members to change; an empty list changes none.")


class ChosenContentsSerializer(BatchSerializer):
    ids = BatchField(child=IntegerField(), help_text="Ids of the contents; an empty list chooses none.")


class CheckedContentsSerializer(ChosenContentsSerializer):
    reasons = TextField(max_length=255, required=False, help_text="Reasons, stored with each content. Default: empty.")


class MovedContentsSerializer(ChosenContentsSerializer):
    target_channel_id = IntegerField(help_text="Id of another channel of the site.")
