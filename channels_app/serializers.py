"""The wire form of channels."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from channels_app.models import LinkType
from cms_api.lib.errors import InvalidInput
from cms_api.rest.custom_members import differ
from cms_api.rest.fields import AddressField, BooleanField, DateTimeField, IntegerField, TextField, invalid
from cms_api.rest.names import refuse_two_spellings
from cms_api.rest.serializers import Members, WireSerializer
from sites.page_rules import EXTENSION, UNFIT

_LINK_TYPES = {value.casefold(): value for value in LinkType.values}
MAX_ID = 2**53 - 1

_UNFIT = r"/\\\"<>\x00-\x1f"  # in a part of a path, for the OpenAPI document


def _part(unfit: str) -> str:
    """A part of a path, which is not `..`, as an expression; `unfit` are characters that it does not have."""
    return rf"([^{unfit}]*[^.|\s{unfit}][^{unfit}]*|\.?|\.{{3,}})"


class NameField(TextField):
    def read(self, value: Any, name: str) -> str:
        text = super().read(value, name)
        if not text.strip():
            raise invalid(name, "a text that is not blank")
        return text


class LinkTypeField(serializers.ChoiceField):
    """One of the twelve link types in any letter case; empty stands for None."""

    def read(self, value: Any, name: str) -> str:
        """The type as the interface spells it. Raises InvalidInput naming them all."""
        found = _LINK_TYPES.get(value.strip().casefold() or "none") if isinstance(value, str) else None
        if found is None:
            raise invalid(name, f"one of {', '.join(LinkType.values)}")
        return found


class PathField(TextField):
    """A path below the site; `@/` and `~/` may begin it (original-behaviour A.11)."""

    pattern = rf"^{_part(_UNFIT + '|')}([/\\]{_part(_UNFIT + '|')})*$"

    def read(self, value: Any, name: str) -> str:
        """The path without spaces around it; one without an extension names a folder's index.html.

        Raises InvalidInput for characters that no path has.
        """
        text = super().read(value, name).strip()
        refuse_unfit(text, name)
        if text and not EXTENSION.search(text):
            # The limit is that of the whole, so that a client may send back what it was answered.
            text = super().read(text.rstrip("/") + "/index.html", name)
        return text


class RuleField(TextField):
    """A rule that names pages (sites.page_rules)."""

    pattern = rf"^(({_part(_UNFIT)}[/\\])*[^{_UNFIT}]*\.[^.|\s{_UNFIT}]+)?$"

    def read(self, value: Any, name: str) -> str:
        """The rule. Raises InvalidInput for characters that no path has, or without a file extension."""
        text = super().read(value, name).strip()
        refuse_unfit(text.replace("|", ""), name)
        if text and not EXTENSION.search(text):
            raise invalid(name, "a rule that ends in a file extension, such as /news/{@channelId}.html")
        return text


def refuse_unfit(path: str, name: str) -> None:
    """Raises InvalidInput for a path with characters that no path has, or that leads out of the site."""
    if found := UNFIT.search(path):
        raise invalid(name, f"a path, which cannot hold {found[0]!r}")
    if ".." in path.replace("\\", "/").split("/"):
        raise invalid(name, "a path without .. as a part of it")


def _refuse_two_indexes(body: dict[str, Any]) -> None:
    folded = {name.casefold(): value for name, value in body.items()}
    sent = [folded[name] for name in ("indexname", "channelindex") if folded.get(name) is not None]
    if len(sent) == 2 and sent[0] != sent[1]:
        message = "indexName and channelIndex are the same member; send one of them."
        raise InvalidInput("duplicate_member", message, member="indexName")


class ChannelSerializer(WireSerializer):
    """One channel, its members in the order in which they are answered (interface: Channel)."""

    # The interface's example of an update calls the index so.
    synonyms = {"channelIndex": "index_name"}
    # Members of stl answers: not kept as custom fields when a client sends back what it was answered.
    answered_only = frozenset({"contentnum", "additional", "attributes"})

    id = IntegerField(read_only=True, help_text="Number of the channel; that of the home channel is the site's.")
    channel_name = NameField(max_length=255, required=False, help_text="What the channel is called; not blank.")
    site_id = IntegerField(read_only=True, help_text="Number of the site to which it belongs.")
    content_model_plugin_id = TextField(
        max_length=50,
        required=False,
        help_text="Name of the extension that its contents are made with. Default: empty.",
    )
    content_related_plugin_ids = TextField(
        max_length=255, required=False, help_text="Names of further extensions, comma-separated. Default: empty."
    )
    parent_id = IntegerField(read_only=True, help_text="Number of the channel above it, 0 of the home channel.")
    parents_path = TextField(
        read_only=True, help_text="Numbers of the channels above it, comma-separated, the home channel first."
    )
    parents_count = IntegerField(read_only=True, help_text="How many channels are above it.")
    children_count = IntegerField(read_only=True, help_text="How many channels are directly below it.")
    last_node = BooleanField(read_only=True, help_text="The same as isLastNode, as older clients call it.")
    is_last_node = BooleanField(read_only=True, help_text="Whether it is the last one among its siblings.")
    index_name = TextField(
        max_length=255,
        required=False,
        help_text="Name for templates and addresses, unique in the site. Default: empty for none.",
    )
    group_name_collection = TextField(
        max_length=2000, required=False, help_text="Names of groups in which it is, comma-separated. Default: none."
    )
    taxis = IntegerField(
        read_only=True, help_text="Place in the tree, counted from the home channel through everything below."
    )
    add_date = DateTimeField(read_only=True, help_text="When it was added.")
    image_url = AddressField(
        max_length=2000,
        required=False,
        help_text="Address of its picture; @/ and ~/ at its beginning are answered as the site's address. Default: "
        "empty.",
    )
    content = TextField(required=False, help_text="Its body in HTML, answered as it was sent. Default: empty.")
    file_path = PathField(
        max_length=500,
        required=False,
        help_text="Path of its page below the site, unique in the site; without an extension it gets index.html. "
        "Default: by rule.",
    )
    channel_file_path_rule = RuleField(
        max_length=500,
        required=False,
        help_text="Rule that names the pages of channels below it, with a file extension. Default: as above it.",
    )
    content_file_path_rule = RuleField(
        max_length=500,
        required=False,
        help_text="Rule that names the pages of its contents, with a file extension. Default: as above it.",
    )
    link_url = AddressField(
        max_length=2000,
        required=False,
        help_text="External address to which it leads instead of a page of its own; no javascript: or data: scheme. "
        "Default: empty.",
    )
    link_type = LinkTypeField(
        choices=LinkType.values,
        required=False,
        help_text="What it leads to, in any letter case; empty counts as None, its own page. Default: None.",
    )
    channel_template_id = IntegerField(
        min_value=0,
        max_value=MAX_ID,
        required=False,
        help_text="Number of the template of its page, 0 for the default one. Default: 0.",
    )
    content_template_id = IntegerField(
        min_value=0,
        max_value=MAX_ID,
        required=False,
        help_text="Number of the template of its contents' pages, 0 for the default one. Default: 0.",
    )
    keywords = TextField(
        max_length=2000, required=False, help_text="Keywords for search engines, comma-separated. Default: empty."
    )
    description = TextField(required=False, help_text="Description of the page for search engines. Default: empty.")
    children = serializers.ListField(
        read_only=True, help_text="The channels directly below it, each with its own, in order."
    )
    navigation_url = TextField(
        read_only=True, help_text="Address of its page, computed from rules, links and link types."
    )

    @classmethod
    def read(cls, body: dict[str, Any], *, require: Iterable[str] = ()) -> Members:
        """The members of a JSON object. Raises InvalidInput also for two indexes that differ."""
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
        except InvalidInput:
            return False


class ChannelCreationSerializer(ChannelSerializer):
    """A new channel: also where it goes."""

    parent_id = IntegerField(
        required=False,
        help_text="Number of the channel below which it is created, as the last one. Default: the home channel.",
    )


class MoveSerializer(WireSerializer):
    parent_id = IntegerField(
        required=False, help_text="Number of the channel below which it goes. Default: the one where it is."
    )
    before = IntegerField(
        required=False, help_text="Number of the sibling before which it goes. Default: the last place, and so is null."
    )
