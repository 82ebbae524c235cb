"""Members of a site's `attributes`: types and defaults of SiteServer's interface, ranges of its forms."""

import re
from dataclasses import replace
from typing import Any

from django.core.exceptions import ValidationError

from core.rest.attributes import NEVER, STORED_ONLY, Attribute, AttributeKind, AttributeRegistry, TextForm
from sites.page_rules import CHANNEL_RULE, CONTENT_RULE

_PIXELS = 10_000
_KILOBYTES = 10 * 1024 * 1024
_LONG = 20_000  # for lists of names

PAGES = "Pages and addresses"
ASSETS = "Addresses of uploads"
APPROVAL = "Approval"
COUNTING = "Counting"
EDITING = "Editing"
UPLOADS = "Uploads"
WATERMARK = "Watermark"
GENERATION = "Page generation"
BACK_END = "Remembered choices"
COMMENTS = "Comments"
GROUPS = (PAGES, ASSETS, APPROVAL, COMMENTS, COUNTING, EDITING, UPLOADS, WATERMARK, GENERATION, BACK_END)
# tests/sites/test_acted_on.py compares them with the members that the code reads.
_ACTED_ON_GROUPS = {PAGES, ASSETS, UPLOADS, WATERMARK}
_ACTED_ON_TOO = {
    *("isCheckContentLevel", "checkContentLevel", "isContentTitleBreakLine"),
    *("isCountHits", "isCountHitsByDay", "comments", "isCheckComments"),
}

COMMENT_WRITERS = (("Off", "Nobody"), ("Members", "Users who have signed in"), ("Everybody", "Everybody"))
_CHARSETS = """
    utf-8 gb2312 big5 iso-8859-1 euc-kr euc-jp iso-8859-6 windows-874 iso-8859-9 iso-8859-5 iso-8859-8 iso-8859-7
    windows-1258 iso-8859-2
"""
_FOLDERS_BY_DATE = ("Year", "Month", "Day", "Chinese")
_TRUE_OR_FALSE = ("", "True", "False")

_GIVEN = TextForm(re.compile(r".*\S.*", re.DOTALL), "a text that is not blank and")
_DIGITS = TextForm(re.compile(r"[0-9]{0,5}"), "a number of pixels in digits, or empty", is_short=True)
_DAYS = TextForm(re.compile(r"(-?[0-9]{1,5})?"), "a number of days in digits, -1, or empty", is_short=True)
_BARS = TextForm(re.compile(r"[^,;\s]*"), "extensions separated by | and")
_PREVIEW = TextForm(
    re.compile(r"((https://[\w.-]+|http://localhost)(:[0-9]{1,5})?/\S*\{token\}\S*)?", re.ASCII),
    "an HTTPS URL with {token}, or empty,",
)
_COMMAS = TextForm(re.compile(r"[^|;\s]*"), "extensions separated by commas and")


def _member(name: str, kind: AttributeKind, default: Any, label: str, help_text: str, **allowed: Any) -> Attribute:
    # Before version 5 of SiteServer, names of remembered choices had an underscore.
    underscored = (f"config_{name.removeprefix('config')}",) if name.startswith("config") else ()
    former_names = (*allowed.pop("former_names", ()), *underscored)
    return Attribute(
        name=name, kind=kind, default=default, label=label, help_text=help_text, former_names=former_names, **allowed
    )


def _switch(name: str, default: bool, label: str, help_text: str, *former_names: str, **allowed: Any) -> Attribute:
    return _member(name, AttributeKind.BOOLEAN, default, label, help_text, former_names=former_names, **allowed)


def _number(name: str, default: int, minimum: int, maximum: int, label: str, help_text: str) -> Attribute:
    return _member(name, AttributeKind.INTEGER, default, label, help_text, minimum=minimum, maximum=maximum)


def _text(name: str, default: str, label: str, help_text: str, **allowed: Any) -> Attribute:
    return _member(name, AttributeKind.TEXT, default, label, help_text, **allowed)


