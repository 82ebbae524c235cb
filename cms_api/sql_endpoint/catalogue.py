"""The virtual tables of clients' statements, by SiteServer's names. Without Django; no column holds a secret."""

from collections.abc import Iterable, Sequence

from cms_api.lib.settings_text import ESCAPES
from cms_api.lib.sql_sandbox.catalogue import Column, Table, ValueKind

CONTENTS = "siteserver_Content"
OPEN_BY_DEFAULT = (
    "siteserver_Site",
    "siteserver_Channel",
    CONTENTS,
    "siteserver_ContentGroup",
    "siteserver_Tag",
    "siteserver_ContentTag",
)
# Functions in the expressions for SQLite, whose authorizer must allow them.
SQLITE_FUNCTIONS = frozenset({"char", "coalesce", "group_concat", "lower", "replace", "sum"})
_MAX_LISTED = 250  # ids in a tag's ContentIdCollection, which has 2000 characters in SiteServer

# A column of a real table, and the columns that an expression reads.
Source = tuple[str, str]
Reads = tuple[Source, ...]


def _integer(name: str, source: str, meaning: str) -> Column:
    return Column(name, ValueKind.INTEGER, source, meaning=meaning)


def _text(name: str, source: str, meaning: str, is_long: bool = False) -> Column:
    return Column(name, ValueKind.TEXT, source, is_long=is_long, meaning=meaning)


def _date(name: str, source: str, meaning: str) -> Column:
    # Stored to the second by every writer, so SQLite's text is the wire form and its indexes apply.
    return Column(name, ValueKind.DATE, source, meaning=meaning)


def _flag(name: str, source: Source, meaning: str) -> Column:
    return _computed(name, ValueKind.FLAG, f"CASE WHEN s.{source[1]} THEN 'True' ELSE 'False' END", (source,), meaning)


def _or_zero(name: str, source: Source, meaning: str) -> Column:
    return _computed(name, ValueKind.INTEGER, f"COALESCE(s.{source[1]}, 0)", (source,), meaning)


def _computed(
    name: str, kind: ValueKind, sql: str, reads: Reads, meaning: str, is_long: bool = False, in_star: bool = True
) -> Column:
    return Column(
        name, kind, sqlite=sql, postgresql=sql, reads=reads, is_long=is_long, in_star=in_star, meaning=meaning
    )


def _escaped(sql: str) -> str:
    for word, character in ESCAPES.items():
        literal = f"char({ord(character)})" if character < " " else "'" + character.replace("'", "''") + "'"
        sql = f"replace({sql}, {literal}, '{word}')"
    return sql


def _settings_pairs() -> Column:
    name, value = _escaped("lower(e.key)"), "e.value"
    words = f"WHEN 'true' THEN 'True' WHEN 'false' THEN 'False' WHEN 'null' THEN '' ELSE {_escaped(value)}"
    pair = f"{name} || '=' || CASE e.type {words} END"
    in_order = f"SELECT {pair} AS pair FROM json_each(s.settings) e ORDER BY e.key"
    return Column(
        "SettingsXml",
        ValueKind.TEXT,
        sqlite=f"COALESCE((SELECT group_concat(p.pair, '&') FROM ({in_order}) p), '')",
        postgresql="s.settings_text",  # a column that only PostgreSQL has
        reads=((_SITE, "settings"), *(("json_each", member) for member in ("key", "value", "type"))),
        is_long=True,
        meaning="The settings that differ from their defaults, and custom ones: `name=value` joined by `&`",
    )


_SITE = "cms_sites_site"
SITE = Table(
    "siteserver_Site",
    _SITE,
    (
        _integer("Id", "id", "Id of the site and of its home channel"),
        _text("SiteName", "site_name", "Name"),
        _text("SiteDir", "site_dir", "Folder; empty for a root site without one"),
        _text("TableName", "table_name", "Name under which the site's contents can be read"),
        _flag("IsRoot", (_SITE, "is_root"), "Root site"),
        _or_zero("ParentId", (_SITE, "parent_id"), "Parent site, 0 at the top"),
        _integer("Taxis", "taxis", "Sort order"),
        _settings_pairs(),
    ),
    site="id",
    meaning="Sites.",
)


_CONTENT = "contents_content"
_CHANNEL = "channels_app_channel"
_COUNTED = "contents_listedcount"
_KIND_CHANNEL = 0  # contents.models.ListKind.CHANNEL
_COUNT_READS = tuple((_COUNTED, name) for name in ("contents", "kind", "owner_id"))
_NOT_TRASHED = "s.trashed_at IS NULL"


