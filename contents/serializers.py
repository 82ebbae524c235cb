"""The wire form of contents."""

from typing import Any

from rest_framework import serializers

from cms_api.rest.errors import BadRequest
from cms_api.rest.fields import AddressField, BooleanField, DateTimeField, IntegerField, TextField, invalid
from cms_api.rest.serializers import WireSerializer
from contents.joined_names import MAX_NAME, MAX_NAMES, split_names

# Room for the next ones, and exact in every client's numbers.
_MAX_TAXIS = 2**53 - 1


class JoinedNamesField(TextField):
    """Names of groups or tags, comma-separated; each becomes a row of its own (contents/sql)."""

    def read(self, value: Any, name: str) -> str:
        """The text as it was sent. Raises BadRequest for a name that is too long for its row."""
        text = super().read(value, name)
        if any(len(item) > MAX_NAME for item in split_names(text)):
            raise invalid(name, f"a text of names of at most {MAX_NAME} characters each")
        return text


class ContentSerializer(WireSerializer):
    """One content, its members in the order in which they are answered (interface: Content)."""

    id = IntegerField(read_only=True, help_text="Content id.")
    channel_id = IntegerField(read_only=True, help_text="Owning channel.")
    site_id = IntegerField(read_only=True, help_text="Owning site.")
    add_user_name = TextField(max_length=255, required=False, help_text="Who added it.")
    last_edit_user_name = TextField(max_length=255, required=False, help_text="Who last edited it.")
    writing_user_name = TextField(max_length=255, required=False, help_text="Contributor.")
    last_edit_date = DateTimeField(required=False, help_text="Last edit time.")
    taxis = IntegerField(
        min_value=-_MAX_TAXIS,
        max_value=_MAX_TAXIS,
        required=False,
        help_text="Sort order within the channel, highest first.",
    )
    group_name_collection = JoinedNamesField(max_length=MAX_NAMES, required=False, help_text="Groups, comma-separated.")
    tags = JoinedNamesField(max_length=MAX_NAMES, required=False, help_text="Tags, comma-separated.")
    source_id = IntegerField(required=False, help_text="Id of the source, or a negative code.")
    reference_id = IntegerField(required=False, help_text="Id of the referenced content, 0 for none.")
    is_checked = BooleanField(required=False, help_text="Finally approved.")
    checked_level = IntegerField(required=False, help_text="Approval level reached so far, -99 for a draft.")
    hits = IntegerField(min_value=0, required=False, help_text="Total hits.")
    hits_by_day = IntegerField(min_value=0, required=False, help_text="Hits of the day.")
    hits_by_week = IntegerField(min_value=0, required=False, help_text="Hits of the week.")
    hits_by_month = IntegerField(min_value=0, required=False, help_text="Hits of the month.")
    last_hits_date = DateTimeField(required=False, allow_null=True, help_text="Last hit time, null for never.")
    settings_xml = TextField(required=False, help_text="Settings and custom fields as a JSON object in a text.")
    title = TextField(max_length=255, help_text="Title, required on create.")
    is_top = BooleanField(required=False, help_text="Pinned.")
    is_recommend = BooleanField(required=False, help_text="Recommended.")
    is_hot = BooleanField(required=False, help_text="Hot.")
    is_color = BooleanField(required=False, help_text="Highlighted.")
    link_url = AddressField(max_length=2000, required=False, help_text="External link; the item links to it.")
    add_date = DateTimeField(required=False, help_text="Add time.")
    sub_title = TextField(max_length=255, required=False, help_text="Subtitle.")
    image_url = AddressField(max_length=2000, required=False, help_text="Address of the image.")
    video_url = AddressField(max_length=2000, required=False, help_text="Address of the video.")
    file_url = AddressField(max_length=2000, required=False, help_text="Address of the attachment.")
    content = TextField(required=False, help_text="Body, markup, returned as it was sent.")
    summary = TextField(required=False, help_text="Summary.")
    author = TextField(max_length=255, required=False, help_text="Author.")
    source = TextField(max_length=255, required=False, help_text="Source.")  # type: ignore[assignment]
    navigation_url = TextField(read_only=True, help_text="Address of the page.")


