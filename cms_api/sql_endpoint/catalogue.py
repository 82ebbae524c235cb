"""The virtual tables that clients' statements may read, by the original's names (original-behaviour §11).

Plain data without Django: a process that runs statements loads it. Nothing secret has a column here, so that
no statement can name it.
"""

from collections.abc import Iterable, Sequence

from cms_api.lib.settings_text import ESCAPES
from cms_api.lib.sql_sandbox.catalogue import Column, Kind, Table

CONTENTS = "siteserver_Content"
OPEN_BY_DEFAULT = (
    "siteserver_Site",
    "siteserver_Channel",
    CONTENTS,
    "siteserver_ContentGroup",
    "siteserver_Tag",
    "siteserver_ContentTag",
)
# The functions that expressions for SQLite call; its authorizer has to let them pass.
SQLITE_FUNCTIONS = frozenset({"char", "coalesce", "group_concat", "lower", "replace", "sum"})
_MAX_LISTED = 250  # ids in a tag's ContentIdCollection, which has 2000 characters in the original

# A column of a real table.
Source = tuple[str, str]


def _integer(name: str, source: str, meaning: str) -> Column:
    return Column(name, Kind.INTEGER, source, meaning=meaning)


def _text(name: str, source: str, meaning: str, is_long: bool = False) -> Column:
    return Column(name, Kind.TEXT, source, is_long=is_long, meaning=meaning)


def _date(name: str, source: str, meaning: str) -> Column:
    # Stored to the second by whatever writes; so SQLite's text is the wire form, and its indexes serve.
    return Column(name, Kind.DATE, source, meaning=meaning)


def _flag(name: str, source: Source, meaning: str) -> Column:
    return _computed(name, Kind.FLAG, f"CASE WHEN s.{source[1]} THEN 'True' ELSE 'False' END", (source,), meaning)


def _or_zero(name: str, source: Source, meaning: str) -> Column:
    return _computed(name, Kind.INTEGER, f"COALESCE(s.{source[1]}, 0)", (source,), meaning)


def _computed(
    name: str,
    kind: Kind,
    sql: str,
    reads: tuple[Source, ...],
    meaning: str,
    is_long: bool = False,
    in_star: bool = True,
) -> Column:
    """A column that is the same expression for both engines."""
    return Column(
        name, kind, sqlite=sql, postgresql=sql, reads=reads, is_long=is_long, in_star=in_star, meaning=meaning
    )


# ---- siteserver_Site


def _escaped(sql: str) -> str:
    """SQLite's expression with the special characters of a settings text as words (cms_api.lib.settings_text)."""
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
        Kind.TEXT,
        sqlite=f"COALESCE((SELECT group_concat(p.pair, '&') FROM ({in_order}) p), '')",
        postgresql="s.settings_text",  # a column that PostgreSQL alone has
        reads=((_SITE, "settings"), *(("json_each", member) for member in ("key", "value", "type"))),
        is_long=True,
        meaning="The settings that differ from their defaults, and custom ones: `name=value` joined by `&`",
    )


_SITE = "cms_sites_site"
SITE = Table(
    "siteserver_Site",
    _SITE,
    (
        _integer("Id", "id", "Number of the site, and of its home channel"),
        _text("SiteName", "site_name", "Name"),
        _text("SiteDir", "site_dir", "Folder; empty for a root site without one"),
        _text("TableName", "table_name", "Name under which the site's contents can be read"),
        _flag("IsRoot", (_SITE, "is_root"), "Root site"),
        _or_zero("ParentId", (_SITE, "parent_id"), "Site above, 0 at the top"),
        _integer("Taxis", "taxis", "Sort order"),
        _settings_pairs(),
    ),
    site="id",
    meaning="Sites.",
)

# ---- siteserver_Channel

_CONTENT = "contents_content"
_CHANNEL = "channels_app_channel"
_COUNTED = "contents_listedcount"
_KIND_CHANNEL = 0  # contents.models.ListKind.CHANNEL
_NOT_TRASHED = "s.trashed_at IS NULL"


def _settings_json() -> Column:
    return Column(
        "ExtendValues",
        Kind.JSON,
        sqlite="s.settings",
        postgresql="s.settings_text",
        reads=((_CHANNEL, "settings"),),
        is_long=True,
        meaning="The settings that differ from their defaults, and custom fields",
    )


def _content_num() -> Column:
    # The list of a channel holds the contents below it, too; so what its children's lists hold is taken off.
    counted = f"SELECT n.contents FROM {_COUNTED} n WHERE n.kind = {_KIND_CHANNEL} AND n.owner_id = s.id"
    below = (
        f"SELECT -n.contents FROM {_CHANNEL} k JOIN {_COUNTED} n ON n.kind = {_KIND_CHANNEL} AND n.owner_id = k.id "
        "WHERE k.parent_id = s.id"
    )
    total = f"SELECT CAST(sum(u.contents) AS bigint) FROM ({counted} UNION ALL {below}) u"
    return _computed(
        "ContentNum",
        Kind.INTEGER,
        f"COALESCE(({total}), 0)",
        (
            *((_CHANNEL, name) for name in ("id", "parent_id")),
            *((_COUNTED, name) for name in ("contents", "kind", "owner_id")),
        ),
        "Contents of the channel itself, approved or not",
        in_star=False,
    )