def _choice(name: str, default: str, choices: tuple[str, ...], label: str, help_text: str) -> Attribute:
    return _text(name, default, label, help_text, choices=tuple((choice, choice) for choice in choices))


def _uploads(kind: str, a_file: str, types: str, form: TextForm, separated_by: str, most: int) -> list[Attribute]:
    """Return the members for one kind of uploaded file; `most` is the default limit in KB."""
    files = f"{a_file.removeprefix('a ')}s"
    return [
        _text(f"{kind}UploadDirectoryName", f"upload/{kind}s",
              f"Folder of {files}", f"Folder of uploaded {files}.", form=_GIVEN),
        _choice(f"{kind}UploadDateFormatString", "Month", _FOLDERS_BY_DATE,
                f"Folders of {files} by date", "How its subfolders are divided: by year, month or day."),
        _switch(f"is{kind.capitalize()}UploadChangeFileName", True,
                f"{files.capitalize()} get new names", f"Uploaded {files} get new names."),
        _text(f"{kind}UploadTypeCollection", types,
              f"Accepted types of {files}", f"Extensions that {a_file} may have, {separated_by}.", form=form),
        _number(f"{kind}UploadTypeMaxSize", most, 1, _KILOBYTES,
                f"Largest size of {files} (KB)", f"Largest size of {a_file}, in KB."),
    ]  # fmt: skip


def _group(group: str, *members: Attribute) -> list[Attribute]:
    def help_text(member: Attribute) -> str:
        is_acted_on = group in _ACTED_ON_GROUPS or member.name in _ACTED_ON_TOO
        return member.help_text if is_acted_on else f"{member.help_text} {STORED_ONLY}"

    return [replace(member, group=group, help_text=help_text(member)) for member in members]


