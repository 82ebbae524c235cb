"""A small installation of SiteServer 6.15: a root site, and one whose contents have the same numbers."""

from tests.migration.installations.encryption import SALT, encrypted_password, encrypted_token
from tests.migration.installations.tables import listed
from tests.migration.installations.version6 import COLUMNS, CONTENT

API_KEY = "0b8f5c52-7f0e-4c0a-9d3f-2a6c1de0a111"  # as clients send it
PASSWORD = "港口 Pass+word/1?"  # of every account
_DAY, _NEVER = "2019-03-01 10:20:30", "1754-01-01 00:00:00"
_SECRET = {"Password": encrypted_password(PASSWORD), "PasswordFormat": "Encrypted", "PasswordSalt": SALT}


def small_tables():
    """Return all tables of 6.15; tables without rows below are empty."""
    rows = {f"siteserver_{name}": [{"Id": i} | row for i, row in enumerate(rows, 1)] for name, rows in _ROWS.items()}
    own = {
        "siteserver_Content_1": listed(CONTENT, _contents(1, _ROOT_CONTENTS)),
        "siteserver_Content_36": listed(CONTENT | {"Region": "s50", "Price": "n"}, _contents(36, _NEWS_CONTENTS)),
    }
    return {name: listed(columns, rows.get(name, [])) for name, columns in COLUMNS.items()} | own


def _channel(channel_id, site_id, parent_id, taxis, name, **more):
    empty = dict.fromkeys(("ContentModelPluginId", "Content", "FilePath", "LinkUrl", "GroupNameCollection"), "")
    place = {"Id": channel_id, "SiteId": site_id, "ParentId": parent_id, "Taxis": taxis, "ChannelName": name}
    return empty | place | {"AddDate": _DAY, "LinkType": "None", "IndexName": "", "ExtendValues": "{}"} | more


def _contents(site_id, rows):
    common = dict.fromkeys(
        ("GroupNameCollection", "Tags", "LinkUrl", "SubTitle", "ImageUrl", "VideoUrl", "FileUrl"), ""
    )
    common |= dict.fromkeys(("AdminId", "UserId", "SourceId", "ReferenceId", "CheckedLevel", "Downloads", "Hits"), 0)
    common |= dict.fromkeys(("IsTop", "IsRecommend", "IsHot", "IsColor"), "False") | {"IsChecked": "True"}
    common |= {"SiteId": site_id, "AddUserName": "admin", "LastEditUserName": "admin", "SettingsXml": "{}"}
    common |= {"AddDate": "2019-03-02 10:20:30", "LastEditDate": "2019-03-03 10:20:30", "LastHitsDate": _NEVER}
    common |= {"Content": "<p>正文</p>", "Summary": "", "Author": "", "Source": "", "AdminId": 1}
    return [common | {"Taxis": row["Id"]} | row for row in rows]