CHANNEL = Table(
    "siteserver_Channel",
    _CHANNEL,
    (
        _integer("Id", "id", "Number of the channel"),
        _text("ChannelName", "channel_name", "Name"),
        _integer("SiteId", "site_id", "Site"),
        _text("ContentModelPluginId", "content_model_plugin_id", "Content model extension"),
        _text("ContentRelatedPluginIds", "content_related_plugin_ids", "Related extensions"),
        _or_zero("ParentId", (_CHANNEL, "parent_id"), "Channel above, 0 for the home channel"),
        _text("ParentsPath", "parents_path", "Ids of the channels above, the home channel first"),
        _integer("ParentsCount", "parents_count", "Depth, 0 for the home channel"),
        _integer("ChildrenCount", "children_count", "Direct children"),
        _flag("IsLastNode", (_CHANNEL, "is_last_node"), "Last among its siblings"),
        _text("IndexName", "index_name", "Index, unique in the site"),
        _text("GroupNameCollection", "group_name_collection", "Groups, comma-separated"),
        _integer("Taxis", "taxis", "Place in the tree, counted from the home channel"),
        _date("AddDate", "add_date", "Added"),
        _text("ImageUrl", "image_url", "Image"),
        _text("Content", "content", "Body, markup", is_long=True),
        _content_num(),
        _text("FilePath", "file_path", "Path of the page"),
        _text("ChannelFilePathRule", "channel_file_path_rule", "Names pages of channels"),
        _text("ContentFilePathRule", "content_file_path_rule", "Names pages of contents"),
        _text("LinkUrl", "link_url", "External link"),
        _text("LinkType", "link_type", "What the channel links to"),
        _integer("ChannelTemplateId", "channel_template_id", "Channel template"),
        _integer("ContentTemplateId", "content_template_id", "Content template"),
        _text("Keywords", "keywords", "Keywords, comma-separated"),
        _text("Description", "description", "Page description", is_long=True),
        _settings_json(),
    ),
    site="site_id",
    present=_NOT_TRASHED,
    reads=((_CHANNEL, "trashed_at"),),
    meaning="Channels that are not in the trash.",
)

# ---- siteserver_Content

_BODY = "contents_contentbody"


def _body() -> Column:
    return _computed(
        "Content",
        Kind.TEXT,
        f"COALESCE((SELECT b.text FROM {_BODY} b WHERE b.content_id = s.id), '')",
        ((_CONTENT, "id"), (_BODY, "content_id"), (_BODY, "text")),
        "Body, markup; read only where it is asked for",
        is_long=True,
    )


CONTENT = Table(
    CONTENTS,
    _CONTENT,
    (
        _integer("Id", "id", "Number of the content"),
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
            "Content that it was copied from, channel that a reference came from, or a negative code",
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
            Kind.JSON,
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
        _text("ImageUrl", "image_url", "Image, as it is stored: `@/` stands for the site's address"),
        _text("VideoUrl", "video_url", "Video"),
        _text("FileUrl", "file_url", "Attachment"),
        _body(),
        _text("Summary", "summary", "Summary", is_long=True),
        _text("Author", "author", "Author"),
        _text("Source", "source", "Source"),
    ),
    site="site_id",
    present=_NOT_TRASHED,
    reads=((_CONTENT, "trashed_at"),),
    meaning="Contents that are not in the trash. The TableName of a site is a name for the contents of that site.",
)

# ---- Groups and tags