# A channel's count includes the channels below, so its children's counts are subtracted.
_OWN_CONTENTS = (
    "SELECT CAST(sum(u.contents) AS bigint) FROM ("
    f"SELECT n.contents FROM {_COUNTED} n WHERE n.kind = {_KIND_CHANNEL} AND n.owner_id = s.id UNION ALL "
    f"SELECT -n.contents FROM {_CHANNEL} k JOIN {_COUNTED} n ON n.kind = {_KIND_CHANNEL} AND n.owner_id = k.id "
    "WHERE k.parent_id = s.id) u"
)
CHANNEL = Table(
    "siteserver_Channel",
    _CHANNEL,
    (
        _integer("Id", "id", "Id of the channel"),
        _text("ChannelName", "channel_name", "Name"),
        _integer("SiteId", "site_id", "Site"),
        _text("ContentModelPluginId", "content_model_plugin_id", "Content model extension"),
        _text("ContentRelatedPluginIds", "content_related_plugin_ids", "Related extensions"),
        _or_zero("ParentId", (_CHANNEL, "parent_id"), "Parent channel, 0 for the home channel"),
        _text("ParentsPath", "parents_path", "Ids of the ancestors, the home channel first"),
        _integer("ParentsCount", "parents_count", "Depth, 0 for the home channel"),
        _integer("ChildrenCount", "children_count", "Direct children"),
        _flag("IsLastNode", (_CHANNEL, "is_last_node"), "Last among its siblings"),
        _text("IndexName", "index_name", "Index, unique in the site"),
        _text("GroupNameCollection", "group_name_collection", "Groups, comma-separated"),
        _integer("Taxis", "taxis", "Position in the tree, counted from the home channel"),
        _date("AddDate", "add_date", "Added"),
        _text("ImageUrl", "image_url", "Image"),
        _text("Content", "content", "Body, markup", is_long=True),
        _computed(
            "ContentNum",
            ValueKind.INTEGER,
            f"COALESCE(({_OWN_CONTENTS}), 0)",
            ((_CHANNEL, "id"), (_CHANNEL, "parent_id"), *_COUNT_READS),
            "Contents of the channel itself, approved or not",
            in_star=False,
        ),
        _text("FilePath", "file_path", "Path of the page"),
        _text("ChannelFilePathRule", "channel_file_path_rule", "Path rule for the pages of channels"),
        _text("ContentFilePathRule", "content_file_path_rule", "Path rule for the pages of contents"),
        _text("LinkUrl", "link_url", "External link"),
        _text("LinkType", "link_type", "What the channel links to"),
        _integer("ChannelTemplateId", "channel_template_id", "Channel template"),
        _integer("ContentTemplateId", "content_template_id", "Content template"),
        _text("Keywords", "keywords", "Keywords, comma-separated"),
        _text("Description", "description", "Page description", is_long=True),
        Column(
            "ExtendValues",
            ValueKind.JSON,
            sqlite="s.settings",
            postgresql="s.settings_text",
            reads=((_CHANNEL, "settings"),),
            is_long=True,
            meaning="The settings that differ from their defaults, and custom fields",
        ),
    ),
    site="site_id",
    present=_NOT_TRASHED,
    reads=((_CHANNEL, "trashed_at"),),
    meaning="Channels that are not in the trash.",
)