class NamesField(serializers.ListField):
    """A list of names; spaces around a name and empty names do not count."""

    def read(self, value: Any, name: str) -> tuple[str, ...]:
        """The names. Raises BadRequest."""
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise invalid(name, "a list of texts")
        # Spaces only, as the triggers trim the names of a content: other blanks belong to a name.
        return tuple(dict.fromkeys(filter(None, (item.strip(" ") for item in value))))


class RulesField(serializers.ListField):
    """A list of Where or Order rules, each read by the serializer given as `rule`."""

    def __init__(self, *, rule: type["RuleSerializer"], **kwargs: Any) -> None:
        self.rule = rule
        super().__init__(child=rule(), **kwargs)

    def read(self, value: Any, name: str) -> tuple[dict[str, Any], ...]:
        """The members of each rule. Raises BadRequest naming the rule by its place."""
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise invalid(name, "a list of JSON objects")
        return tuple(self.rule.read_rule(item, f"{name}[{place}]") for place, item in enumerate(value))


class RuleSerializer(WireSerializer):
    """A rule of the list: every member that it requires must be there."""

    required_members: tuple[str, ...] = ()

    @classmethod
    def read_rule(cls, rule: dict[str, Any], name: str) -> dict[str, Any]:
        """The values of the rule. Raises BadRequest naming the rule and the member."""
        members = cls.read(rule)
        for member in cls.required_members:
            if member not in members.values:
                hint = " (it has columns instead)" if member == "column" and "columns" in rule else ""
                raise BadRequest("missing_member", f"{name} needs the member {member}{hint}.", member=member)
        return members.values


class RuleValueField(TextField):
    """The value of a Where rule: a text; a number or a boolean counts as its text."""

    def read(self, value: Any, name: str) -> str:
        """The text. Raises BadRequest."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        return super().read(str(value) if isinstance(value, bool | int | float) else value, name)


class WhereSerializer(RuleSerializer):
    """A filter rule (interface: Where object)."""

    required_members = ("column", "value")

    column = TextField(help_text="Any field of a content, in any letter case.")
    operator = TextField(required=False, help_text="= (default), !=, >, >=, <, <=, In, NotIn, Like, NotLike.")
    value = RuleValueField(help_text="What to compare with; a comma-separated list for In and NotIn.")


class OrderSerializer(RuleSerializer):
    """A sort rule (interface: Order object)."""

    required_members = ("column", "desc")

    column = TextField(help_text="Any field of a content, in any letter case.")
    desc = BooleanField(help_text="True for descending.")


class ContentListSerializer(WireSerializer):
    """What a list of contents is asked for (interface: List contents with filters)."""

    site_id = IntegerField(help_text="Site to read from.")
    channel_id = IntegerField(required=False, help_text="Channel, with everything below it; omitted: the site.")
    checked = BooleanField(required=False, help_text="True: approved only, false: pending only.")
    top = BooleanField(required=False, help_text="Pinned state.")
    recommend = BooleanField(required=False, help_text="Recommended state.")
    color = BooleanField(required=False, help_text="Highlighted state.")
    hot = BooleanField(required=False, help_text="Hot state.")
    group_names = NamesField(child=TextField(), required=False, help_text="In any of these groups.")
    tag_names = NamesField(child=TextField(), required=False, help_text="With any of these tags.")
    wheres = RulesField(rule=WhereSerializer, required=False, help_text="All of these rules hold.")
    orders = RulesField(rule=OrderSerializer, required=False, help_text="Sort rules, the first one first.")
    page = IntegerField(required=False, help_text="Page, from 1 (default).")
    per_page = IntegerField(required=False, help_text="Contents a page: 20, up to CMS_MAX_PER_PAGE.")


class CheckedItemSerializer(RuleSerializer):
    """One content to approve."""

    required_members = ("channel_id", "id")

    channel_id = IntegerField(help_text="Channel of the content.")
    id = IntegerField(help_text="Content id.")


class CheckSerializer(WireSerializer):
    """What an approval is asked for."""

    site_id = IntegerField(help_text="Site of the contents.")
    contents = RulesField(rule=CheckedItemSerializer, help_text="The contents to approve.")
    reasons = TextField(max_length=255, required=False, help_text="Reasons, kept with each content.")
