"""Channel trees without contents as sources of a site: typed, predefined, or copied from a site."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from channels_app.management.commands.create_site import HOME
from channels_app.models import Channel
from channels_app.outline import MAX_NAME, outline_lines
from forms.models import Form
from pages.models import Template
from sites.models import FieldDefinition, Site
from transfer.copied_files import CopiedFiles
from transfer.package import ChannelRecord, ContentRecord, FieldRecord, FormRecord, SiteRecord, TemplateRecord

MAX_LINES = 1000
MAX_LEVELS = 10
COPIED = (
    "channel_name",
    "content_model_plugin_id",
    "content_related_plugin_ids",
    "index_name",
    "group_name_collection",
    "image_url",
    "content",
    "file_path",
    "channel_file_path_rule",
    "content_file_path_rule",
    "link_url",
    "link_type",
    "keywords",
    "description",
)


_TEMPLATES = ("channel_template", "content_template")
_OF_TEMPLATES = ("kind", "name", "file_name", "page_path", "extension", "is_default", "text")
_OF_FORMS = (
    *("name", "title", "description", "taxis", "is_open", "opens_at", "closes_at", "guard", "success_text"),
    *("blocked_words", "consent_text", "public_list", "page_size", "confirmation_subject", "confirmation_text"),
    *("confirmation_has_values", "keep_days", "is_limited", "origin", "origin_id"),
)
_OF_INPUTS = (
    *("key", "label", "help_text", "kind", "is_required", "rules", "choices", "default", "taxis", "is_visible"),
    *("is_listed", "is_sensitive", "gets_confirmation"),
)
_OF_DEFINITIONS = ("owner", "name", "folded_name", "label", "kind", "default", "choices", "is_visible", "taxis")


class OutlineError(ValueError):
    """The message says why an outline cannot be read."""


@dataclass(frozen=True, slots=True)
class OutlineChannel:
    """A channel; its position is the path of sibling numbers."""

    name: str
    position: tuple[int, ...]


def read_outline(text: str) -> list[OutlineChannel]:
    """Parse an indented outline into channels, parents first. Raises OutlineError."""
    channels: list[OutlineChannel] = []
    position: list[int] = []
    for number, level, name in outline_lines(text, bullets="-*•·"):
        if len(channels) >= MAX_LINES:
            told = ngettext(
                "At most %(count)d channel is allowed.", "At most %(count)d channels are allowed.", MAX_LINES
            )
            raise OutlineError(told % {"count": MAX_LINES})
        if level >= MAX_LEVELS:
            told = gettext("Line %(line)d is nested deeper than %(count)d levels.")
            raise OutlineError(told % {"line": number, "count": MAX_LEVELS})
        if len(name) > MAX_NAME:
            told = gettext("The name in line %(line)d is longer than 255 characters.")
            raise OutlineError(told % {"line": number})
        position = [*position[:level], (position[level] if level < len(position) else 0) + 1]
        channels.append(OutlineChannel(name, tuple(position)))
    return channels


class OutlinePackage:
    """A site of channels without contents."""

    def __init__(self, site_name: str, channels: list[OutlineChannel], home_name: str = HOME) -> None:
        self.name, self.site, self._channels = "", SiteRecord(site_name=site_name), channels
        self._home_name = home_name

    def channels(self) -> Iterator[ChannelRecord]:
        yield ChannelRecord(0, (), {"channel_name": self._home_name, "index_name": self._home_name}, origin=HOME)
        for channel in self._channels:
            yield ChannelRecord(0, channel.position, {"channel_name": channel.name}, origin=channel.name)

    def contents(self, channel: ChannelRecord) -> Iterator[ContentRecord]:
        yield from ()


@dataclass(frozen=True)
class Starter:
    label: str | Promise
    outline: str | Promise


STARTERS = {
    "company": Starter(
        _("A company"),
        _(
            "About us\n  Who we are\n  History\n  Contact\nNews\n  Company news\n  Industry news\nProducts\n"
            "Services\n  Support\n  Downloads\nJobs"
        ),
    ),
    "school": Starter(
        _("A school or an institute"),
        _(
            "About\n  Overview\n  Leadership\n  Departments\nNews\nNotices\nTeaching\n  Courses\n  Timetables\n"
            "Research\nAdmissions\nCampus life\nContact"
        ),
    ),
    "magazine": Starter(
        _("A magazine"),
        _("Headlines\nPolitics\nEconomy\nCulture\n  Books\n  Films\n  Music\nSports\nOpinion\nPictures\nVideos"),
    ),
}


class CopiedTree:
    """The channels of a site with settings, templates, kinds of custom fields, forms and files, without contents."""

    def __init__(self, source: Site, site_name: str) -> None:
        templates = Template.objects.filter(site=source).order_by("pk")
        definitions = FieldDefinition.objects.filter(site=source).order_by("pk")
        self.name = ""
        self.site = SiteRecord(
            site_name=site_name,
            templates=tuple(TemplateRecord(each) for each in templates.values(*_OF_TEMPLATES)),
            field_definitions=tuple(FieldRecord(each) for each in definitions.values(*_OF_DEFINITIONS)),
        )
        self._template_names = dict(templates.values_list("pk", "name"))
        self.files = CopiedFiles(source, has_pages=bool(self._template_names))
        self._channels = list(self._adopted(_positioned(source.pk)))
        places = {channel.source_id: channel.position for channel in self._channels}
        self.site = replace(self.site, forms=tuple(_forms(source, places)))

    def channels(self) -> Iterator[ChannelRecord]:
        """Channels outside the trash, parents before children."""
        yield from self._channels

    def contents(self, channel: ChannelRecord) -> Iterator[ContentRecord]:
        yield from ()

    def _adopted(self, rows: Iterable[tuple[tuple[int, ...], dict[str, Any]]]) -> Iterator[ChannelRecord]:
        for position, row in rows:
            fields = self._with_own_files({name: row[name] for name in COPIED})
            settings = self._with_own_files(row["settings"])
            templates: dict[str, Any] = {name: self._template_names.get(row[f"{name}_id"], "") for name in _TEMPLATES}
            yield ChannelRecord(row["id"], position, fields, settings, row["channel_name"], **templates)

    def _with_own_files(self, values: dict[str, Any]) -> dict[str, Any]:
        return {name: self.files.adopt(value) if isinstance(value, str) else value for name, value in values.items()}


def _positioned(site_id: int) -> list[tuple[tuple[int, ...], dict[str, Any]]]:
    rows = Channel.objects.filter(site_id=site_id, trashed_at=None).order_by("taxis", "id")
    positions: dict[int, tuple[int, ...]] = {}
    children: dict[int, int] = {}
    found = []
    templates = [f"{name}_id" for name in _TEMPLATES]
    for row in rows.values("id", "parent_id", "settings", *templates, *COPIED):
        parent = row["parent_id"]
        if parent is not None and parent not in positions:
            continue  # its parent is being trashed
        children[parent] = children.get(parent, 0) + 1
        positions[row["id"]] = () if parent is None else (*positions[parent], children[parent])
        found.append((positions[row["id"]], row))
    return found


def _forms(source: Site, places: Mapping[int, tuple[int, ...]]) -> Iterator[FormRecord]:
    """Yield the forms with the positions of their channels; of one that is not copied, that of the home channel."""
    for form in Form.objects.filter(site=source).order_by("pk").prefetch_related("fields"):
        inputs = [{name: getattr(field, name) for name in _OF_INPUTS} for field in form.fields.all()]
        channel = places.get(form.channel_id, ()) if form.channel_id else None
        yield FormRecord({name: getattr(form, name) for name in _OF_FORMS}, tuple(inputs), channel=channel)