REGISTRY = AttributeRegistry([
    *_group(GENERATION,
        _choice("charset", "utf-8", tuple(_CHARSETS.split()), "Encoding of pages",
                "Encoding of the generated pages; API responses are always UTF-8."),
    ),
    *_group(BACK_END,
        _number("pageSize", 30, 1, 10_000, "Rows per page", "Rows per page in the lists of an admin."),
    ),
    *_group(APPROVAL,
        _switch("isCheckContentLevel", False, "Approval in several levels",
                "Content items pass several levels of approval instead of one.", "isCheckContentUseLevel"),
        _number("checkContentLevel", 1, 0, 5, "Number of levels",
                "Number of approval levels, 2 to 5. Returned as 1 while isCheckContentLevel is off."),
    ),
    *_group(COMMENTS,
        _text("comments", "Off", "Who may comment",
              "Who may comment on content items: nobody, users who have signed in to the site, or everybody.",
              choices=COMMENT_WRITERS, is_hidden=True),
        _switch("isCheckComments", True, "Comments need approval",
                "Pages show comments after approval only.", is_hidden=True),
    ),
    *_group(COUNTING,
        _switch("isCountDownload", True, "Count downloads", "Downloads of attachments are counted."),
        _switch("isCountHits", False, "Count views of content items",
                "Views of the pages of content items are counted."),
        _switch("isCountHitsByDay", False, "Count views by day, week and month",
                "Views are also counted by day, week and month."),
    ),
    *_group(EDITING,
        _switch("isSaveImageInTextEditor", True, "Fetch pictures from other sites",
                "Pictures from other sites in a body are fetched when it is saved. This service never fetches a URL."),
        _switch("isAutoPageInTextEditor", False, "Cut long bodies into pages", "Long bodies are cut into pages."),
        _number("autoPageWordNum", 1500, 1, 1_000_000,
                "Characters per page", "Number of characters per page of a long body."),
        _switch("isContentTitleBreakLine", False, "Line breaks in titles",
                "Two spaces in a title are shown as a line break on a page."),
        _switch("isAutoCheckKeywords", False, "Look for banned words",
                "Content items are searched for banned words.", "lisAutoCheckKeywords"),
    ),
    *_group(UPLOADS,
        _number("photoSmallWidth", 70, 0, _PIXELS, "Width of small pictures",
                "Width of the small version of a picture, in pixels."),
        _number("photoMiddleWidth", 400, 0, _PIXELS, "Width of medium-sized pictures",
                "Width of the medium-sized version of a picture, in pixels."),
    ),
    *_group(WATERMARK,
        _switch("isWaterMark", False, "Put a watermark on pictures",
                "Uploaded pictures, except animations, get a watermark. Earlier uploads do not change."),
        _switch("isImageWaterMark", False, "Use a picture as the watermark",
                "The watermark is a picture of the site, not a text."),
        _number("waterMarkPosition", 9, 1, 9, "Place of the watermark",
                "Place of the watermark in a grid of three by three, 1 to 9, row by row."),
        _number("waterMarkTransparency", 5, 1, 10, "Opacity of the watermark",
                "Opacity of the watermark, from 1 for 10 % to 10 for 100 %."),
        _number("waterMarkMinWidth", 200, 0, _PIXELS, "Minimum width for a watermark",
                "Narrower pictures get no watermark; in pixels, 0 for no limit."),
        _number("waterMarkMinHeight", 200, 0, _PIXELS, "Minimum height for a watermark",
                "Pictures of less height get no watermark; in pixels, 0 for no limit."),
        _text("waterMarkFormatString", "", "Text of the watermark",
              "Text of the watermark; {0} stands for the date, {1} for the time. Text wider than a picture is made "
              "smaller."),
        _text("waterMarkFontName", "", "Font of the watermark",
              "Font file on the server, such as DejaVuSans. "
              "If it is missing or lacks a character, another one is used."),
        _number("waterMarkFontSize", 12, 1, 1000, "Font size of the watermark",
                "Size of the text, in pixels of the picture."),
        _text("waterMarkImagePath", "", "Picture of the watermark",
              "Path of the picture among the files of the site, such as @/upload/images/mark.png."),
    ),
    *_group(PAGES,
        _switch("isSeparatedWeb", False, "Pages on a separate host",
                "The pages are on a separate host: URLs begin with separatedWebUrl instead of the folder."),
        _text("separatedWebUrl", "", "Address of the host of the pages",
              "URL of that host, such as https://www.example.com. Used while isSeparatedWeb is on.",
              is_address=True),
        _text("previewAddress", "", "Address of previews",
              "URL where a website built elsewhere shows content items before they are public, with {token}; "
              "{siteId}, {channelId} and {contentId} are replaced, too. Empty: the site's templates show them.",
              form=_PREVIEW, is_hidden=True),
        _switch("isResponsivePictures", False, "Pictures in fitting sizes",
                "Browsers load pictures of the library in the size that they need, and only when they come into sight.",
                is_hidden=True),
        _text("webUrl", "", "Address of the site",
              "URL of the site's pages: separatedWebUrl, or the folder after those of the sites above.",
              is_computed=True),
    ),
    *_group(ASSETS,
        _switch("isSeparatedAssets", False, "Uploads on a separate host",
                "The uploads are on a separate host: assetsUrl is separatedAssetsUrl."),
        _text("separatedAssetsUrl", "", "Address of the host of the uploads",
              "URL of that host. Used while isSeparatedAssets is on.", is_address=True),
        _text("assetsDir", "upload", "Folder in the address of the uploads",
              "Folder of the uploads within the site, the last part of assetsUrl.", form=_GIVEN),
        _text("assetsUrl", "", "Address of the uploads", "URL of the site's uploads.", is_computed=True),
    ),
    *_group(PAGES,
        _text("channelFilePathRule", CHANNEL_RULE, "Paths of the pages of channels",
              "Names the pages of channels that neither have nor inherit a rule.", form=_GIVEN, max_length=500),
        _text("contentFilePathRule", CONTENT_RULE, "Paths of the pages of content items",
              "Names the pages of content items whose channels neither have nor inherit a rule.",
              form=_GIVEN, max_length=500),
    ),
    *_group(GENERATION,
        _switch("isCreateContentIfContentChanged", True, "Regenerate the page of a changed content item",
                "When a content item changes, its page is regenerated."),
        _switch("isCreateChannelIfChannelChanged", True, "Regenerate the page of a changed channel",
                "When a channel changes, its page is regenerated."),
        _switch("isCreateShowPageInfo", False, "Note in pages how they were generated",
                "Generated pages say in a comment how they were generated."),
        _switch("isCreateIe8Compatible", False, "Internet Explorer 8 mode",
                "Generated pages request Internet Explorer 8 mode."),
        _switch("isCreateBrowserNoCache", False, "Browsers do not cache pages",
                "Generated pages ask browsers not to cache them."),
        _switch("isCreateJsIgnoreError", False, "Hide script errors", "Generated pages hide script errors."),
        _switch("isCreateWithJQuery", True, "Include jQuery", "Generated pages include jQuery."),
        _switch("isCreateDoubleClick", False, "Regenerate a page on double-click",
                "A double-click regenerates a page."),
        _number("createStaticMaxPage", 10, 0, 1_000_000, "Pages of a list generated ahead",
                "Number of pages of a list generated ahead; 0 for all."),
        _switch("isCreateStaticContentByAddDate", False, "No pages for old content items",
                "Pages of old content items are not generated."),
        _member("createStaticContentAddDate", AttributeKind.DATE_TIME, NEVER, "Content items are old if added before",
                f"Content items added before this time are old; {NEVER} for no limit."),
    ),
    *_group(APPROVAL,
        _switch("isCrossSiteTransChecked", False, "Content items of other sites need no approval",
                "Content items that come from another site need no approval."),
    ),
    *_group(BACK_END,
        _switch("configTemplateIsCodeMirror", True, "Syntax highlighting in templates",
                "Templates are edited with syntax highlighting."),
        _number("configVideoContentInsertWidth", 420, 0, _PIXELS, "Width of a video in a body",
                "Width of a video that is put into a body, in pixels."),
        _number("configVideoContentInsertHeight", 280, 0, _PIXELS, "Height of a video in a body",
                "Height of a video that is put into a body, in pixels."),
        _choice("configExportType", "", ("", "ContentZip", "ContentAccess", "ContentExcel"), "Last export: format",
                "Format of the last export of content items."),
        _text("configExportPeriods", "", "Last export: days back",
              "Days back of the last export: 0 for all, 7, 30, 180, 365, or -1 for two dates.", form=_DAYS),
        _text("configExportDisplayAttributes", "", "Last export: fields",
              "Fields of the last export, comma-separated.", max_length=_LONG),
        _choice("configExportIsChecked", "", ("", "All", "True", "False"), "Last export: approval",
                "Whether the last export was of approved content items."),
        _text("configSelectImageCurrentUrl", "", "Folder where pictures were last chosen",
              "Folder where pictures were last chosen; empty is @/ and imageUploadDirectoryName."),
        _text("configSelectVideoCurrentUrl", "", "Folder where videos were last chosen",
              "Folder where videos were last chosen; empty is @/ and videoUploadDirectoryName."),
        _text("configSelectFileCurrentUrl", "", "Folder where files were last chosen",
              "Folder where files were last chosen; empty is @/ and fileUploadDirectoryName."),
        _choice("configUploadImageIsTitleImage", "True", _TRUE_OR_FALSE, "Uploaded picture: also the item's own",
                "A picture of a body was also made the content item's imageUrl."),
        _text("configUploadImageTitleImageWidth", "300", "Uploaded picture: width as the item's own",
              "Width of the content item's own picture, in pixels.", form=_DIGITS),
        _text("configUploadImageTitleImageHeight", "", "Uploaded picture: height as the item's own",
              "Height of the content item's own picture, in pixels.", form=_DIGITS),
        _choice("configUploadImageIsShowImageInTextEditor", "True", _TRUE_OR_FALSE,
                "Uploaded picture: put into the body", "The picture was put into the body."),
        _choice("configUploadImageIsLinkToOriginal", "", _TRUE_OR_FALSE, "Uploaded picture: linked to the full size",
                "The picture was linked to its full size."),
        _choice("configUploadImageIsSmallImage", "True", _TRUE_OR_FALSE, "Uploaded picture: made smaller",
                "The picture was made smaller."),
        _text("configUploadImageSmallImageWidth", "500", "Uploaded picture: width when made smaller",
              "Width of the smaller picture, in pixels.", form=_DIGITS),
        _text("configUploadImageSmallImageHeight", "", "Uploaded picture: height when made smaller",
              "Height of the smaller picture, in pixels.", form=_DIGITS),
        _text("siteSettingsCollection", "", "Settings of old versions",
              "Further settings of old versions.", max_length=_LONG),
    ),
    *_group(UPLOADS,
        *_uploads("image", "a picture", "gif|jpg|jpeg|bmp|png|pneg|swf", _BARS, "separated by |", 15_360),
        *_uploads("video", "a video",
                  "asf|asx|avi|flv|mid|midi|mov|mp3|mp4|mpg|mpeg|ogg|ra|rm|rmb|rmvb|rp|rt|smi|swf|wav|webm|wma|wmv|viv",
                  _BARS, "separated by |", 307_200),
        *_uploads("file", "a file", "zip,rar,7z,js,css,txt,doc,docx,ppt,pptx,xls,xlsx,pdf",
                  _COMMAS, "comma-separated", 307_200),
    ),
])  # fmt: skip