_GROUP = "contents_contentgroup"
GROUP = Table(
    "siteserver_ContentGroup",
    _GROUP,
    (
        _integer("Id", "id", "Number of the group"),
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


def _use_num() -> Column:
    # Each connection counts in a slot of its own; sums of bigint are numeric in PostgreSQL.
    total = f"SELECT CAST(sum(n.contents) AS bigint) FROM {_COUNTED} n WHERE n.kind = {_KIND_TAG} AND n.owner_id = s.id"
    return _computed(
        "UseNum",
        Kind.INTEGER,
        f"COALESCE(({total}), 0)",
        ((_TAG, "id"), *((_COUNTED, name) for name in ("contents", "kind", "owner_id"))),
        "How many contents have the tag, approved or not",
    )


def _content_ids() -> Column:
    # The order of an index, so that a tag of very many contents costs no more than one of few.
    newest = (
        f"SELECT l.content_id FROM {_LISTED} l WHERE l.kind = {_KIND_TAG} AND l.owner_id = s.id "
        f"ORDER BY l.is_checked DESC, l.add_date DESC, l.content_id DESC LIMIT {_MAX_LISTED}"
    )
    return Column(
        "ContentIdCollection",
        Kind.TEXT,
        sqlite=f"COALESCE((SELECT group_concat(f.content_id, ',') FROM ({newest}) f), '')",
        postgresql=f"array_to_string(ARRAY({newest}), ',')",
        reads=(
            (_TAG, "id"),
            *((_LISTED, name) for name in ("content_id", "kind", "owner_id", "is_checked", "add_date")),
        ),
        meaning=f"Ids of contents with the tag, comma-separated: {_MAX_LISTED} at most, approved and new ones first",
    )


TAG = Table(
    "siteserver_Tag",
    _TAG,
    (
        _integer("Id", "id", "Number of the tag"),
        _integer("SiteId", "site_id", "Site"),
        _content_ids(),
        _text("Tag", "tag_name", "Name"),
        _use_num(),
    ),
    site="site_id",
    meaning="Tags, as older versions have them.",
)
CONTENT_TAG = Table(
    "siteserver_ContentTag",
    _TAG,
    (
        _integer("Id", "id", "Number of the tag"),
        _text("TagName", "tag_name", "Name"),
        _integer("SiteId", "site_id", "Site"),
        _use_num(),
    ),
    site="site_id",
    meaning="Tags, as newer versions have them.",
)

# ---- People: closed unless the setting opens them, and never with password, salt, e-mail or mobile number

_USER = "accounts_user"
USER = Table(
    "siteserver_User",
    _USER,
    (
        _integer("Id", "id", "Number of the user"),
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
        _text("Birthday", "birthday", "Birthday, as it was entered"),
        _text("Education", "education", "School"),
        _text("Graduation", "graduation", "Degree"),
        _text("Address", "address", "Address"),
        _text("WeiXin", "wei_xin", "WeChat name"),
        _text("Qq", "qq", "QQ number"),
        _text("WeiBo", "wei_bo", "Weibo name"),
        _text("Interests", "interests", "Interests"),
        _text("Signature", "signature", "Signature"),
    ),
    meaning="Users, without password, e-mail address and mobile number.",
)

_ADMINISTRATOR = "accounts_administrator"
ADMINISTRATOR = Table(
    "siteserver_Administrator",
    _ADMINISTRATOR,
    (
        _integer("Id", "id", "Number of the administrator"),
        _text("UserName", "user_name", "Name for signing in"),
        _date("CreationDate", "creation_date", "Created"),
        _date("LastActivityDate", "last_activity_date", "Last active, NULL for never"),
        _date("LastChangePasswordDate", "last_change_password_date", "Password last changed"),
        _integer("CountOfLogin", "count_of_login", "Sign-ins"),
        _integer("CountOfFailedLogin", "count_of_failed_login", "Failed sign-ins in a row"),
        _text("CreatorUserName", "creator_user_name", "Who created the account"),
        _flag("IsLockedOut", (_ADMINISTRATOR, "is_locked_out"), "Locked"),
        _text("SiteIdCollection", "site_id_collection", "Ids of the sites looked after, comma-separated"),
        _integer("SiteId", "site_id", "Last used site"),
        _integer("DepartmentId", "department_id", "Department"),
        _integer("AreaId", "area_id", "Area"),
        _text("DisplayName", "display_name", "Display name"),
    ),
    meaning="Administrators, without password, e-mail address and mobile number.",
)

TABLES = (SITE, CHANNEL, CONTENT, GROUP, TAG, CONTENT_TAG, USER, ADMINISTRATOR)
_BY_NAME = {table.name.casefold(): table for table in TABLES}


def choose_tables(names: Iterable[str]) -> tuple[Table, ...]:
    """The tables of the names, in any letter case and without repetitions. Raises ValueError for an unknown name."""
    folded = {name.strip().casefold(): name for name in names if name.strip()}
    for name in folded.keys() - _BY_NAME.keys():
        known = ", ".join(table.name for table in TABLES)
        raise ValueError(f'There is no table "{folded[name]}"; those that can be opened are {known}.')
    return tuple(table for table in TABLES if table.name.casefold() in folded)


# ---- In words


def as_markdown(tables: Sequence[Table]) -> str:
    """The tables with their columns, kinds and meanings, as sections of a document."""
    return "\n".join(_section(table) for table in tables)


def _section(table: Table) -> str:
    notes = "" if table.site else " They belong to no site, so that keys limited to sites do not see them."
    rows = "\n".join(f"| `{column.name}` | {column.kind.value} | {_meaning(column)} |" for column in table.columns)
    return f"### {table.name}\n\n{table.meaning}{notes}\n\n| Column | Kind | Meaning |\n|---|---|---|\n{rows}\n"


def _meaning(column: Column) -> str:
    return column.meaning if column.in_star else f"{column.meaning}; not part of `*`"
