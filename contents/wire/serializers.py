from typing import Any

from contents.wire.name_list import MAX_NAME, MAX_NAMES, split_names
from core.lib.folding import without_blank_names
from core.rest.fields import AddressField, BooleanField, DateTimeField, IntegerField, TextField, invalid
from core.rest.serializers import WireSerializer

# Leaves room for further numbers and is exact as a double.
_MAX_TAXIS = 2**53 - 1


class JoinedNamesField(TextField):
    """Comma-separated names of groups or tags; triggers make a row of each (contents/sql)."""

    pattern = rf"^[^,]{{0,{MAX_NAME}}}(,[^,]{{0,{MAX_NAME}}})*$"

    def read(self, value: Any, name: str) -> str:
        """Return the text without blank names. Raises InvalidInput if a name is too long for its row."""
        text = super().read(value, name)
        if any(len(item) > MAX_NAME for item in split_names(text)):
            raise invalid(name, f"comma-separated names of at most {MAX_NAME} characters each")
        return without_blank_names(text)


class ContentSerializer(WireSerializer):
    """One content; the fields are in response order."""

    id = IntegerField(read_only=True, help_text="Id of the content; never changes.")
    channel_id = IntegerField(read_only=True, help_text="Id of its channel.")
    site_id = IntegerField(read_only=True, help_text="Id of its site.")
    add_user_name = TextField(
        max_length=255, required=False, help_text="Name of its creator. Default: the key's administrator."
    )
    last_edit_user_name = TextField(
        max_length=255, required=False, help_text="Name of its last editor. Default: the key's administrator."
    )
    writing_user_name = TextField(max_length=255, required=False, help_text="Name of its contributor. Default: empty.")
    last_edit_date = DateTimeField(required=False, help_text="Time of the last edit. Default: now.")
    taxis = IntegerField(
        min_value=-_MAX_TAXIS,
        max_value=_MAX_TAXIS,
        required=False,
        help_text="Position in the channel, highest first. Default: above all others.",
    )
    group_name_collection = JoinedNamesField(
        max_length=MAX_NAMES,
        required=False,
        help_text="Names of its groups, comma-separated. Default: empty.",
    )
    tags = JoinedNamesField(
        max_length=MAX_NAMES, required=False, help_text="Names of its tags, comma-separated. Default: empty."
    )
    source_id = IntegerField(
        required=False,
        help_text="Content it was copied from, a negative code, or 0. Default: 0.",
    )
    reference_id = IntegerField(
        required=False, help_text="Content of the same site that it refers to, or 0. Default: 0."
    )
    is_checked = BooleanField(
        required=False, help_text="True after final approval; publishes the content. Default: false."
    )
    checked_level = IntegerField(
        required=False,
        help_text="Approval level reached before final approval; -99 for a draft. Default: 0.",
    )
    hits = IntegerField(min_value=0, required=False, help_text="Page views in total. Default: 0.")
    hits_by_day = IntegerField(min_value=0, required=False, help_text="Page views of the day. Default: 0.")
    hits_by_week = IntegerField(min_value=0, required=False, help_text="Page views of the week. Default: 0.")
    hits_by_month = IntegerField(min_value=0, required=False, help_text="Page views of the month. Default: 0.")
    last_hits_date = DateTimeField(
        required=False,
        allow_null=True,
        help_text="Time of the last page view; null for never. Default: null.",
    )
    settings_xml = TextField(
        required=False,
        help_text="Settings and custom fields as JSON text; key=value pairs joined by & are accepted. Default: {}.",
    )
    title = TextField(max_length=255, help_text="Title; required on creation and not blank.")
    is_top = BooleanField(required=False, help_text="Pinned contents come first. Default: false.")
    is_recommend = BooleanField(required=False, help_text="Marked as recommended content. Default: false.")
    is_hot = BooleanField(required=False, help_text="Marked as hot content. Default: false.")
    is_color = BooleanField(required=False, help_text="Highlighted title in lists. Default: false.")
    link_url = AddressField(
        max_length=2000,
        required=False,
        help_text="External URL that replaces its page; no javascript: or data: scheme. Default: empty.",
    )
    add_date = DateTimeField(required=False, help_text="Time of creation, as its page shows it. Default: now.")
    sub_title = TextField(max_length=255, required=False, help_text="Line below the title. Default: empty.")
    image_url = AddressField(
        max_length=2000,
        required=False,
        help_text="URL of its picture; leading @/ or ~/ becomes the site's URL. Default: empty.",
    )
    video_url = AddressField(
        max_length=2000,
        required=False,
        help_text="URL of its video; leading @/ or ~/ becomes the site's URL. Default: empty.",
    )
    file_url = AddressField(
        max_length=2000,
        required=False,
        help_text="URL of its attachment; leading @/ or ~/ becomes the site's URL. Default: empty.",
    )
    content = TextField(required=False, help_text="HTML body, returned as sent. Default: empty.")
    summary = TextField(required=False, help_text="Short summary for lists. Default: empty.")
    author = TextField(max_length=255, required=False, help_text="Name of its author. Default: empty.")
    source = TextField(max_length=255, required=False, help_text="Source, such as a newspaper. Default: empty.")
    navigation_url = TextField(read_only=True, help_text="URL of its page, computed from channel and site rules.")