_ROOT_CONTENTS = [
    {
        "Id": 1,
        "ChannelId": 2,
        "Title": "年度报告",
        "GroupNameCollection": "推荐",
        "Tags": '年报 "华东 地区"',
        "Hits": 31,
        "Downloads": 4,
        "LastHitsDate": "2020-05-30 12:00:00",
        "ImageUrl": "@/upload/images/2019/3/1.jpg",
        "Content": '<p><img src="@upload/images/2019/3/1.jpg"></p>',
        "SettingsXml": '{"imageUrl_Extend":"@/upload/images/2019/3/2.jpg","titleFormatString":"True_False_False_#f00"}',
    },
    {"Id": 2, "ChannelId": 2, "Title": "置顶：搬迁公告", "Taxis": 2_000_000_001, "IsTop": "True", "IsColor": "True"},
    {"Id": 3, "ChannelId": -2, "Title": "已删除的稿件"},  # in the trash
    {"Id": 4, "ChannelId": 3, "Title": "港口简介", "IsChecked": "False", "CheckedLevel": 1},
    {"Id": 5, "ChannelId": 3, "Title": "预览稿", "SourceId": -99},
    {"Id": 7, "ChannelId": 99, "Title": "栏目已删除"},  # an orphan
]
_NEWS_CONTENTS = [
    {"Id": 1, "ChannelId": 37, "Title": "同号的另一篇", "AddUserName": "editor", "AdminId": 2, "Region": "华东"},
    {
        "Id": 2,
        "ChannelId": 38,
        "Title": "潮汐“早报”",
        "IsHot": "True",
        "Content": "<p>It's 中文，emoji 😀</p>",
        "Price": "12.50",
    },
    {
        "Id": 3,
        "ChannelId": 38,
        "Title": "引用国内稿件",
        "SourceId": 37,
        "ReferenceId": 1,
        "Content": "",
        "SettingsXml": '{"translateContentType":"Reference"}',
    },
    {
        "Id": 6,
        "ChannelId": 38,
        "Title": "年代不明",
        "AddDate": _NEVER,
        "IsChecked": None,
        "SettingsXml": None,
        "Summary": None,
        "LinkUrl": None,
    },
]
_ROWS = {
    "Config": [{"IsInitialized": "True", "DatabaseVersion": "6.15.51", "UpdateDate": _DAY, "SystemConfig": "{}"}],
    "Site": [
        {
            "Id": 1,
            "SiteName": "总站",
            "SiteDir": "",
            "TableName": "siteserver_Content_1",
            "IsRoot": "True",
            "ParentId": 0,
            "Taxis": 1,
            "SettingsXml": '{"isSeparatedWeb":false,"checkContentLevel":2,"copyright":"版权所有 & 保留"}',
        },
        {
            "Id": 36,
            "SiteName": "新闻站",
            "SiteDir": "news",
            "TableName": "siteserver_Content_36",
            "IsRoot": "False",
            "ParentId": 0,
            "Taxis": 2,
            "SettingsXml": "isseparatedweb=False&checkcontentlevel=1&copyright=甲_and_乙",
        },
    ],
    "Channel": [
        _channel(1, 1, 0, 1, "首页"),
        _channel(2, 1, 1, 2, "公告", IndexName="news", GroupNameCollection="导航,首页栏目"),
        _channel(3, 1, 1, 3, "关于我们", IndexName="about", LinkType="LinkToFirstContent"),
        _channel(36, 36, 0, 1, "新闻首页"),
        _channel(
            37, 36, 36, 2, "国内", IndexName="cn", ContentFilePathRule="/cn/{@contentId}.html", ContentTemplateId=2
        ),
        _channel(38, 36, 37, 3, "财经", IndexName="CN", FilePath="/finance/index.html"),  # the same index name
    ],
    "ChannelGroup": [{"GroupName": "导航", "SiteId": 1, "Taxis": 1, "Description": ""}],
    "ContentGroup": [
        {"GroupName": "推荐", "SiteId": 1, "Taxis": 1, "Description": "首页推荐"},
        {"GroupName": "专题", "SiteId": 36, "Taxis": 1},
    ],
    "Tag": [
        {"SiteId": 1, "ContentIdCollection": "1", "Tag": "年报", "UseNum": 1},
        {"SiteId": 36, "ContentIdCollection": "", "Tag": "潮汐", "UseNum": 0},
    ],
    "TableStyle": [
        {
            "RelatedIdentity": 36,
            "TableName": "siteserver_Content_36",
            "AttributeName": "Region",
            "Taxis": 30,
            "DisplayName": "地区",
            "InputType": "SelectOne",
            "IsVisibleInList": "True",
            "ExtendValues": "{}",
        }
    ],
    "TableStyleItem": [
        {"TableStyleId": 1, "ItemTitle": "华东", "ItemValue": "华东", "IsSelected": "True"},
        {"TableStyleId": 1, "ItemTitle": "华南", "ItemValue": "华南", "IsSelected": "False"},
    ],
    "Template": [
        {"SiteId": 1, "TemplateName": "首页", "TemplateType": "IndexPageTemplate", "RelatedFileName": "T_首页.html"}
        | {"CreatedFileFullName": "@/index.html", "IsDefault": "True"},
        {"SiteId": 36, "TemplateName": "内容", "TemplateType": "ContentTemplate", "RelatedFileName": "T_内容.html"}
        | {"CreatedFileFullName": "index.html", "IsDefault": "True"},
    ],
    "Role": [{"RoleName": "新闻编辑", "CreatorUserName": "admin", "Description": ""}],
    "AdministratorsInRoles": [
        {"RoleName": "ConsoleAdministrator", "UserName": "admin"},
        {"RoleName": "Administrator", "UserName": "admin"},
        {"RoleName": "新闻编辑", "UserName": "editor"},
        {"RoleName": "Administrator", "UserName": "editor"},
    ],
    "PermissionsInRoles": [{"RoleName": "新闻编辑", "GeneralPermissions": "settings_user"}],
    "SitePermissions": [
        {
            "RoleName": "新闻编辑",
            "SiteId": 36,
            "ChannelIdCollection": "37,38",
            "ChannelPermissions": "cms_contentView,cms_contentAdd,cms_contentEdit,cms_contentCheckLevel1",
            "WebsitePermissions": "site_contents,site_contentsTrash",
        }
    ],
    "Administrator": [
        _SECRET
        | {"UserName": "admin", "DisplayName": "admin", "CreationDate": _DAY, "CountOfLogin": 3}
        | {"IsLockedOut": "False", "SiteIdCollection": "", "Email": "admin@example.com", "Mobile": "13800000000"},
        _SECRET
        | {"UserName": "editor", "CreationDate": _DAY, "IsLockedOut": "False", "CountOfFailedLogin": 2}
        | {"SiteIdCollection": "36", "SiteId": 36, "Email": "", "Mobile": ""},
    ],
    "UserGroup": [{"GroupName": "投稿人", "AdminName": "editor"}],
    "User": [
        _SECRET
        | {"UserName": "member1", "CreateDate": _DAY, "IsChecked": "True", "IsLockedOut": "False", "GroupId": 1}
        | {"Email": "member1@example.com", "Mobile": "13900000000", "SettingsXml": '{"organization":"Harbour"}'},
    ],
    "UserLog": [
        {"UserName": "member1", "IpAddress": "127.0.0.1", "AddDate": _DAY, "Action": "用户登录", "Summary": ""}
    ],
    "UserMenu": [{"SystemId": "", "IsDisabled": True, "ParentId": 0, "Taxis": 1, "Text": "投稿"}],
    "AccessToken": [
        {
            "Title": "门户网站",
            "Token": encrypted_token(API_KEY),
            "AdminName": "admin",
            "Scopes": "Channels,Contents,STL",
        }
        | {"RateLimit": 0, "AddDate": _DAY, "UpdatedDate": _DAY},
    ],
}
