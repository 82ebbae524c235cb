"""An installation of v6 as v7 stores it."""

import json

from tests.migration.installations.encryption import escaped
from tests.migration.installations.tables import Table, columns_of

_FIRST = columns_of("Guid s50, ExtendValues t, CreatedDate d, LastModifiedDate d")
_RENAMED = {
    "Site": {"IsRoot": "Root", "SettingsXml": "ExtendValues"},
    "Channel": {"GroupNameCollection": "GroupNames"},
    "Config": {"SystemConfig": "ExtendValues"},
    "Administrator": {"CreationDate": "CreatedDate", "IsLockedOut": "Locked", "SiteIdCollection": "SiteIds"},
    "User": {"CreateDate": "CreatedDate", "IsChecked": "Checked", "IsLockedOut": "Locked"}
    | {"SettingsXml": "ExtendValues"},
    "SitePermissions": {"ChannelIdCollection": "ChannelIds", "ChannelPermissions": "ContentPermissions"}
    | {"WebsitePermissions": "Permissions"},
    "PermissionsInRoles": {"GeneralPermissions": "AppPermissions"},
    "TableStyle": {"IsVisibleInList": "List", "IsHorizontal": "Horizontal"},
    "Tag": {"Tag": "TagName", "ContentIdCollection": "ContentIds"},
    "Template": {"IsDefault": "DefaultTemplate"},
    "ContentCheck": {"IsChecked": "Checked"},
}
_CONTENT = {
    "GroupNameCollection": "GroupNames",
    "Tags": "TagNames",
    "IsChecked": "Checked",
    "IsTop": "Top",
    "IsRecommend": "Recommend",
    "IsHot": "Hot",
    "IsColor": "Color",
    "Content": "Body",
    "SettingsXml": "ExtendValues",
    "LastEditDate": "LastModifiedDate",
    "LastEditUserName": "LastEditAdminId",
}
_DROPPED = {
    *("AddUserName", "HitsByDay", "HitsByWeek", "HitsByMonth", "LastHitsDate", "ContentRelatedPluginIds"),
    *("IsLastNode", "IsInitialized", "RateLimit", "UpdatedDate", "Charset"),
    *("Gender", "Birthday", "WeiXin", "Qq", "WeiBo"),
}
_LEFT_OUT = ("siteserver_TableStyleItem", "siteserver_UserMenu", "siteserver_ContentTag")
_TABLE_NAMES = {"siteserver_Tag": "siteserver_ContentTag"}
_FLAGS = {"true": True, "false": False}


def as_version7(tables):
    """Return the tables under the names of v7.4, with real flags; names of content tables stay."""
    admin_ids = {row["UserName"]: row["Id"] for row in tables["siteserver_Administrator"].rows}
    made = {
        _TABLE_NAMES.get(name, name): _table_of(name, table, admin_ids)
        for name, table in tables.items()
        if name not in _LEFT_OUT
    }
    styles, items = made["siteserver_TableStyle"], tables["siteserver_TableStyleItem"]
    return made | {"siteserver_TableStyle": Table(styles.columns, lambda: _with_items(styles, items))}


def is_content_table(table):
    return {"ReferenceId", "Taxis"} <= table.columns.keys()


def _table_of(name, table, admin_ids):
    renamed = _CONTENT if is_content_table(table) else _RENAMED.get(name.removeprefix("siteserver_"), {})
    columns = {"Id": "i"} | _FIRST
    columns |= {
        renamed.get(column, column): _kind_of(column, kind)
        for column, kind in table.columns.items()
        if column not in _DROPPED
    }
    if name == "siteserver_Channel":
        columns["TableName"] = "s500"

    def rows():
        for row in table.rows:
            yield _row_of(row, table, renamed, admin_ids)

    return Table(columns, rows)


def _kind_of(column, kind):
    if column == "LastEditUserName":
        return "i"
    return {"f": "b"}.get(kind, "s500" if kind.startswith("s") else kind)


def _row_of(row, table, renamed, admin_ids):
    guid = f"00000000-0000-4000-8000-{row['Id']:012x}"
    made = {"Guid": guid, "CreatedDate": row.get("AddDate"), "LastModifiedDate": row.get("AddDate")}
    for column, value in row.items():
        if column in _DROPPED:
            continue
        if column == "LastEditUserName":
            value = admin_ids.get(value, 0)
        elif table.columns[column] == "f":
            value = _FLAGS.get((value or "").lower())
        elif value and column in _REWRITTEN:
            value = _REWRITTEN[column](value)
        made[renamed.get(column, column)] = value
    return made | ({"TableName": "plugin_Pictures"} if row.get("ContentModelPluginId") else {})


def _tag_names(text):
    """Return the tags of v6 separated by commas."""
    quoted = text.split('"')
    names = [name for part in quoted[::2] for name in part.replace(",", " ").replace(";", " ").split()]
    return ",".join([*names, *quoted[1::2]])


_REWRITTEN = {
    "Tags": _tag_names,
    "Password": escaped,
    "ChannelPermissions": lambda text: (
        text.replace("cms_contentC", "content_c")
        .replace("cms_contentA", "content_a")
        .replace("cms_contentV", "content_v")
        .replace("cms_contentE", "content_e")
    ),
    "WebsitePermissions": lambda text: text.replace("site_contentsTrash", "site_contentsRecycle"),
    "GeneralPermissions": lambda text: text.replace("settings_user", "app_user"),
    "DatabaseVersion": lambda text: "7.4.0",
}


def _with_items(styles, items):
    of_style = {}
    for item in items.rows:
        chosen = {"label": item["ItemTitle"], "value": item["ItemValue"], "selected": item["IsSelected"] == "True"}
        of_style.setdefault(item["TableStyleId"], []).append(chosen)
    for row in styles.rows:
        found = json.dumps(of_style.get(row["Id"], []), ensure_ascii=False)
        yield row | {"ExtendValues": f'{{"itemValues":{json.dumps(found)}}}'}
