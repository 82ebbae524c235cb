"""The virtual tables of clients' statements, by SiteServer's names. Without Django; no column holds a secret."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from core.lib.settings_text import ESCAPES
from sql_sandbox.catalogue import Column, Table, ValueKind

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


_NOT_TRASHED = "s.trashed_at IS NULL"
_SITE = "cms_sites_site"
# For records without a state of their own.
_OF_PRESENT_SITE = f"(SELECT w.trashed_at IS NULL FROM {_SITE} w WHERE w.id = s.site_id)"
_SITE_READS = ((_SITE, "id"), (_SITE, "trashed_at"))
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
    present=_NOT_TRASHED,
    reads=((_SITE, "trashed_at"),),
    meaning="Sites that are not in the trash.",
)


_CONTENT = "contents_content"
_CHANNEL = "channels_app_channel"
_COUNTED = "contents_listedcount"
_KIND_CHANNEL, _KIND_GROUP, _KIND_TAG = 0, 1, 2  # contents.models.ListKind
_APPROVED = 1  # contents.flags.BITS["is_checked"]


def _count_reads(only: str) -> Reads:
    return tuple((_COUNTED, name) for name in ("contents", "kind", "owner_id", *(["flags"] if only else ())))


def _own_contents(only: str) -> str:
    # A channel's count includes the channels below, so its children's counts are subtracted.
    return (
        "SELECT CAST(sum(u.contents) AS bigint) FROM ("
        f"SELECT n.contents FROM {_COUNTED} n WHERE n.kind = {_KIND_CHANNEL} AND n.owner_id = s.id{only} UNION ALL "
        f"SELECT -n.contents FROM {_CHANNEL} k JOIN {_COUNTED} n ON n.kind = {_KIND_CHANNEL} AND n.owner_id = k.id"
        f"{only} WHERE k.parent_id = s.id) u"
    )


def _content_num(only: str, meaning: str) -> Column:
    reads = ((_CHANNEL, "id"), (_CHANNEL, "parent_id"), *_count_reads(only))
    sql = f"COALESCE(({_own_contents(only)}), 0)"
    return _computed("ContentNum", ValueKind.INTEGER, sql, reads, meaning, in_star=False)


_COUNTS_APPROVED = f" AND n.flags & {_APPROVED} = {_APPROVED}"


def _approved(table: Table, *columns: Column, **changes: Any) -> Table:
    """Return the table with its part for pages, where these columns replace columns of the same names."""
    own = {column.name: column for column in columns}
    shown = tuple(own.get(column.name, column) for column in table.columns)
    part = replace(table, columns=shown, view=f"{table.name.lower()}_approved", **changes)
    return replace(table, approved=part)


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
        _content_num("", "Contents of the channel itself, approved or not"),
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
CHANNEL = _approved(CHANNEL, _content_num(_COUNTS_APPROVED, "Approved contents of the channel itself"))


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
CONTENT = _approved(
    CONTENT, present=f"{_NOT_TRASHED} AND s.is_checked", reads=((_CONTENT, "trashed_at"), (_CONTENT, "is_checked"))
)


_LISTED = "contents_listedcontent"


def _in_use(kind: int, only: str = "") -> str:
    """Return the condition that a content outside the trash has the group or tag."""
    # Not EXISTS, which PostgreSQL may turn into a join that reads the lists of all tags.
    return f"(SELECT 1 FROM {_LISTED} l WHERE l.kind = {kind} AND l.owner_id = s.id{only} LIMIT 1) IS NOT NULL"


_LISTS_APPROVED = " AND l.is_checked"
_USE_READS = tuple((_LISTED, name) for name in ("kind", "owner_id"))
_READS_APPROVED = (_LISTED, "is_checked")

_GROUP = "contents_contentgroup"
# A group that only trashed contents name is hidden, too, unless it has a record of its own.
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
    present=f"(s.is_own AND {_OF_PRESENT_SITE} OR {_in_use(_KIND_GROUP)})",
    reads=((_GROUP, "id"), (_GROUP, "is_own"), (_GROUP, "site_id"), *_USE_READS, *_SITE_READS),
    meaning=(
        "Groups of contents: those of contents outside the trash, and those made or described in the admin for a site "
        "outside the trash."
    ),
)
GROUP = _approved(
    GROUP,
    present=f"(s.is_own AND {_OF_PRESENT_SITE} OR {_in_use(_KIND_GROUP, _LISTS_APPROVED)})",
    reads=(*GROUP.reads, _READS_APPROVED),
)

_TAG = "contents_contenttag"
_TAG_READS = ((_TAG, "id"), *_USE_READS)


def _use_num(only: str, meaning: str) -> Column:
    # Each connection counts in a slot of its own; sums of bigint are numeric in PostgreSQL.
    tagged = (
        f"SELECT CAST(sum(n.contents) AS bigint) FROM {_COUNTED} n WHERE n.kind = {_KIND_TAG} AND n.owner_id = s.id"
    )
    return _computed(
        "UseNum", ValueKind.INTEGER, f"COALESCE(({tagged}{only}), 0)", ((_TAG, "id"), *_count_reads(only)), meaning
    )


def _content_ids(only: str, meaning: str) -> Column:
    # In index order, so that a tag of many contents costs no more than one of few.
    newest = (
        f"SELECT l.content_id FROM {_LISTED} l WHERE l.kind = {_KIND_TAG} AND l.owner_id = s.id{only} "
        f"ORDER BY l.is_checked DESC, l.add_date DESC, l.content_id DESC LIMIT {_MAX_LISTED}"
    )
    return Column(
        "ContentIdCollection",
        ValueKind.TEXT,
        sqlite=f"COALESCE((SELECT group_concat(f.content_id, ',') FROM ({newest}) f), '')",
        postgresql=f"array_to_string(ARRAY({newest}), ',')",
        reads=(*_TAG_READS, _READS_APPROVED, (_LISTED, "content_id"), (_LISTED, "add_date")),
        meaning=f"Ids of contents with the tag, comma-separated: at most {_MAX_LISTED}, {meaning}",
    )


_USE_NUM = _use_num("", "Number of contents with the tag, approved or not")
_USE_NUM_APPROVED = _use_num(_COUNTS_APPROVED, "Number of approved contents with the tag")
TAG = Table(
    "siteserver_Tag",
    _TAG,
    (
        _integer("Id", "id", "Id of the tag"),
        _integer("SiteId", "site_id", "Site"),
        _content_ids("", "approved and newest first"),
        _text("Tag", "tag_name", "Name"),
        _USE_NUM,
    ),
    site="site_id",
    present=_in_use(_KIND_TAG),
    reads=_TAG_READS,
    meaning="Tags of contents outside the trash, as in older versions.",
)
TAG = _approved(
    TAG,
    _content_ids(_LISTS_APPROVED, "approved, newest first"),
    _USE_NUM_APPROVED,
    present=_in_use(_KIND_TAG, _LISTS_APPROVED),
    reads=(*_TAG_READS, _READS_APPROVED),
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
    present=_in_use(_KIND_TAG),
    reads=_TAG_READS,
    meaning="Tags of contents outside the trash, as in newer versions.",
)
CONTENT_TAG = _approved(
    CONTENT_TAG, _USE_NUM_APPROVED, present=_in_use(_KIND_TAG, _LISTS_APPROVED), reads=(*_TAG_READS, _READS_APPROVED)
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