SITE_ATTRIBUTES = REGISTRY.by_folded_name
_HIDDEN = [member.name for member in REGISTRY if member.is_hidden]
ACTED_ON = frozenset(member.name for member in REGISTRY if not member.help_text.endswith(STORED_ONLY))


def site_attributes(site: Any) -> dict[str, Any]:
    values = REGISTRY.values(site.settings)
    values["webUrl"] = values["separatedWebUrl"] if values["isSeparatedWeb"] else site.web_url or "/"
    own_assets = f"{site.web_url}/{values['assetsDir'].strip('/')}/"
    values["assetsUrl"] = values["separatedAssetsUrl"] if values["isSeparatedAssets"] else own_assets
    # Packages may contain 0, which also means one level.
    values["checkContentLevel"] = max(1, values["checkContentLevel"]) if values["isCheckContentLevel"] else 1
    for kind in ("image", "video", "file"):
        chosen_last = f"configSelect{kind.capitalize()}CurrentUrl"
        values[chosen_last] = values[chosen_last] or f"@/{values[f'{kind}UploadDirectoryName']}"
    for name in _HIDDEN:
        del values[name]
    return values


def preview_address(site: Any) -> str:
    """Return where a website built elsewhere shows previews, with places such as `{token}`; "" for none."""
    return str(REGISTRY.values(site.settings)["previewAddress"])


def has_responsive_pictures(site: Any) -> bool:
    return bool(REGISTRY.values(site.settings)["isResponsivePictures"])


def comment_settings(site: Any) -> tuple[str, bool]:
    """Return who may comment, one of COMMENT_WRITERS, and whether comments need approval."""
    values = REGISTRY.values(site.settings)
    return str(values["comments"]), bool(values["isCheckComments"])


def validate_settings(settings: Any) -> None:
    """Raise ValidationError with a sentence per invalid entry, including a member's name in another letter case."""
    if not isinstance(settings, dict):
        raise ValidationError("The settings must be a JSON object.")
    if problems := REGISTRY.problems(settings):
        raise ValidationError(problems)