_BODY = "contents_contentbody"
CONTENT = Table(
    CONTENTS,
    _CONTENT,
    (
        _integer("Id", "id", "Id of the content"),
        _integer("ChannelId", "channel_id", "Channel"),
        _integer("SiteId", "site_id", "Site"),
        _text("AddUserName", "add_user_name", "Who added it"),
        _text("LastEditUserName", "last_edit_user_name", "Who last edited it"),
        _text("WritingUserName", "writing_user_name", "Contributor"),
        _date("LastEditDate", "last_edit_date", "Last edited"),
        _integer("Taxis", "taxis", "Sort order within the channel, highest first"),
        _text("GroupNameCollection", "group_name_collection", "Groups, comma-separated"),
        _text("Tags", "tags", "Tags, comma-separated"),
        _integer(
            "SourceId",
            "source_id",
            "Source content of a copy, source channel of a reference, or a negative code",
        ),
        _integer("ReferenceId", "reference_id", "Content that it refers to, 0 for none"),
        _flag("IsChecked", (_CONTENT, "is_checked"), "Finally approved"),
        _integer("CheckedLevel", "checked_level", "Approval level reached so far, -99 for a draft"),
        _integer("Hits", "hits", "Hits"),
        _integer("HitsByDay", "hits_by_day", "Hits of the day"),
        _integer("HitsByWeek", "hits_by_week", "Hits of the week"),
        _integer("HitsByMonth", "hits_by_month", "Hits of the month"),
        _date("LastHitsDate", "last_hits_date", "Last hit, NULL for never"),
        Column(
            "SettingsXml",
            ValueKind.JSON,
            "settings_xml",
            is_long=True,
            meaning="Settings and custom fields; `JSON_VALUE(SettingsXml, '$.name')` reads one",
        ),
        _text("Title", "title", "Title"),
        _flag("IsTop", (_CONTENT, "is_top"), "Pinned"),
        _flag("IsRecommend", (_CONTENT, "is_recommend"), "Recommended"),
        _flag("IsHot", (_CONTENT, "is_hot"), "Hot"),
        _flag("IsColor", (_CONTENT, "is_color"), "Highlighted"),
        _text("LinkUrl", "link_url", "External link"),
        _date("AddDate", "add_date", "Added"),
        _text("SubTitle", "sub_title", "Subtitle"),
        _text("ImageUrl", "image_url", "Image, as stored: `@/` stands for the site's address"),
        _text("VideoUrl", "video_url", "Video"),
        _text("FileUrl", "file_url", "Attachment"),
        _computed(
            "Content",
            ValueKind.TEXT,
            f"COALESCE((SELECT b.text FROM {_BODY} b WHERE b.content_id = s.id), '')",
            ((_CONTENT, "id"), (_BODY, "content_id"), (_BODY, "text")),
            "Body, markup; read only if the statement names it",
            is_long=True,
        ),
        _text("Summary", "summary", "Summary", is_long=True),
        _text("Author", "author", "Author"),
        _text("Source", "source", "Source"),
    ),
    site="site_id",
    present=_NOT_TRASHED,
    reads=((_CONTENT, "trashed_at"),),
    meaning=(
        "Contents that are not in the trash. The TableName of a site can be used as the table of that site's contents."
    ),
)


_GROUP = "contents_contentgroup"
GROUP = Table(
    "siteserver_ContentGroup",
    _GROUP,
    (
        _integer("Id", "id", "Id of the group"),
        _text("GroupName", "group_name", "Name"),
        _integer("SiteId", "site_id", "Site"),
        _integer("Taxis", "taxis", "Sort order"),
        _text("Description", "description", "Description", is_long=True),
    ),
    site="site_id",
    meaning="Groups of contents.",
)

_TAG = "contents_contenttag"
_LISTED = "contents_listedcontent"
_KIND_TAG = 2  # contents.models.ListKind.TAG
# Each connection counts in a slot of its own; sums of bigint are numeric in PostgreSQL.
_TAGGED = f"SELECT CAST(sum(n.contents) AS bigint) FROM {_COUNTED} n WHERE n.kind = {_KIND_TAG} AND n.owner_id = s.id"
_USE_NUM = _computed(
    "UseNum",
    ValueKind.INTEGER,
    f"COALESCE(({_TAGGED}), 0)",
    ((_TAG, "id"), *_COUNT_READS),
    "Number of contents with the tag, approved or not",
)
# In index order, so that a tag of many contents costs no more than one of few.
_NEWEST = (
    f"SELECT l.content_id FROM {_LISTED} l WHERE l.kind = {_KIND_TAG} AND l.owner_id = s.id "
    f"ORDER BY l.is_checked DESC, l.add_date DESC, l.content_id DESC LIMIT {_MAX_LISTED}"
)
TAG = Table(
    "siteserver_Tag",
    _TAG,
    (
        _integer("Id", "id", "Id of the tag"),
        _integer("SiteId", "site_id", "Site"),
        Column(
            "ContentIdCollection",
            ValueKind.TEXT,
            sqlite=f"COALESCE((SELECT group_concat(f.content_id, ',') FROM ({_NEWEST}) f), '')",
            postgresql=f"array_to_string(ARRAY({_NEWEST}), ',')",
            reads=(
                (_TAG, "id"),
                *((_LISTED, name) for name in ("content_id", "kind", "owner_id", "is_checked", "add_date")),
            ),
            meaning=f"Ids of contents with the tag, comma-separated: at most {_MAX_LISTED}, approved and newest first",
        ),
        _text("Tag", "tag_name", "Name"),
        _USE_NUM,
    ),
    site="site_id",
    meaning="Tags, as in older versions.",
)
CONTENT_TAG = Table(
    "siteserver_ContentTag",
    _TAG,
    (
        _integer("Id", "id", "Id of the tag"),
        _text("TagName", "tag_name", "Name"),
        _integer("SiteId", "site_id", "Site"),
        _USE_NUM,
    ),
    site="site_id",
    meaning="Tags, as in newer versions.",
)

