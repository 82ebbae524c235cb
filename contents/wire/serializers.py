"""The wire form of contents."""

from typing import Any

from rest_framework import serializers

from cms_api.rest.errors import BadRequest
from cms_api.rest.fields import AddressField, BooleanField, DateTimeField, IntegerField, TextField, invalid
from cms_api.rest.json import dump
from cms_api.rest.names import refuse_two_spellings, to_wire
from cms_api.rest.serializers import WireSerializer
from contents.rules import operators
from contents.rules.rule import OrderRule, WhereEntry, WhereRule
from contents.rules.where_groups import EntryReader
from contents.wire.name_list import MAX_NAME, MAX_NAMES, split_names

# Room for the next ones, and exact in every client's numbers.
_MAX_TAXIS = 2**53 - 1
_BEYOND_INT64 = 2**63


class JoinedNamesField(TextField):
    """Names of groups or tags, comma-separated; each becomes a row of its own (contents/sql)."""

    pattern = rf"^[^,]{{0,{MAX_NAME}}}(,[^,]{{0,{MAX_NAME}}})*$"

    def read(self, value: Any, name: str) -> str:
        """The text as it was sent. Raises BadRequest for a name that is too long for its row."""
        text = super().read(value, name)
        if any(len(item) > MAX_NAME for item in split_names(text)):
            raise invalid(name, f"a text of names of at most {MAX_NAME} characters each")
        return text


class ContentSerializer(WireSerializer):
    """One content, its members in the order in which they are answered (interface: Content)."""

    id = IntegerField(read_only=True, help_text="Number of the content, given when it is created; it never changes.")
    channel_id = IntegerField(read_only=True, help_text="Number of the channel in which it stands.")
    site_id = IntegerField(read_only=True, help_text="Number of the site to which it belongs.")
    add_user_name = TextField(
        max_length=255, required=False, help_text="Who added it. Default: the name of the key's administrator."
    )
    last_edit_user_name = TextField(
        max_length=255, required=False, help_text="Who last edited it. Default: the name of the key's administrator."
    )
    writing_user_name = TextField(max_length=255, required=False, help_text="Who contributed it. Default: empty.")
    last_edit_date = DateTimeField(required=False, help_text="When it was last edited. Default: now.")
    taxis = IntegerField(
        min_value=-_MAX_TAXIS,
        max_value=_MAX_TAXIS,
        required=False,
        help_text="Place in the channel, the highest first. Default: above all others.",
    )
    group_name_collection = JoinedNamesField(
        max_length=MAX_NAMES,
        required=False,
        help_text="Names of groups in which it is, comma-separated. Default: none.",
    )
    tags = JoinedNamesField(
        max_length=MAX_NAMES, required=False, help_text="Names of its tags, comma-separated. Default: none."
    )
    source_id = IntegerField(
        required=False,
        help_text="Number of the source that it was taken from, or a negative code. Default: 0 for none.",
    )
    reference_id = IntegerField(
        required=False, help_text="Number of the content of the same site that it refers to. Default: 0 for none."
    )
    is_checked = BooleanField(
        required=False, help_text="Whether it is finally approved and so on the pages. Default: false."
    )
    checked_level = IntegerField(
        required=False,
        help_text="Level of approval reached so far, while it is not finally approved; -99 for a draft. Default: 0.",
    )
    hits = IntegerField(min_value=0, required=False, help_text="How often its page was called in all. Default: 0.")
    hits_by_day = IntegerField(
        min_value=0, required=False, help_text="How often its page was called on the day. Default: 0."
    )
    hits_by_week = IntegerField(
        min_value=0, required=False, help_text="How often its page was called in the week. Default: 0."
    )
    hits_by_month = IntegerField(
        min_value=0, required=False, help_text="How often its page was called in the month. Default: 0."
    )
    last_hits_date = DateTimeField(
        required=False,
        allow_null=True,
        help_text="When its page was last called; null for never. Default: null.",
    )
    settings_xml = TextField(
        required=False,
        help_text="Settings and custom fields as a JSON object in a text; also read as key=value pairs joined by &. "
        "Default: {}.",
    )
    title = TextField(max_length=255, help_text="What it is called; not blank, and required when it is created.")
    is_top = BooleanField(
        required=False, help_text="Whether it is pinned, so that it stands before the others. Default: false."
    )
    is_recommend = BooleanField(required=False, help_text="Whether it is recommended to readers. Default: false.")
    is_hot = BooleanField(required=False, help_text="Whether it is marked as hot. Default: false.")
    is_color = BooleanField(required=False, help_text="Whether its title is highlighted in lists. Default: false.")
    link_url = AddressField(
        max_length=2000,
        required=False,
        help_text="External address to which it leads instead of a page of its own; no javascript: or data: scheme. "
        "Default: empty.",
    )
    add_date = DateTimeField(required=False, help_text="When it was added, as pages show it. Default: now.")
    sub_title = TextField(max_length=255, required=False, help_text="Line below the title. Default: empty.")
    image_url = AddressField(
        max_length=2000,
        required=False,
        help_text="Address of its picture; @/ and ~/ at its beginning are answered as the site's address. Default: "
        "empty.",
    )
    video_url = AddressField(
        max_length=2000,
        required=False,
        help_text="Address of its video; @/ and ~/ at its beginning are answered as the site's address. Default: "
        "empty.",
    )
    file_url = AddressField(
        max_length=2000,
        required=False,
        help_text="Address of its attachment; @/ and ~/ at its beginning are answered as the site's address. Default: "
        "empty.",
    )
    content = TextField(required=False, help_text="Its body in HTML, answered as it was sent. Default: empty.")
    summary = TextField(required=False, help_text="A few sentences about it, for lists. Default: empty.")
    author = TextField(max_length=255, required=False, help_text="Who has written it. Default: empty.")
    source = TextField(
        max_length=255, required=False, help_text="Where it comes from, such as a newspaper. Default: empty."
    )  # type: ignore[assignment]
    navigation_url = TextField(
        read_only=True, help_text="Address of its page, computed from the rules of channel and site."
    )


