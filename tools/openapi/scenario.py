"""The requests that produce the examples of the OpenAPI document, sent in this order to a fresh sample site."""

import re
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

PASSWORD, NEW_PASSWORD = "lantern-27", "lighthouse8"
MD5_OF_PASSWORD = "697a0ed0a4563fabd05a2b0c8c915939"
MD5_OF_NEW_PASSWORD = "a3c5d6ca9a341a87cdfef22543d2703e"


@dataclass(frozen=True)
class Step:
    """One request, and the status that it must have.

    `{name}`, alone in a path, a header or a body, is a value of an earlier step: `gives` has its place in the response.
    """

    operation: str
    name: str
    summary: str
    path: dict[str, Any] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200
    gives: dict[str, str] = field(default_factory=dict)
    keeps_answer: bool = True


def member_at(place, answer):
    """Return the value at a path of a response, such as `value.id` or `contents[0].id`."""
    names = re.findall(r"\w+", place)
    return reduce(lambda part, name: part[int(name) if name.isdecimal() else name], names, answer)


_CONTENT = {"siteId": 1, "channelId": 11, "id": "{contentId}"}
_CHANNEL = {"siteId": 1, "channelId": "{channelId}"}
_USER, _ADMINISTRATOR = {"id": "{userId}"}, {"id": "{administratorId}"}
_STALE = {"If-Match": '"00000000000000000000000000000000"'}

