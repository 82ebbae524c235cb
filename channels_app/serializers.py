from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from channels_app.models import LinkType
from core.lib.errors import InvalidInput
from core.lib.folding import is_blank, without_blank_names
from core.rest.fields import AddressField, BooleanField, DateTimeField, IntegerField, TextField, invalid
from core.rest.serializers import Members, WireSerializer
from sites.page_rules import EXTENSION, UNFIT

_LINK_TYPES = {value.casefold(): value for value in LinkType.values}
MAX_ID = 2**53 - 1

_UNFIT = r'/\\"<>?#%\x00-\x1f'  # of a path's part, for the OpenAPI document


def _part(unfit: str) -> str:
    """Return an expression for a part of a path, which is not `..` and has no `unfit` characters."""
    return rf"([^{unfit}]*[^.|\s{unfit}][^{unfit}]*|\.?|\.{{3,}})"


class NameField(TextField):
    def read(self, value: Any, name: str) -> str:
        text = super().read(value, name)
        if is_blank(text):
            raise invalid(name, "a text that is not blank")
        return text


class IndexNameField(TextField):
    def read(self, value: Any, name: str) -> str:
        """Return the text, or an empty one if it is blank."""
        text = super().read(value, name)
        return "" if is_blank(text) else text


class GroupNamesField(TextField):
    def read(self, value: Any, name: str) -> str:
        return without_blank_names(super().read(value, name))


class LinkTypeField(serializers.ChoiceField):
    """One of the twelve link types in any letter case; empty means None."""

    def read(self, value: Any, name: str) -> str:
        """Return the canonical spelling. Raises InvalidInput listing all types."""
        found = _LINK_TYPES.get(value.strip().casefold() or "none") if isinstance(value, str) else None
        if found is None:
            raise invalid(name, f"one of {', '.join(LinkType.values)}")
        return found


class PathField(TextField):
    """A path below the site; it may begin with `@/` or `~/`, as in SiteServer."""

    pattern = rf"^{_part(_UNFIT + '|')}([/\\]{_part(_UNFIT + '|')})*$"

    def read(self, value: Any, name: str) -> str:
        """Return the path, stripped; without an extension it means the folder's index.html. Raises InvalidInput."""
        text = super().read(value, name).strip()
        raise_if_unfit(text, name)
        if text and not EXTENSION.search(text):
            # The limit applies to the whole path, so that clients may send back the response.
            text = super().read(text.rstrip("/") + "/index.html", name)
        return text


class RuleField(TextField):
    pattern = rf"^(({_part(_UNFIT)}[/\\])*[^{_UNFIT}]*\.[^.|\s{_UNFIT}]+)?$"

    def read(self, value: Any, name: str) -> str:
        """Return the rule. Raises InvalidInput for characters that no path has, or without a file extension."""
        text = super().read(value, name).strip()
        raise_if_unfit(text.replace("|", ""), name)
        if text and not EXTENSION.search(text):
            raise invalid(name, "a rule that ends in a file extension, such as /news/{@channelId}.html")
        return text


def raise_if_unfit(path: str, name: str) -> None:
    """Raises InvalidInput for a path with characters that no path has, or that points outside the site."""
    if found := UNFIT.search(path):
        raise invalid(name, f"a path, which cannot hold {found[0]!r}")
    if ".." in path.replace("\\", "/").split("/"):
        raise invalid(name, "a path without .. as a part of it")


def _raise_if_two_indexes(body: dict[str, Any]) -> None:
    folded = {name.casefold(): value for name, value in body.items()}
    sent = [folded[name] for name in ("indexname", "channelindex") if folded.get(name) is not None]
    if len(sent) == 2 and sent[0] != sent[1]:
        message = "indexName and channelIndex are the same member; send only one of them."
        raise InvalidInput("duplicate_member", message, member="indexName")


