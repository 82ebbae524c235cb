"""The one table of element names: what each name that an element has had over the years stands for.

Names are compared without letter case. A name that is not in the table is a custom field or setting.
"""

from dataclasses import dataclass

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
    read_plain,
    read_settings,
)


@dataclass(frozen=True, slots=True)
class Attribute:
    """One fact that elements of a package tell: where it goes and how its text is read."""

    field: str
    read: Reader


# Facts that are computed or belong to another installation; they are not taken over.
LEFT_OUT = ""
# The settings text; its entries join the custom fields.
SETTINGS = "settings"

Names = dict[str, Attribute]


def name_table(*rows: tuple[str, Reader, str]) -> Names:
    """Return the attributes by every lower-case name listed for them."""
    return {name.lower(): Attribute(field, read) for field, read, names in rows for name in names.split()}


SITE = name_table(
    ("site_name", read_plain, "SiteName PublishmentSystemName"),
    ("site_dir", read_folder, "SiteDir PublishmentSystemDir"),
    ("table_name", read_plain, "TableName AuxiliaryTableForContent"),
    ("is_root", read_flag, "IsRoot Root IsHeadquarters"),
    (SETTINGS, read_settings, "SettingsXml ExtendValues"),
    (LEFT_OUT, read_plain, "Id SiteId PublishmentSystemId ParentId ParentPublishmentSystemId Taxis"),
    (LEFT_OUT, read_plain, "WebUrl AssetsUrl"),
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
    ("channel_template_id", read_integer, "ChannelTemplateId"),
    ("content_template_id", read_integer, "ContentTemplateId"),
    ("keywords", read_plain, "Keywords"),
    ("description", read_plain, "Description"),
    (SETTINGS, read_settings, "ExtendValues SettingsXml"),
    (LEFT_OUT, read_plain, "SiteId PublishmentSystemId ParentsPath ParentsCount ChildrenCount"),
    (LEFT_OUT, read_plain, "IsLastNode LastNode"),
)

CONTENT = name_table(
    ("id", read_integer, "Id ContentId"),
    ("add_user_name", read_plain, "AddUserName"),
    ("last_edit_user_name", read_plain, "LastEditUserName"),
    ("writing_user_name", read_plain, "WritingUserName"),
    ("last_edit_date", read_date, "LastEditDate"),
    ("taxis", read_integer, "Taxis"),
    ("group_name_collection", read_plain, "GroupNameCollection GroupNames ContentGroupNameCollection"),
    ("tags", read_encoded, "Tags TagNames"),
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