CONTENTS = (
    Step("listContents", "first_page", "The first two contents of the site", body={"siteId": 1, "perPage": 2}),
    Step(
        "listContents",
        "rules",
        "Approved news by anybody but the press office, the latest first",
        body={
            "siteId": 1,
            "channelId": 11,
            "checked": True,
            "wheres": [{"column": "author", "operator": "!=", "value": "Press office"}],
            "orders": [{"column": "addDate", "desc": True}],
            "page": 1,
            "perPage": 1,
        },
    ),
    Step(
        "listContents",
        "groups_of_rules",
        "Title and hits of what many people read, or what is pinned, a page at a time by a cursor",
        body={
            "siteId": 1,
            "wheres": [
                {
                    "any": [
                        {"column": "hits", "operator": "Between", "value": "1000,5000"},
                        {"column": "isTop", "value": "True"},
                    ]
                },
                {"not": {"column": "title", "operator": "StartsWith", "value": "Draft"}},
            ],
            "orders": [{"column": "hits", "desc": True}],
            "fields": ["id", "title", "hits", "isTop"],
            "cursor": "",
            "count": "none",
            "perPage": 3,
        },
    ),
    Step(
        "listContents",
        "unknown_column",
        "A rule on a member that no content of the site has",
        body={"siteId": 1, "wheres": [{"column": "colour", "value": "red"}]},
        status=400,
    ),
    Step(
        "createContent",
        "news",
        "An approved item of the news",
        path={"siteId": 1, "channelId": 11},
        body={
            "title": "The library ship opens on Saturday",
            "content": "<p>Doors open at ten. 欢迎参观。</p>",
            "tags": "library,开放日",
            "isChecked": True,
            "venue": "Pier 3",
        },
        gives={"contentId": "value.id"},
    ),
    Step(
        "createContent",
        "without_title",
        "A content without its title",
        path={"siteId": 1, "channelId": 11},
        body={"summary": "Doors open at ten."},
        status=400,
    ),
    Step(
        "createContent",
        "unknown_channel",
        "A channel that the site does not have",
        path={"siteId": 1, "channelId": 999},
        body={"title": "Nowhere"},
        status=404,
    ),
    Step("getContent", "news", "The item that was created", path=_CONTENT),
    Step("getContent", "some_members", "Title and tags only", path=_CONTENT, query={"fields": "id,title,tags"}),
    Step(
        "getContent",
        "channel",
        "Title, and its channel",
        path=_CONTENT,
        query={"fields": "title,channelId", "include": "channel"},
    ),
    Step(
        "getContent",
        "unknown_content",
        "A number that no content has",
        path=_CONTENT | {"id": 999},
        status=404,
    ),
    Step("updateContent", "pin", "Pin it", path=_CONTENT, body={"isTop": True, "summary": "From Saturday, 10:00."}),
    Step(
        "updateContent",
        "wrong_flag",
        "A flag that is neither true nor false",
        path=_CONTENT,
        body={"isTop": "maybe"},
        status=400,
    ),
    Step(
        "updateContent",
        "changed_meanwhile",
        "Somebody else has changed it since it was read",
        path=_CONTENT,
        body={"title": "The library ship opens on Sunday"},
        headers=_STALE,
        status=412,
    ),
    Step(
        "updateContent",
        "scheduled",
        "Withdraw it on the first day of 2199",
        path=_CONTENT,
        body={"unpublishAt": "2199-01-01 08:00:00"},
    ),
    Step(
        "createContent",
        "invalid_schedule",
        "It would end before it begins",
        path={"siteId": 1, "channelId": 11},
        body={"title": "Regatta", "publishAt": "2199-06-02", "unpublishAt": "2199-06-01"},
        status=400,
    ),
    Step(
        "listSchedules",
        "of_year",
        "Those of 2199",
        path={"siteId": 1},
        query={"from": "2199-01-01", "to": "2199-12-31"},
    ),
    Step("listFields", "of_site", "The custom fields of the site", path={"siteId": 1}),
    Step("getSchedule", "one", "When it is withdrawn", path=_CONTENT),
    Step("deleteSchedule", "one", "Leave it public", path=_CONTENT),
    Step("createPreview", "link", "A link for an hour", path=_CONTENT, gives={"previewToken": "value.token"}),
    Step("getPreview", "content", "What the link shows", path={"token": "{previewToken}"}),
    Step("getPreviewPage", "page", "The page of the link", path={"token": "{previewToken}"}, keeps_answer=False),
    Step("getPreview", "ended", "A link that has ended", path={"token": "ended"}, status=404),
    Step(
        "checkContents",
        "approve_two",
        "Approve two contents; the second one does not exist",
        body={
            "siteId": 1,
            "contents": [{"channelId": 11, "id": "{contentId}"}, {"channelId": 11, "id": 999}],
            "reasons": "Read.",
        },
    ),
    Step(
        "updateContent",
        "draft",
        "Change its draft, while the public version stays",
        path=_CONTENT,
        body={"isDraft": True, "title": "The library ship opens on Sunday"},
    ),
    Step("getContent", "draft", "Its draft", path=_CONTENT, query={"version": "draft"}),
    Step("updateContent", "publish_draft", "Publish it", path=_CONTENT, body={"isDraft": True, "isChecked": True}),
    Step("getContent", "no_draft", "Its draft is gone", path=_CONTENT, query={"version": "draft"}, status=404),
    Step(
        "checkContents",
        "unknown_site",
        "A site that does not exist",
        body={"siteId": 999, "contents": []},
        status=400,
    ),
    Step(
        "checkContentsByAction",
        "approve_one",
        "Approve one content",
        body={"siteId": 1, "contents": [{"channelId": 11, "id": "{contentId}"}]},
    ),
    Step(
        "createContents",
        "two",
        "Two items of the news",
        path={"siteId": 1, "channelId": 11},
        body={"contents": [{"title": "Fog over the harbour"}, {"title": "Ferries run late", "isChecked": True}]},
        gives={"firstId": "contents[0].id", "secondId": "contents[1].id"},
    ),
    Step(
        "createContents",
        "without_title",
        "The second one has no title, so that neither is created",
        path={"siteId": 1, "channelId": 11},
        body={"contents": [{"title": "Fog over the harbour"}, {"summary": "Until noon."}]},
        status=400,
    ),
    Step(
        "createContents",
        "each_by_itself",
        "The settings of the second one cannot be read; the first one is created, and only ids and titles are returned",
        path={"siteId": 1, "channelId": 11},
        body={
            "contents": [{"title": "Fog until noon"}, {"title": "Fog until one", "settingsXml": "{"}],
            "atomic": False,
            "fields": ["id", "title"],
        },
        gives={"thirdId": "results[0].content.id"},
    ),
    Step(
        "updateContents",
        "pin",
        "Pin one of them",
        path={"siteId": 1, "channelId": 11},
        body={"contents": [{"id": "{firstId}", "isTop": True}]},
    ),
    Step(
        "checkContentsOfChannel",
        "approve",
        "Approve it",
        path={"siteId": 1, "channelId": 11},
        body={"ids": ["{firstId}"], "reasons": "Read."},
    ),
    Step(
        "moveContents",
        "to_another_channel",
        "Move it to another channel",
        path={"siteId": 1, "channelId": 11},
        body={"ids": ["{firstId}"], "targetChannelId": 12},
    ),
    Step(
        "deleteContents",
        "one",
        "Delete it there",
        path={"siteId": 1, "channelId": 12},
        body={"ids": ["{firstId}"]},
    ),
    Step(
        "deleteContents",
        "each_by_itself",
        "The last one is gone already; the others are deleted",
        path={"siteId": 1, "channelId": 11},
        body={"ids": ["{secondId}", "{thirdId}", "{firstId}"], "atomic": False, "fields": ["id"]},
    ),
    Step(
        "listContentsOfSite",
        "read_much",
        "Contents that many people read, the most first",
        path={"siteId": 1},
        query={"isHot": "true", "orderBy": "Hits DESC", "top": "2"},
    ),
    Step(
        "listContentsOfSite",
        "unknown_site",
        "A site that does not exist",
        path={"siteId": 999},
        status=404,
    ),
    Step(
        "searchContents",
        "ferries",
        "News about ferries, by their words, with counts by year",
        query={"q": "ferry tag:harbour", "siteId": 1, "facets": "year", "top": "1"},
    ),
    Step("suggestContents", "typing", "While a visitor types", query={"q": "fer", "siteId": 1}),
    Step(
        "listContentsOfChannel",
        "search",
        "News with library anywhere in the title",
        path={"siteId": 1, "channelId": 11},
        query={"title": "library", "like": "title", "top": "2"},
    ),
    Step(
        "deleteContent",
        "changed_meanwhile",
        "Somebody else has changed it since it was read",
        path=_CONTENT,
        headers=_STALE,
        status=412,
    ),
    Step("deleteContent", "news", "Delete it", path=_CONTENT),
    Step("deleteContent", "gone", "It is gone already", path=_CONTENT, status=404),
)

