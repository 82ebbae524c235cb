"""All names that elements have had in SiteServer's versions, case-insensitive; others are custom fields or settings."""

from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from django.utils.translation import gettext_lazy as _

from core.admin.error_messages import sentences
from core.lib.errors import InvalidInput
from core.lib.folding import is_blank
from core.rest.custom_members import validate_values
from pages.models import TemplateKind
from transfer.feed import Elements
from transfer.package import PackageError, filled, reason_of
from transfer.values import (
    Reader,
    read_content_model,
    read_counter,
    read_date,
    read_encoded,
    read_flag,
    read_folder,
    read_integer,
    read_link_type,
    read_page_path,
    read_plain,
    read_settings,
    read_tags,
    read_template_kind,
)


@dataclass(frozen=True, slots=True)
class Attribute:
    """The field of an element, and the reader of its text."""

    field: str
    read: Reader


# Computed, or specific to the other installation.
LEFT_OUT = ""
# Settings text; its entries become custom fields.
SETTINGS = "settings"

Names = dict[str, Attribute]
Fields = dict[str, Any]


def name_table(*rows: tuple[str, Reader, str]) -> Names:
    return {name.lower(): Attribute(field, read) for field, read, names in rows for name in names.split()}


# Elements of Configuration.xml with the names of default templates, by kind.
DEFAULT_TEMPLATES = {
    "DefaultIndexTemplateName": TemplateKind.INDEX,
    "DefaultChannelTemplateName": TemplateKind.CHANNEL,
    "DefaultContentTemplateName": TemplateKind.CONTENT,
    "DefaultFileTemplateName": TemplateKind.FILE,
}

SITE = name_table(
    ("site_name", read_plain, "SiteName PublishmentSystemName"),
    ("site_dir", read_folder, "SiteDir PublishmentSystemDir"),
    ("table_name", read_plain, "TableName AuxiliaryTableForContent"),
    ("is_root", read_flag, "IsRoot Root IsHeadquarters"),
    (SETTINGS, read_settings, "SettingsXml ExtendValues"),
    (LEFT_OUT, read_plain, "Id SiteId PublishmentSystemId ParentId ParentPublishmentSystemId Taxis"),
    (LEFT_OUT, read_plain, "WebUrl AssetsUrl"),
    *((name, read_plain, name) for name in DEFAULT_TEMPLATES),
)

CHANNEL = name_table(
    ("id", read_integer, "Id ChannelId NodeId"),
    ("parent_id", read_integer, "ParentId"),
    ("content_num", read_integer, "ContentNum"),
    ("channel_name", read_plain, "ChannelName NodeName"),
    ("content_model_plugin_id", read_content_model, "ContentModelPluginId ContentModelId"),
    ("content_related_plugin_ids", read_plain, "ContentRelatedPluginIds"),
    ("index_name", read_plain, "IndexName NodeIndexName"),
    ("group_name_collection", read_plain, "GroupNameCollection GroupNames NodeGroupNameCollection"),
    ("taxis", read_integer, "Taxis"),
    ("add_date", read_date, "AddDate"),
    ("image_url", read_plain, "ImageUrl"),
    ("content", read_encoded, "Content"),
    ("file_path", read_plain, "FilePath"),
    ("channel_file_path_rule", read_plain, "ChannelFilePathRule"),
    ("content_file_path_rule", read_plain, "ContentFilePathRule"),
    ("link_url", read_plain, "LinkUrl"),
    ("link_type", read_link_type, "LinkType"),
    ("channel_template", read_plain, "ChannelTemplateName"),
    ("content_template", read_plain, "ContentTemplateName"),
    ("keywords", read_plain, "Keywords"),
    ("description", read_plain, "Description"),
    (SETTINGS, read_settings, "ExtendValues SettingsXml"),
    (LEFT_OUT, read_plain, "SiteId PublishmentSystemId ParentsPath ParentsCount ChildrenCount"),
    (LEFT_OUT, read_plain, "IsLastNode LastNode ChannelTemplateId ContentTemplateId"),
)

