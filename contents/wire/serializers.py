"""The wire form of contents."""

from typing import Any

from cms_api.rest.fields import AddressField, BooleanField, DateTimeField, IntegerField, TextField, invalid
from cms_api.rest.serializers import WireSerializer
from contents.wire.name_list import MAX_NAME, MAX_NAMES, split_names

# Room for the next ones, and exact in every client's numbers.
_MAX_TAXIS = 2**53 - 1


class JoinedNamesField(TextField):
    """Names of groups or tags, comma-separated; each becomes a row of its own (contents/sql)."""

    pattern = rf"^[^,]{{0,{MAX_NAME}}}(,[^,]{{0,{MAX_NAME}}})*$"

    def read(self, value: Any, name: str) -> str:
        """The text as it was sent. Raises InvalidInput for a name that is too long for its row."""
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
        help_text="Number of the content that it was copied from, or a negative code. Default: 0 for none.",
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