CHANNELS = (
    Step("listChannels", "tree", "The whole tree of the sample site", path={"siteId": 1}),
    Step("listChannels", "unknown_site", "A site that does not exist", path={"siteId": 999}, status=404),
    Step(
        "createChannel",
        "below_news",
        "A channel below the news",
        path={"siteId": 1},
        body={"parentId": 11, "channelName": "Lighthouse log", "indexName": "lighthouse"},
        gives={"channelId": "value.id"},
    ),
    Step(
        "createChannel",
        "name_taken",
        "An indexName that another channel has",
        path={"siteId": 1},
        body={"channelName": "Second log", "indexName": "lighthouse"},
        status=400,
    ),
    Step("getChannel", "log", "The channel that was created", path=_CHANNEL),
    Step(
        "getChannel", "unknown_channel", "A channel that does not exist", path=_CHANNEL | {"channelId": 999}, status=404
    ),
    Step(
        "updateChannel",
        "keywords",
        "Keywords, and that no contents may be added",
        path=_CHANNEL,
        body={"keywords": "lighthouse,log", "isContentAddable": False},
    ),
    Step("updateChannel", "blank_name", "A blank name", path=_CHANNEL, body={"channelName": " "}, status=400),
    Step(
        "updateChannel",
        "changed_meanwhile",
        "Somebody else has changed it since it was read",
        path=_CHANNEL,
        body={"channelName": "Log of the lighthouse"},
        headers=_STALE,
        status=412,
    ),
    Step("moveChannel", "to_the_top", "Before the first section", path=_CHANNEL, body={"parentId": 1, "before": 2}),
    Step(
        "moveChannel",
        "below_itself",
        "A channel cannot stand below itself",
        path=_CHANNEL,
        body={"parentId": "{channelId}"},
        status=400,
    ),
    Step(
        "moveChannel",
        "changed_meanwhile",
        "Somebody else has changed it since it was read",
        path=_CHANNEL,
        body={"before": None},
        headers=_STALE,
        status=412,
    ),
    Step(
        "deleteChannel",
        "changed_meanwhile",
        "Somebody else has changed it since it was read",
        path=_CHANNEL,
        headers=_STALE,
        status=412,
    ),
    Step("deleteChannel", "log", "Delete the channel", path=_CHANNEL),
    Step("deleteChannel", "home", "The home channel stays", path={"siteId": 1, "channelId": 1}, status=400),
)