CONTENT = name_table(
    ("id", read_integer, "Id ContentId"),
    ("add_user_name", read_plain, "AddUserName"),
    ("last_edit_user_name", read_plain, "LastEditUserName"),
    ("writing_user_name", read_plain, "WritingUserName"),
    ("last_edit_date", read_date, "LastEditDate"),
    ("taxis", read_integer, "Taxis"),
    ("group_name_collection", read_plain, "GroupNameCollection GroupNames ContentGroupNameCollection"),
    ("tags", read_tags, "Tags"),
    ("tags", read_encoded, "TagNames"),
    ("source_id", read_integer, "SourceId"),
    ("reference_id", read_integer, "ReferenceId"),
    ("is_checked", read_flag, "IsChecked Checked"),
    ("checked_level", read_integer, "CheckedLevel"),
    ("hits", read_counter, "Hits"),
    ("hits_by_day", read_counter, "HitsByDay"),
    ("hits_by_week", read_counter, "HitsByWeek"),
    ("hits_by_month", read_counter, "HitsByMonth"),
    ("last_hits_date", read_date, "LastHitsDate"),
    ("title", read_encoded, "Title"),
    ("is_top", read_flag, "IsTop Top"),
    ("is_recommend", read_flag, "IsRecommend Recommend"),
    ("is_hot", read_flag, "IsHot Hot"),
    ("is_color", read_flag, "IsColor Color"),
    ("link_url", read_encoded, "LinkUrl"),
    ("add_date", read_date, "AddDate"),
    ("sub_title", read_encoded, "SubTitle"),
    ("image_url", read_encoded, "ImageUrl"),
    ("video_url", read_encoded, "VideoUrl"),
    ("file_url", read_encoded, "FileUrl"),
    ("content", read_encoded, "Content Body"),
    ("summary", read_encoded, "Summary"),
    ("author", read_encoded, "Author"),
    ("source", read_encoded, "Source"),
    (SETTINGS, read_settings, "SettingsXml ExtendValues"),
    (LEFT_OUT, read_plain, "NodeId ChannelId SiteId PublishmentSystemId NavigationUrl"),
)

GROUP = name_table(
    ("is_content_group", read_flag, "IsContentGroup"),
    ("group_name", read_plain, "ContentGroupName GroupName"),
    ("description", read_plain, "Description"),
)


TEMPLATE = name_table(
    ("name", read_plain, "TemplateName"),
    ("kind", read_template_kind, "TemplateType"),
    ("file_name", read_plain, "RelatedFileName"),
    ("page_path", read_page_path, "CreatedFileFullName"),
    ("extension", read_plain, "CreatedFileExtName"),
    ("is_default", read_flag, "IsDefault DefaultTemplate"),
    ("text", read_encoded, "Content"),
)

FIELD = name_table(
    ("name", read_plain, "AttributeName"),
    ("label", read_plain, "DisplayName"),
    ("kind", read_plain, "InputType"),
    ("default", read_plain, "DefaultValue"),
    ("is_visible", read_flag, "IsVisible Visible"),
    ("taxis", read_integer, "Taxis"),
    ("place", read_plain, "OrderString"),
)

CHOICE = name_table(("title", read_plain, "ItemTitle"), ("value", read_plain, "ItemValue"))

PICTURE = name_table(
    ("small_url", read_encoded, "SmallUrl"),
    ("middle_url", read_encoded, "MiddleUrl"),
    ("large_url", read_encoded, "LargeUrl"),
    ("description", read_encoded, "Description"),
    ("taxis", read_integer, "Taxis"),
)


class ElementSorter:
    """Sorts elements of one kind of record; `read_custom` reads custom fields, None leaves them out."""

    def __init__(self, names: Names, read_custom: Reader | None, time_zone: tzinfo) -> None:
        self._names, self._read_custom, self._time_zone = names, read_custom, time_zone

    def sort(self, elements: Elements, file: str, entry: str = "") -> tuple[Fields, Fields]:
        """Fields by model name and custom fields by their own; of synonyms the first wins. Raises PackageError."""
        fields: Fields = {}
        custom: Fields = {}
        for name, text in elements.items():
            attribute = self._names.get(name.lower())
            try:
                if attribute is None:
                    if self._read_custom:
                        custom[name] = _storable(self._read_custom(text, self._time_zone))
                elif attribute.field != LEFT_OUT and attribute.field not in fields:
                    fields[attribute.field] = _storable(attribute.read(text, self._time_zone))
            except ValueError as error:
                element = f"{entry}, element {name}" if entry else f"element {name}"
                raise PackageError(reason_of(error), file=file, element=element) from error
        if settings := fields.pop(SETTINGS, None):
            # Explicit elements take precedence over settings.
            taken = self._names.keys() | {name.lower() for name in custom}
            others = ((name, text) for name, text in settings.items() if not is_blank(name))
            custom.update((name, text) for name, text in others if name.lower() not in taken)
        try:
            validate_values(custom, {}, "record")
        except InvalidInput as refusal:
            told = filled(sentences()[refusal.code], **refusal.members)
            origin = f"{file}, {entry}" if entry else file
            raise PackageError(told, file=origin, element=f"element {refusal.members['member']}") from refusal
        return fields, custom


def _storable(value: Any) -> Any:
    if isinstance(value, str) and "\0" in value:
        raise ValueError(_("The text contains a NUL character."))
    return value