class ChannelSerializer(WireSerializer):
    """One channel, its members in the order of responses."""

    # SiteServer's example of an update uses this name.
    synonyms = {"channelIndex": "index_name"}
    # Members of stl responses; not stored as custom fields when a client sends a response back.
    answered_only = frozenset({"contentnum", "additional", "attributes"})

    id = IntegerField(read_only=True, help_text="Id of the channel; the home channel has the site's id.")
    channel_name = NameField(max_length=255, required=False, help_text="Name of the channel; not blank.")
    site_id = IntegerField(read_only=True, help_text="Id of its site.")
    content_model_plugin_id = TextField(
        max_length=50,
        required=False,
        help_text="Plug-in for its contents. Default: empty.",
    )
    content_related_plugin_ids = TextField(
        max_length=255, required=False, help_text="Further plug-ins for them, comma-separated. Default: empty."
    )
    parent_id = IntegerField(read_only=True, help_text="Id of its parent, 0 for the home channel.")
    parents_path = TextField(read_only=True, help_text="Ids of its ancestors, comma-separated, home channel first.")
    parents_count = IntegerField(read_only=True, help_text="Number of its ancestors.")
    children_count = IntegerField(read_only=True, help_text="Number of its child channels.")
    last_node = BooleanField(read_only=True, help_text="Same as isLastNode, for older clients.")
    is_last_node = BooleanField(read_only=True, help_text="True for the last sibling.")
    index_name = IndexNameField(
        max_length=255,
        required=False,
        help_text="Name for templates and URLs, unique in the site. Default: empty.",
    )
    group_name_collection = GroupNamesField(
        max_length=2000, required=False, help_text="Names of its groups, comma-separated. Default: empty."
    )
    taxis = IntegerField(read_only=True, help_text="Position in the depth-first tree order.")
    add_date = DateTimeField(read_only=True, help_text="Time of its creation.")
    image_url = AddressField(
        max_length=2000,
        required=False,
        help_text="URL of its picture; leading @/ or ~/ becomes the site's URL. Default: empty.",
    )
    content = TextField(required=False, help_text="HTML body, returned as sent. Default: empty.")
    file_path = PathField(
        max_length=500,
        required=False,
        help_text="Unique page path in the site; without an extension it gets index.html, and empty follows the rule. "
        "Default: empty.",
    )
    channel_file_path_rule = RuleField(
        max_length=500,
        required=False,
        help_text="Path rule for pages of channels below it, with extension; empty inherits. Default: empty.",
    )
    content_file_path_rule = RuleField(
        max_length=500,
        required=False,
        help_text="Path rule for pages of contents, with extension; empty inherits. Default: empty.",
    )
    link_url = AddressField(
        max_length=2000,
        required=False,
        help_text="External URL that replaces its page; no javascript: or data: scheme. Default: empty.",
    )
    link_type = LinkTypeField(
        choices=LinkType.values,
        required=False,
        help_text="Link target, in any letter case; empty counts as None, its own page. Default: None.",
    )
    channel_template_id = IntegerField(
        min_value=0,
        max_value=MAX_ID,
        required=False,
        help_text="Template of its page; 0 is the site's default. Default: 0.",
    )
    content_template_id = IntegerField(
        min_value=0,
        max_value=MAX_ID,
        required=False,
        help_text="Template of its contents' pages; 0 is the site's default. Default: 0.",
    )
    keywords = TextField(
        max_length=2000, required=False, help_text="Keywords for search engines, comma-separated. Default: empty."
    )
    description = TextField(required=False, help_text="Description for search engines. Default: empty.")
    children = serializers.ListField(read_only=True, help_text="Child channels in order, each with its own.")
    navigation_url = TextField(read_only=True, help_text="URL of its page, computed from rules and links.")

    @classmethod
    def read(cls, body: dict[str, Any], *, require: Iterable[str] = ()) -> Members:
        _raise_if_two_indexes(body)
        return super().read(body, require=require)

    @classmethod
    def read_changes(cls, body: dict[str, Any], answered: dict[str, Any]) -> Members:
        """Ignore members sent back unchanged that would be refused or altered now, such as values from packages."""
        body = cls.without_kept(body, answered)
        _raise_if_two_indexes(body)
        return cls.read(body)

    @classmethod
    def accepts(cls, name: str, value: Any) -> bool:
        """Return whether the value would be stored unchanged."""
        try:
            return all(read == value for read in cls.read({name: value}).values.values())
        except InvalidInput:
            return False


class ChannelCreationSerializer(ChannelSerializer):
    parent_id = IntegerField(
        required=False,
        help_text="Parent of the new channel. Default: the home channel.",
    )


class MoveSerializer(WireSerializer):
    parent_id = IntegerField(required=False, help_text="Id of the new parent. Default: the current parent.")
    before = IntegerField(
        required=False, help_text="Sibling that will follow it. Default: null, for the last position."
    )