# A PNG of one pixel.
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGM4oSEHAALKAQ+5c71gAAAAAElFTkSuQmCC"
_MEDIA, _FOLDER = {"siteId": 1, "id": "{mediaId}"}, {"siteId": 1, "id": "{folderId}"}
MEDIA = (
    Step(
        "createMedia",
        "text",
        "A small file in JSON",
        path={"siteId": 1},
        body={
            "name": "Opening hours.txt",
            "content": "V2VkbmVzZGF5IHRvIFN1bmRheSwgMTAgdG8gMTgK",
            "title": "Opening hours",
            "tags": "visitors",
        },
        gives={"mediaId": "value.id"},
    ),
    Step(
        "createMedia",
        "same_bytes",
        "Bytes that the site has",
        path={"siteId": 1},
        body={"name": "Hours.txt", "content": "V2VkbmVzZGF5IHRvIFN1bmRheSwgMTAgdG8gMTgK"},
    ),
    Step(
        "createMedia",
        "program",
        "A type that the site does not accept",
        path={"siteId": 1},
        body={"name": "setup.exe", "content": "TVo="},
        status=400,
    ),
    Step(
        "createMedia",
        "private_address",
        "An address that is not part of the public Internet",
        path={"siteId": 1},
        body={"sourceUrl": "http://169.254.169.254/latest/photo.jpg"},
        status=400,
    ),
    Step("listMedia", "documents", "The first documents", path={"siteId": 1}, query={"kind": "document", "top": "2"}),
    Step("listMedia", "by_cursor", "A page by a cursor", path={"siteId": 1}, query={"cursor": "", "top": "1"}),
    Step("getMedia", "text", "The file that was created", path=_MEDIA),
    Step("getMedia", "unknown_file", "A number that no file has", path={"siteId": 1, "id": 999999}, status=404),
    Step(
        "createMedia",
        "picture",
        "A picture, which is redrawn",
        path={"siteId": 1},
        body={"name": "dot.png", "content": DOT},
        gives={"pictureId": "value.id"},
        keeps_answer=False,
    ),
    Step(
        "getRendition",
        "cover",
        "Cut to a square, as WebP",
        path=_MEDIA | {"id": "{pictureId}"},
        query={"w": "333", "h": "333", "fit": "cover", "format": "webp"},
    ),
    Step("getRendition", "no_picture", "A text has no renditions", path=_MEDIA, query={"w": "333"}, status=400),
    Step("listMediaUses", "none", "No text uses the file yet", path=_MEDIA),
    Step("updateMedia", "texts", "Another title, and no tags", path=_MEDIA, body={"title": "Hours", "tags": ""}),
    Step(
        "updateMedia",
        "unknown_folder",
        "A folder that does not exist",
        path=_MEDIA,
        body={"folderId": 999999},
        status=400,
    ),
    Step(
        "replaceMedia",
        "text",
        "New bytes at the same address",
        path=_MEDIA,
        body={"name": "Hours.txt", "content": "VHVlc2RheSB0byBTdW5kYXksIDEwIHRvIDE4Cg=="},
    ),
    Step("deleteMedia", "changed_meanwhile", "The file has changed since", path=_MEDIA, headers=_STALE, status=412),
    Step("deleteMedia", "text", "The file goes to the trash", path=_MEDIA),
    Step(
        "createMediaFolder",
        "press",
        "A folder at the top",
        path={"siteId": 1},
        body={"name": "Press"},
        gives={"folderId": "value.id"},
    ),
    Step(
        "createMediaFolder",
        "same_name",
        "The name of another folder",
        path={"siteId": 1},
        body={"name": "PRESS"},
        status=400,
    ),
    Step("listMediaFolders", "all", "All folders", path={"siteId": 1}),
    Step("getMediaFolder", "press", "The folder that was created", path=_FOLDER),
    Step("updateMediaFolder", "rename", "Another name", path=_FOLDER, body={"name": "Press pictures"}),
    Step(
        "updateMediaFolder",
        "itself",
        "A folder cannot be in itself",
        path=_FOLDER,
        body={"parentId": "{folderId}"},
        status=400,
    ),
    Step("deleteMediaFolder", "press", "The folder is deleted, its files stay", path=_FOLDER),
)