class NamesField(serializers.ListField):
    """A list of names; spaces around a name and empty names do not count."""

    def read(self, value: Any, name: str) -> tuple[str, ...]:
        """The names. Raises BadRequest."""
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise invalid(name, "a list of texts")
        # Spaces only, as the triggers trim the names of a content: other blanks belong to a name.
        return tuple(dict.fromkeys(filter(None, (item.strip(" ") for item in value))))


class RulesField(serializers.ListField):
    """A list of JSON objects, each read by the serializer given as `rule`."""

    def __init__(self, *, rule: type["RuleSerializer"], **kwargs: Any) -> None:
        self.rule = rule
        super().__init__(child=rule(), **kwargs)

    def read(self, value: Any, name: str) -> tuple[Any, ...]:
        """The members of each rule. Raises BadRequest naming the rule by its place."""
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise invalid(name, "a list of JSON objects")
        return tuple(self.rule.read_rule(item, f"{name}[{place}]") for place, item in enumerate(value))


class WheresField(RulesField):
    """A list of Where rules and of groups of them (contents.rules.where_groups)."""

    def read(self, value: Any, name: str) -> tuple[WhereEntry, ...]:
        """The rules and groups. Raises BadRequest naming the entry by its place."""
        return EntryReader(_where_rule).read(value, name)


class OrdersField(RulesField):
    """A list of Order rules."""

    def read(self, value: Any, name: str) -> tuple[OrderRule, ...]:
        """The rules. Raises BadRequest naming the rule by its place."""
        rules = enumerate(super().read(value, name))
        return tuple(OrderRule(**rule, name=f"{name}[{place}]") for place, rule in rules)


class RuleSerializer(WireSerializer):
    """A rule of the list: every member that it requires must be there."""

    required_members: tuple[str, ...] = ()

    @classmethod
    def read_rule(cls, rule: dict[str, Any], name: str) -> dict[str, Any]:
        """The values of the rule. Raises BadRequest naming the rule and the member."""
        refuse_two_spellings(f"{name}.{key}" for key in rule)
        table, values = cls._table(), {}
        for key, value in rule.items():
            entry = table.get(key.casefold())
            if entry is not None and value is not None:
                values[entry[0]] = entry[1].read(value, f"{name}.{key}")  # type: ignore[attr-defined]
        for member in cls.required_members:
            if member not in values:
                hint = " (it has columns instead)" if member == "column" and "columns" in rule else ""
                wire = to_wire(member)
                raise BadRequest("missing_member", f"{name} needs the member {wire}{hint}.", member=wire)
        return values


class OperatorField(TextField):
    """The operator of a Where rule, which contents.rules.operators looks up."""

    words = operators.WORDS


class RuleValueField(TextField):
    """The value of a Where rule: a text; a number or a boolean counts as its text."""

    def read(self, value: Any, name: str) -> str:
        """The text. Raises BadRequest."""
        if isinstance(value, float):
            # As custom fields have it, which keep numbers as JSON; of whole ones the text that integers have.
            value = str(int(value)) if value.is_integer() and abs(value) < _BEYOND_INT64 else dump(value).decode()
        return super().read(str(value) if isinstance(value, bool | int) else value, name)


