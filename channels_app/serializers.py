"""The wire form of channels."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from channels_app.models import LinkType
from cms_api.rest.custom_members import differ
from cms_api.rest.errors import BadRequest
from cms_api.rest.fields import AddressField, BooleanField, DateTimeField, IntegerField, TextField, invalid
from cms_api.rest.names import refuse_two_spellings
from cms_api.rest.serializers import Members, WireSerializer
from sites.page_rules import EXTENSION, UNFIT

_LINK_TYPES = {value.casefold(): value for value in LinkType.values}
MAX_ID = 2**53 - 1


class NameField(TextField):
    """A name that is not blank."""

    def read(self, value: Any, name: str) -> str:
        """The text. Raises BadRequest."""
        text = super().read(value, name)
        if not text.strip():
            raise invalid(name, "a text that is not blank")
        return text


class LinkTypeField(serializers.ChoiceField):
    """One of the twelve link types in any letter case; empty stands for None."""

    def read(self, value: Any, name: str) -> str:
        """The type as the interface spells it. Raises BadRequest naming them all."""
        found = _LINK_TYPES.get(value.strip().casefold() or "none") if isinstance(value, str) else None
        if found is None:
            raise invalid(name, f"one of {', '.join(LinkType.values)}")
        return found


class PathField(TextField):
    """A path below the site; `@/` and `~/` may begin it (original-behaviour A.11)."""

    def read(self, value: Any, name: str) -> str:
        """The path without spaces around it; one without an extension names a folder's index.html.

        Raises BadRequest for characters that no path has.
        """
        text = super().read(value, name).strip()
        refuse_unfit(text, name)
        if text and not EXTENSION.search(text):
            # The limit is that of the whole, so that a client may send back what it was answered.
            text = super().read(text.rstrip("/") + "/index.html", name)
        return text


class RuleField(TextField):
    """A rule that names pages (sites.page_rules)."""

    def read(self, value: Any, name: str) -> str:
        """The rule. Raises BadRequest for characters that no path has, or without a file extension."""
        text = super().read(value, name).strip()
        refuse_unfit(text.replace("|", ""), name)
        if text and not EXTENSION.search(text):
            raise invalid(name, "a rule that ends in a file extension, such as /news/{@channelId}.html")
        return text


def refuse_unfit(path: str, name: str) -> None:
    """Raises BadRequest for a path with characters that no path has, or that leads out of the site."""
    if found := UNFIT.search(path):
        raise invalid(name, f"a path, which cannot hold {found[0]!r}")
    if ".." in path.replace("\\", "/").split("/"):
        raise invalid(name, "a path without .. as a part of it")


def _refuse_two_indexes(body: dict[str, Any]) -> None:
    folded = {name.casefold(): value for name, value in body.items()}
    sent = [folded[name] for name in ("indexname", "channelindex") if folded.get(name) is not None]
    if len(sent) == 2 and sent[0] != sent[1]:
        message = "indexName and channelIndex are the same member; send one of them."
        raise BadRequest("duplicate_member", message, member="indexName")


class ChannelSerializer(WireSerializer):
    """One channel, its members in the order in which they are answered (interface: Channel)."""

    # The interface's example of an update calls the index so.
    synonyms = {"channelIndex": "index_name"}
    # Members of stl answers: not kept as custom fields when a client sends back what it was answered.
    answered_only = frozenset({"contentnum", "additional", "attributes"})

    id = IntegerField(read_only=True, help_text="Channel id.")
    channel_name = NameField(max_length=255, required=False, help_text="Name.")
    site_id = IntegerField(read_only=True, help_text="Owning site.")
    content_model_plugin_id = TextField(max_length=50, required=False, help_text="Content model extension.")
    content_related_plugin_ids = TextField(max_length=255, required=False, help_text="Related extensions.")
    parent_id = IntegerField(read_only=True, help_text="Parent channel, 0 at the top.")
    parents_path = TextField(read_only=True, help_text="Ids of the channels above, comma-separated, the home first.")
    parents_count = IntegerField(read_only=True, help_text="Depth.")
    children_count = IntegerField(read_only=True, help_text="Number of direct children.")
    last_node = BooleanField(read_only=True, help_text="The same as isLastNode.")
    is_last_node = BooleanField(read_only=True, help_text="Last among its siblings.")
    index_name = TextField(max_length=255, required=False, help_text="Index, unique in the site.")
    group_name_collection = TextField(max_length=2000, required=False, help_text="Groups, comma-separated.")
    taxis = IntegerField(read_only=True, help_text="Place in the tree, counted from the home channel.")
    add_date = DateTimeField(read_only=True, help_text="Add time.")
    image_url = AddressField(max_length=2000, required=False, help_text="Address of the image.")
    content = TextField(required=False, help_text="Body, markup, returned as it was sent.")
    file_path = PathField(max_length=500, required=False, help_text="Path of the page, unique in the site.")
    channel_file_path_rule = RuleField(max_length=500, required=False, help_text="Names pages of channels.")
    content_file_path_rule = RuleField(max_length=500, required=False, help_text="Names pages of contents.")
    link_url = AddressField(max_length=2000, required=False, help_text="External link.")
    link_type = LinkTypeField(choices=LinkType.values, required=False, help_text="What the channel links to.")
    channel_template_id = IntegerField(min_value=0, max_value=MAX_ID, required=False, help_text="Channel template.")
    content_template_id = IntegerField(min_value=0, max_value=MAX_ID, required=False, help_text="Content template.")
    keywords = TextField(max_length=2000, required=False, help_text="Keywords, comma-separated.")
    description = TextField(required=False, help_text="Page description.")
    children = serializers.ListField(read_only=True, help_text="Child channels, nested.")
    navigation_url = TextField(read_only=True, help_text="Address of the page.")

    @classmethod
    def read(cls, body: dict[str, Any], *, require: Iterable[str] = ()) -> Members:
        """The members of a JSON object. Raises BadRequest also for two indexes that differ."""
        _refuse_two_indexes(body)
        return super().read(body, require=require)

    @classmethod
    def read_changes(cls, body: dict[str, Any], answered: dict[str, Any]) -> Members:
        """The members; one that was answered so and cannot be sent is left out.

        A client may send back what it got, and a package may have brought what the API refuses or would
        change, such as a rule without an extension.
        """
        refuse_two_spellings(body)
        _refuse_two_indexes(body)
        known = {name.casefold(): value for name, value in answered.items()}
        return cls.read(
            {
                name: value
                for name, value in body.items()
                if name.casefold() not in known or differ(known[name.casefold()], value) or cls._keeps(name, value)
            }
        )

    @classmethod
    def _keeps(cls, name: str, value: Any) -> bool:
        """Whether the value is read as it is."""
        try:
            return all(read == value for read in cls.read({name: value}).values.values())
        except BadRequest:
            return False


class ChannelCreationSerializer(ChannelSerializer):
    """A new channel: also where it goes."""

    parent_id = IntegerField(required=False, help_text="Parent channel; omitted: the home channel.")


class MoveSerializer(WireSerializer):
    """Where a channel goes."""

    parent_id = IntegerField(required=False, help_text="New parent; omitted: the present one.")
    before = IntegerField(required=False, help_text="The sibling that it goes before; omitted: the last place.")