STL = (
    Step("getStlSite", "whole", "The site with everything that is set"),
    Step("getStlSite", "name", "Its name as a text", query={"type": "siteName"}),
    Step("getStlSite", "unknown_site", "A site that does not exist", query={"siteId": "999"}, status=400),
    Step("listStlSites", "all", "Every site"),
    Step("getStlValue", "address", "The address of the site", query={"type": "siteUrl"}),
    Step("getStlChannel", "whole", "The channel of the news", query={"channelIndex": "news"}),
    Step("getStlChannel", "name", "Its name as a text", query={"channelIndex": "news", "type": "channelName"}),
    Step("listStlChannels", "sections", "The first two sections of the site", query={"totalNum": "2"}),
    Step(
        "listStlChannels",
        "unknown_column",
        "A condition on a column that channels do not have",
        query={"where": "colour = 'red'"},
        status=400,
    ),
    Step("getStlContent", "whole", "A content, without its body", query={"contentId": "3"}),
    Step(
        "getStlContent",
        "fields",
        "A content with its summary and address",
        query={"contentId": "3", "_fields": "summary,navigationUrl"},
    ),
    Step(
        "getStlContent",
        "short_title",
        "A title of at most ten Chinese characters",
        query={"contentId": "3", "type": "title", "wordNum": "10"},
    ),
    Step(
        "getStlContent",
        "date",
        "A date as it is written in China",
        query={"contentId": "3", "type": "addDate", "formatString": "yyyy年M月d日"},
    ),
    Step("getStlContent", "unknown_content", "A content that does not exist", query={"contentId": "999"}),
    Step(
        "listStlContents",
        "latest",
        "The latest content of the news and what is below",
        query={"channelIndex": "news", "scope": "All", "order": "AddDate", "totalNum": "1"},
    ),
    Step(
        "listStlContents",
        "condition",
        "What many people have read since 2026",
        query={
            "where": "hits > 1000 AND addDate >= '2026-01-01'",
            "order": "hits DESC",
            "scope": "All",
            "totalNum": "1",
        },
    ),
    Step(
        "listStlContents",
        "bad_where",
        "A condition that breaks off",
        query={"where": "hits >"},
        status=400,
    ),
    Step("getStlAddress", "news", "The address of the news", query={"channelIndex": "news"}),
    Step("getStlAddress", "content", "The address of a content", query={"contentId": "3"}),
    Step("getStlCount", "contents", "Approved contents of the whole site", query={"scope": "All"}),
)