class WhereSerializer(RuleSerializer):
    """A filter rule (interface: Where object)."""

    required_members = ("column",)  # contents.rules.operators knows which need a value

    column = TextField(
        help_text="Any member of a content in any letter case, navigationUrl and custom fields included."
    )
    operator = OperatorField(
        required=False, help_text=f"{', '.join(operators.WORDS)}, in any letter case. Default: =, and so is empty."
    )
    value = RuleValueField(
        required=False,
        help_text="What to compare with, a number of any size or a text: a comma-separated list for In and NotIn, two "
        "values for Between, true or false for IsNull. Default: true for IsNull; all other operators need it.",
    )


def _where_rule(rule: dict[str, Any], name: str) -> WhereRule:
    values = {"value": None, **WhereSerializer.read_rule(rule, name)}
    as_json = "".join(
        dump(value).decode() for key, value in rule.items() if key.casefold() == "value" and isinstance(value, float)
    )
    return WhereRule(**values, name=name, value_name=f"{name}.value", as_json=as_json)


class OrderSerializer(RuleSerializer):
    """A sort rule (interface: Order object)."""

    required_members = ("column", "desc")

    column = TextField(
        help_text="Any member of a content in any letter case, navigationUrl and custom fields included."
    )
    desc = BooleanField(help_text="true for descending, false for ascending.")


class CountField(TextField):
    """Whether the contents of a list are counted."""

    words = ("exact", "none")

    def read(self, value: Any, name: str) -> str:
        """The word. Raises BadRequest."""
        word = super().read(value, name).strip().casefold()
        if word not in self.words:
            raise invalid(name, " or ".join(self.words))
        return word


class ContentListSerializer(WireSerializer):
    """What a list of contents is asked for (interface: List contents with filters)."""

    site_id = IntegerField(help_text="Number of the site whose contents are listed.")
    channel_id = IntegerField(
        required=False,
        help_text="Number of a channel, which is listed with everything below it. Default: the whole site, and so is "
        "0.",
    )
    checked = BooleanField(
        required=False, help_text="true: only approved contents, false: only pending ones. Default: both."
    )
    top = BooleanField(required=False, help_text="true: only pinned contents, false: only others. Default: both.")
    recommend = BooleanField(
        required=False, help_text="true: only recommended contents, false: only others. Default: both."
    )
    color = BooleanField(
        required=False, help_text="true: only highlighted contents, false: only others. Default: both."
    )
    hot = BooleanField(required=False, help_text="true: only hot contents, false: only others. Default: both.")
    group_names = NamesField(
        child=TextField(),
        required=False,
        help_text="Only contents in any of these groups; at most CMS_MAX_NAMES (100). Default: any.",
    )
    tag_names = NamesField(
        child=TextField(),
        required=False,
        help_text="Only contents with any of these tags; at most CMS_MAX_NAMES (100). Default: any.",
    )
    wheres = WheresField(
        rule=WhereSerializer,
        required=False,
        help_text='All of these hold: rules, or groups {"any": […]}, {"all": […]}, {"not": …} of them. Default: none.',
    )
    orders = OrdersField(
        rule=OrderSerializer,
        required=False,
        help_text="How the list is sorted, the first rule first. Default: pinned first, then channelId, taxis, id, "
        "all descending.",
    )
    page = IntegerField(required=False, help_text="Number of the page, counted from 1; less counts as 1. Default: 1.")
    per_page = IntegerField(
        required=False,
        help_text="Contents a page, up to CMS_MAX_PER_PAGE (1,000); 0 and less count as the default. Default: 20.",
    )
    fields = NamesField(  # type: ignore[assignment]
        child=TextField(),
        required=False,
        help_text="Names of the members that each content has in the answer, any number of them, in any letter case. "
        "Default: all.",
    )
    cursor = TextField(
        required=False,
        help_text="In place of page: empty for the first page, then nextCursor of the answer before. Default: pages "
        "by number.",
    )
    count = CountField(
        required=False,
        help_text="exact: totalCount tells how many match; none: it is null, and nothing is counted. Default: exact.",
    )


class CheckedItemSerializer(RuleSerializer):
    """One content to approve."""

    required_members = ("channel_id", "id")

    channel_id = IntegerField(help_text="Number of the channel in which the content stands.")
    id = IntegerField(help_text="Number of the content.")


class CheckSerializer(WireSerializer):
    """What an approval is asked for."""

    site_id = IntegerField(help_text="Number of the site to which all of the contents belong.")
    contents = RulesField(
        rule=CheckedItemSerializer,
        help_text="The contents to approve, each by its channel and its number; at most CMS_MAX_PER_PAGE (1,000).",
    )
    reasons = TextField(
        max_length=255, required=False, help_text="Why they are approved, kept with each content. Default: empty."
    )