# ---- People: closed unless the setting opens them, and never with password, salt, e-mail or mobile number

_USER = "accounts_user"
USER = Table(
    "siteserver_User",
    _USER,
    (
        _integer("Id", "id", "Id of the user"),
        _text("UserName", "user_name", "Name for signing in"),
        _date("CreateDate", "create_date", "Created"),
        _date("LastResetPasswordDate", "last_reset_password_date", "Password last changed"),
        _date("LastActivityDate", "last_activity_date", "Last active, NULL for never"),
        _integer("CountOfLogin", "count_of_login", "Sign-ins"),
        _integer("CountOfFailedLogin", "count_of_failed_login", "Failed sign-ins in a row"),
        _integer("CountOfWriting", "count_of_writing", "Contributions"),
        _flag("IsChecked", (_USER, "is_checked"), "Approved"),
        _flag("IsLockedOut", (_USER, "is_locked_out"), "Locked"),
        _text("DisplayName", "display_name", "Display name"),
        _text("AvatarUrl", "avatar_url", "Picture"),
        _text("Organization", "organization", "Organization"),
        _text("Department", "department", "Department"),
        _text("Position", "position", "Position"),
        _text("Gender", "gender", "Gender"),
        _text("Birthday", "birthday", "Birthday, as entered"),
        _text("Education", "education", "School"),
        _text("Graduation", "graduation", "Degree"),
        _text("Address", "address", "Address"),
        _text("WeiXin", "wei_xin", "WeChat name"),
        _text("Qq", "qq", "QQ number"),
        _text("WeiBo", "wei_bo", "Weibo name"),
        _text("Interests", "interests", "Interests"),
        _text("Signature", "signature", "Signature"),
    ),
    meaning="Users, without password, email address and mobile number.",
)

_ADMINISTRATOR = "accounts_administrator"
ADMINISTRATOR = Table(
    "siteserver_Administrator",
    _ADMINISTRATOR,
    (
        _integer("Id", "id", "Id of the administrator"),
        _text("UserName", "user_name", "Name for signing in"),
        _date("CreationDate", "creation_date", "Created"),
        _date("LastActivityDate", "last_activity_date", "Last active, NULL for never"),
        _date("LastChangePasswordDate", "last_change_password_date", "Password last changed"),
        _integer("CountOfLogin", "count_of_login", "Sign-ins"),
        _integer("CountOfFailedLogin", "count_of_failed_login", "Failed sign-ins in a row"),
        _text("CreatorUserName", "creator_user_name", "Who created the account"),
        _flag("IsLockedOut", (_ADMINISTRATOR, "is_locked_out"), "Locked"),
        _text("SiteIdCollection", "site_id_collection", "Ids of the sites managed, comma-separated"),
        _integer("SiteId", "site_id", "Last used site"),
        _integer("DepartmentId", "department_id", "Department"),
        _integer("AreaId", "area_id", "Area"),
        _text("DisplayName", "display_name", "Display name"),
    ),
    meaning="Administrators, without password, email address and mobile number.",
)

TABLES = (SITE, CHANNEL, CONTENT, GROUP, TAG, CONTENT_TAG, USER, ADMINISTRATOR)
_BY_NAME = {table.name.casefold(): table for table in TABLES}


def choose_tables(names: Iterable[str]) -> tuple[Table, ...]:
    """Return the tables of these names in any letter case, each once. Raise ValueError for an unknown name."""
    folded = {name.strip().casefold(): name for name in names if name.strip()}
    for name in folded.keys() - _BY_NAME.keys():
        known = ", ".join(table.name for table in TABLES)
        raise ValueError(f'There is no table "{folded[name]}"; available tables: {known}.')
    return tuple(table for table in TABLES if table.name.casefold() in folded)


def as_markdown(tables: Sequence[Table]) -> str:
    sections = []
    for table in tables:
        notes = "" if table.site else " They belong to no site, so keys limited to sites cannot see them."
        lines = [
            f"### {table.name}\n",
            f"{table.meaning}{notes}\n",
            "| Column | Kind | Meaning |",
            "|---|---|---|",
        ]
        for column in table.columns:
            meaning = column.meaning if column.in_star else f"{column.meaning}; not part of `*`"
            lines.append(f"| `{column.name}` | {column.kind.value} | {meaning} |")
        sections.append("\n".join(lines) + "\n")
    return "\n".join(sections)