SQL = (
    Step(
        "listSqlRows",
        "latest",
        "The latest approved contents of the news",
        query={
            "queryString": "SELECT TOP 3 Id, Title, AddDate FROM siteserver_Content "
            "WHERE ChannelId = 11 AND IsChecked = 'True' ORDER BY AddDate DESC"
        },
    ),
    Step(
        "listSqlRows",
        "not_allowed",
        "A statement that would change something",
        query={"queryString": "DELETE FROM siteserver_Content"},
        status=400,
    ),
    Step(
        "getSqlRow",
        "count",
        "How many contents the site has",
        query={"queryString": "SELECT COUNT(*) AS Contents FROM siteserver_Content"},
    ),
    Step(
        "getSqlRow",
        "text",
        "The same as a text",
        query={"queryString": "SELECT COUNT(*) AS Contents FROM siteserver_Content", "type": "Contents"},
    ),
)

USERS = (
    Step(
        "createUser",
        "reader",
        "A reader",
        body={
            "userName": "reader1",
            "password": PASSWORD,
            "displayName": "读者一",
            "email": "reader1@example.org",
        },
        gives={"userId": "value.id"},
    ),
    Step(
        "createUser",
        "name_taken",
        "A name that another user has",
        body={"userName": "reader1", "password": PASSWORD},
        status=400,
    ),
    Step("getUser", "reader", "The user", path=_USER),
    Step("getUser", "unknown_user", "A number that no user has", path={"id": 999}, status=404),
    Step("updateUser", "mobile", "A new mobile number", path=_USER, body={"mobile": "13900000000"}),
    Step(
        "updateUser",
        "changed_meanwhile",
        "Somebody else has changed the user since",
        path=_USER,
        body={"mobile": "13900000001"},
        headers=_STALE,
        status=412,
    ),
    Step(
        "uploadUserAvatar",
        "picture",
        "A picture as the only file of a form",
        path=_USER,
    ),
    Step("getUserAvatar", "picture", "The address of the picture", path=_USER),
    Step("getUserAvatar", "default", "That of the default picture", path={"id": 999}),
    Step(
        "changeOwnPassword",
        "by_old_one",
        "A new password by the old one",
        path=_USER,
        body={"password": PASSWORD, "newPassword": NEW_PASSWORD},
    ),
    Step(
        "changeOwnPassword",
        "too_weak",
        "A new password without a digit",
        path=_USER,
        body={"password": NEW_PASSWORD, "newPassword": "lanterns"},
        status=400,
    ),
    Step(
        "changeUserPassword",
        "by_md5",
        "A new password by the MD5 of the old one",
        body={"account": "reader1", "password": MD5_OF_NEW_PASSWORD, "newPassword": PASSWORD},
    ),
    Step(
        "createUserLog",
        "borrowed",
        "A book was borrowed",
        path=_USER,
        body={"action": "Borrowed", "summary": "Charts of the northern coast, until 20 December."},
    ),
    Step("listUserLogs", "newest", "The two newest entries", path=_USER, query={"top": "2"}),
    Step(
        "listUsers",
        "search",
        "The first page of users whose name, address or mobile has reader in it",
        query={"keyword": "reader", "isLockedOut": "false", "top": "20"},
    ),
    Step("listUsers", "wrong_date", "A date that there is not", query={"createDateFrom": "2026-13-01"}, status=400),
)

ADMINISTRATORS = (
    Step(
        "createAdministrator",
        "editor",
        "An editor",
        body={"userName": "editor1", "password": PASSWORD, "displayName": "Editor", "email": "editor1@example.org"},
        gives={"administratorId": "value.id"},
    ),
    Step(
        "createAdministrator",
        "weak_password",
        "A password that is too short",
        body={"userName": "editor2", "password": "abc"},
        status=400,
    ),
    Step("listAdministrators", "all", "Every administrator"),
    Step("getAdministrator", "editor", "The editor", path=_ADMINISTRATOR),
    Step("getAdministrator", "unknown", "A number that no administrator has", path={"id": 999}, status=404),
    Step("updateAdministrator", "mobile", "A mobile number", path=_ADMINISTRATOR, body={"mobile": "13900000002"}),
    Step("updateAdministrator", "lock", "Lock the editor", path=_ADMINISTRATOR, body={"isLockedOut": True}),
    Step(
        "updateAdministrator",
        "changed_meanwhile",
        "Somebody else has changed the editor since",
        path=_ADMINISTRATOR,
        body={"isLockedOut": False},
        headers=_STALE,
        status=412,
    ),
    Step("updateAdministrator", "unlock", "Unlock the editor", path=_ADMINISTRATOR, body={"isLockedOut": False}),
    Step(
        "changeAdministratorPassword",
        "by_md5",
        "A new password by the MD5 of the old one",
        body={"account": "editor1", "password": MD5_OF_PASSWORD, "newPassword": NEW_PASSWORD},
    ),
)

SIGN_IN = (
    Step(
        "loginUser",
        "md5",
        "By e-mail address and the MD5 of the password, as clients of the original do",
        body={"account": "reader1@example.org", "password": MD5_OF_PASSWORD},
        gives={"userToken": "accessToken"},
    ),
    Step(
        "loginUser",
        "wrong_password",
        "A wrong password",
        body={"account": "reader1", "password": "lantern8"},
        status=400,
    ),
    Step("logoutUser", "reader", "The user signs out", headers={"X-SS-USER-TOKEN": "{userToken}"}),
    Step("logoutUser", "nobody", "Without a valid token"),
    Step(
        "loginAdministrator",
        "plain",
        "By name and password",
        body={"account": "editor1", "password": NEW_PASSWORD},
        gives={"administratorToken": "accessToken"},
    ),
    Step("logoutAdministrator", "editor", "The editor signs out", headers={"X-SS-ADMIN-TOKEN": "{administratorToken}"}),
    Step("logoutAdministrator", "nobody", "Without a valid token"),
    Step("getCaptcha", "picture", "A picture for the form to sign in", path={"name": "LOGIN-CAPTCHA"}),
    Step(
        "checkCaptcha",
        "right",
        "What was read is right",
        path={"name": "LOGIN-CAPTCHA"},
        body={"captcha": "{captcha}"},
    ),
    Step(
        "checkCaptcha",
        "used_up",
        "The picture was answered already",
        path={"name": "LOGIN-CAPTCHA"},
        body={"captcha": "AB23"},
        status=400,
    ),
)

DELETED_ACCOUNTS = (
    Step(
        "deleteUser",
        "changed_meanwhile",
        "Somebody else has changed the user since",
        path=_USER,
        headers=_STALE,
        status=412,
    ),
    Step("deleteUser", "reader", "The user is deleted for good", path=_USER),
    Step(
        "deleteAdministrator",
        "changed_meanwhile",
        "Somebody else has changed the editor since",
        path=_ADMINISTRATOR,
        headers=_STALE,
        status=412,
    ),
    Step("deleteAdministrator", "editor", "The editor is deleted for good", path=_ADMINISTRATOR),
    Step("deleteAdministrator", "last", "The last of the highest rank stays", path={"id": 1}, status=400),
)

CHANGES = (
    Step("listChanges", "now", "A cursor for changes from now on"),
    Step(
        "listChanges",
        "oldest",
        "The two oldest stored changes of a site",
        query={"siteId": "1", "after": "start", "limit": "2"},
    ),
    Step("listChanges", "expired", "A cursor whose changes are no longer stored", query={"after": "7"}, status=400),
)

SERVICE = (
    Step("ping", "pong", "The service is there"),
    Step("getLiveness", "live", "The process answers"),
    Step("getReadiness", "ready", "The server is ready"),
    Step("getOpenApiDocument", "document", "The document", keeps_answer=False),
    Step(
        "getMetrics",
        "figures",
        "The figures",
        keeps_answer=False,
    ),
    Step("restart", "restart", "The service will restart"),
)

_FORM = {"siteId": "1", "formName": "visit"}
_ENTRY = {"siteId": 1, "id": "{entryId}"}
FORMS = (
    Step("listForms", "all", "The forms of the site", path={"siteId": 1}),
    Step("getFormStyles", "visit", "The form that a page shows", query=_FORM),
    Step("getFormStyles", "unknown", "A name that no form has", query=_FORM | {"formName": "none"}, status=404),
    Step(
        "submitForm",
        "booking",
        "A visitor books",
        query=_FORM | {"channelId": "11"},
        body={"name": "王小明", "email": "wang@example.org", "days": ["Monday"]},
    ),
    Step(
        "submitForm",
        "mistake",
        "A value that does not fit its field",
        query=_FORM,
        body={"name": "Ann", "email": "ann"},
        status=400,
    ),
    Step("listFormEntries", "new", "New entries", query=_FORM | {"state": "new"}, gives={"entryId": "items[0].id"}),
    Step("listFormEntries", "state", "A state that there is not", query=_FORM | {"state": "old"}, status=400),
    Step("getFormEntry", "booking", "The entry", path=_ENTRY),
    Step("getFormEntry", "unknown", "A number that no entry has", path={"siteId": 1, "id": 999}, status=404),
    Step("updateFormEntry", "reply", "Reply to the sender", path=_ENTRY, body={"replyContent": "欢迎光临。"}),
    Step(
        "updateFormEntry",
        "changed_meanwhile",
        "Somebody else has changed the entry since",
        path=_ENTRY,
        body={"state": "approved"},
        headers=_STALE,
        status=412,
    ),
    Step("deleteFormEntry", "booking", "The entry is deleted", path=_ENTRY),
)

_WEBHOOK = {"id": "{webhookId}"}
WEBHOOKS = (
    Step(
        "createWebhook",
        "front_end",
        "A front end that shows the contents of the site",
        body={
            "name": "Front end",
            "url": "https://hooks.example/cms",
            "siteId": 1,
            "events": ["content.published", "content.unpublished"],
        },
        gives={"webhookId": "value.id"},
    ),
    Step(
        "createWebhook",
        "private_address",
        "An address that is not part of the public Internet",
        body={"name": "Metadata", "url": "http://169.254.169.254/latest"},
        status=400,
    ),
    Step("listWebhooks", "all", "All webhooks", query={"top": "10"}),
    Step("getWebhook", "front_end", "The webhook that was created", path=_WEBHOOK),
    Step("getWebhook", "unknown_webhook", "A number that no webhook has", path={"id": 999}, status=404),
    Step(
        "updateWebhook",
        "all_contents",
        "Send deletions, too",
        path=_WEBHOOK,
        body={"events": ["content.published", "content.unpublished", "content.deleted"]},
    ),
    Step(
        "updateWebhook",
        "unknown_event",
        "An event that does not exist",
        path=_WEBHOOK,
        body={"events": ["content.read"]},
        status=400,
    ),
    Step("testWebhook", "front_end", "The receiver accepts a test event", path=_WEBHOOK),
    Step("rotateWebhookSecret", "front_end", "A new secret", path=_WEBHOOK),
    Step("listWebhookDeliveries", "last", "The last deliveries", path=_WEBHOOK, query={"top": "10"}),
    Step(
        "replayWebhook",
        "day",
        "The events of a day",
        path=_WEBHOOK,
        body={"from": "2026-03-01 00:00:00", "to": "2026-03-01 23:59:59"},
    ),
    Step(
        "replayWebhook",
        "without_end",
        "A period without its end",
        path=_WEBHOOK,
        body={"from": "2026-03-01"},
        status=400,
    ),
    Step(
        "deleteWebhook",
        "changed_meanwhile",
        "Somebody else has changed the webhook since",
        path=_WEBHOOK,
        headers=_STALE,
        status=412,
    ),
    Step("deleteWebhook", "front_end", "The webhook is deleted", path=_WEBHOOK),
)

STEPS = (
    *CONTENTS,
    *CHANNELS,
    *MEDIA,
    *FORMS,
    *STL,
    *SQL,
    *USERS,
    *ADMINISTRATORS,
    *SIGN_IN,
    *DELETED_ACCOUNTS,
    *CHANGES,
    *WEBHOOKS,
    *SERVICE,
)
