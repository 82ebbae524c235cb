"""The members of a site's `attributes`: types and defaults are the interface's, ranges those of the original's forms.

This service answers and keeps them for the programs that build pages; it generates none. The help text
of each member says so where nothing here acts on it.
"""

import re
from typing import Any, Protocol

from django.core.exceptions import ValidationError

from cms_api.rest.attributes import NEVER, Attribute, AttributeRegistry, Kind, TextForm
from sites.setting_labels import LABELS

_KEPT = "Kept and answered for clients; nothing here acts on it."
# tests/sites/test_acted_on.py compares them with what the code reads.
_ACTED_ON = """
    isCheckContentLevel checkContentLevel isContentTitleBreakLine photoSmallWidth photoMiddleWidth
    isSeparatedWeb separatedWebUrl webUrl isSeparatedAssets separatedAssetsUrl assetsDir assetsUrl
    channelFilePathRule contentFilePathRule
    isWaterMark isImageWaterMark waterMarkPosition waterMarkTransparency waterMarkMinWidth waterMarkMinHeight
    waterMarkFormatString waterMarkFontName waterMarkFontSize waterMarkImagePath
    imageUploadDirectoryName imageUploadDateFormatString isImageUploadChangeFileName
    imageUploadTypeCollection imageUploadTypeMaxSize
    videoUploadDirectoryName videoUploadDateFormatString isVideoUploadChangeFileName
    videoUploadTypeCollection videoUploadTypeMaxSize
    fileUploadDirectoryName fileUploadDateFormatString isFileUploadChangeFileName
    fileUploadTypeCollection fileUploadTypeMaxSize
"""
ACTED_ON = frozenset(_ACTED_ON.split())
_PIXELS = 10_000
_KILOBYTES = 10 * 1024 * 1024
# For lists of names, which may be long.
_LONG = 20_000

# Groups in the admin, in their order.
PAGES = "Pages and addresses"
ASSETS = "Addresses of uploads"
APPROVAL = "Approval"
COUNTING = "Counting"
EDITING = "Editing"
UPLOADS = "Uploads"
WATERMARK = "Watermark"
GENERATION = "Generation of pages"
BACK_END = "Remembered choices"
GROUPS = (PAGES, ASSETS, APPROVAL, COUNTING, EDITING, UPLOADS, WATERMARK, GENERATION, BACK_END)

_CHARSETS = """
    utf-8 gb2312 big5 iso-8859-1 euc-kr euc-jp iso-8859-6 windows-874 iso-8859-9 iso-8859-5 iso-8859-8 iso-8859-7
    windows-1258 iso-8859-2
"""
CHARSETS = tuple(_CHARSETS.split())
FOLDERS_BY_DATE = ("Year", "Month", "Day", "Chinese")
TRUE_OR_FALSE = ("", "True", "False")

_GIVEN = TextForm(re.compile(r".*\S.*", re.DOTALL), "a text that is not blank and")
_DIGITS = TextForm(re.compile(r"[0-9]{0,5}"), "a number of pixels in digits, or empty", is_short=True)
_DAYS = TextForm(re.compile(r"(-?[0-9]{1,5})?"), "a number of days in digits, -1, or empty", is_short=True)
_BARS = TextForm(re.compile(r"[^,;\s]*"), "extensions separated by | and")
_COMMAS = TextForm(re.compile(r"[^|;\s]*"), "extensions separated by commas and")


def _switch(name: str, default: bool, group: str, help_text: str, *former_names: str) -> Attribute:
    return _attribute(name, Kind.BOOLEAN, default, group, help_text, former_names=former_names)


def _number(name: str, default: int, minimum: int, maximum: int, group: str, help_text: str) -> Attribute:
    return _attribute(name, Kind.INTEGER, default, group, help_text, minimum=minimum, maximum=maximum)


def _text(name: str, default: str, group: str, help_text: str, **allowed: Any) -> Attribute:
    return _attribute(name, Kind.TEXT, default, group, help_text, **allowed)


def _choice(name: str, default: str, choices: tuple[str, ...], group: str, help_text: str) -> Attribute:
    return _text(name, default, group, help_text, choices=tuple((choice, choice) for choice in choices))


def _computed(name: str, group: str, help_text: str) -> Attribute:
    return _text(name, "", group, help_text, is_computed=True)


def _attribute(name: str, kind: Kind, default: Any, group: str, help_text: str, **allowed: Any) -> Attribute:
    # Before version 5 the names of choices that the back end remembers had an underscore.
    underscored = (f"config_{name.removeprefix('config')}",) if name.startswith("config") else ()
    former_names = (*allowed.pop("former_names", ()), *underscored)
    help_text = help_text if name in ACTED_ON else f"{help_text} {_KEPT}"
    return Attribute(
        name=name,
        kind=kind,
        default=default,
        group=group,
        label=LABELS[name],
        help_text=help_text,
        former_names=former_names,
        **allowed,
    )


REGISTRY = AttributeRegistry(
    [
        _choice(
            "charset", "utf-8", CHARSETS, GENERATION, "Encoding of the generated pages; answers here are always UTF-8."
        ),
        _number("pageSize", 30, 1, 10_000, BACK_END, "Rows a page in the lists of a back end."),
        _switch(
            "isCheckContentLevel",
            False,
            APPROVAL,
            "Contents pass several levels of approval instead of one.",
            "isCheckContentUseLevel",
        ),
        _number(
            "checkContentLevel",
            1,
            0,
            5,
            APPROVAL,
            "How many levels there are, 2 to 5. Answered as 1 while isCheckContentLevel is off.",
        ),
        _switch("isCountDownload", True, COUNTING, "Downloads of attachments are counted."),
        _switch("isCountHits", False, COUNTING, "Calls of the pages of contents are counted."),
        _switch("isCountHitsByDay", False, COUNTING, "They are counted by day, week and month too."),
        _switch(
            "isSaveImageInTextEditor",
            True,
            EDITING,
            "Pictures of other sites in a body are fetched when it is saved. This service never fetches an address.",
        ),
        _switch("isAutoPageInTextEditor", False, EDITING, "Long bodies are cut into pages."),
        _number("autoPageWordNum", 1500, 1, 1_000_000, EDITING, "Characters of such a page."),
        _switch(
            "isContentTitleBreakLine",
            False,
            EDITING,
            "Two blanks in a title stand for a line break where a page shows it.",
        ),
        _switch(
            "isAutoCheckKeywords", False, EDITING, "Contents are searched for banned words.", "lisAutoCheckKeywords"
        ),
        _number("photoSmallWidth", 70, 0, _PIXELS, UPLOADS, "Width of the small form of a picture, in pixels."),
        _number("photoMiddleWidth", 400, 0, _PIXELS, UPLOADS, "Width of the middle form of a picture, in pixels."),
        _switch(
            "isWaterMark",
            False,
            WATERMARK,
            "Uploaded pictures get a watermark, but for animations. What was uploaded before stays as it is.",
        ),
        _switch("isImageWaterMark", False, WATERMARK, "The watermark is a picture of the site, not a text."),
        _number("waterMarkPosition", 9, 1, 9, WATERMARK, "Its place in a grid of three by three, 1 to 9, row by row."),
        _number("waterMarkTransparency", 5, 1, 10, WATERMARK, "Its opacity, 1 for 10 % to 10 for 100 %."),
        _number(
            "waterMarkMinWidth", 200, 0, _PIXELS, WATERMARK, "Narrower pictures get none, in pixels; 0 is no limit."
        ),
        _number("waterMarkMinHeight", 200, 0, _PIXELS, WATERMARK, "Lower pictures get none, in pixels; 0 is no limit."),
        _text(
            "waterMarkFormatString",
            "",
            WATERMARK,
            "Its text; {0} stands for the date, {1} for the time. One that is wider than a picture is written smaller.",
        ),
        _text(
            "waterMarkFontName",
            "",
            WATERMARK,
            "Font file on the server, such as DejaVuSans. If it is missing or lacks a character, another one is used.",
        ),
        _number("waterMarkFontSize", 12, 1, 1000, WATERMARK, "Size of the text, in pixels of the picture."),
        _text(
            "waterMarkImagePath",
            "",
            WATERMARK,
            "Path of the picture among the files of the site, such as @/upload/images/mark.png.",
        ),
        _switch(
            "isSeparatedWeb",
            False,
            PAGES,
            "The pages are on a host of their own: addresses begin with separatedWebUrl instead of the folder.",
        ),
        _text(
            "separatedWebUrl",
            "",
            PAGES,
            "Address of that host, such as https://www.example.com. Used while isSeparatedWeb is on.",
            is_address=True,
        ),
        _computed(
            "webUrl",
            PAGES,
            "Where the pages of the site are: separatedWebUrl, or the folder with those of the sites above.",
        ),
        _switch(
            "isSeparatedAssets",
            False,
            ASSETS,
            "The uploads are on a host of their own: assetsUrl is separatedAssetsUrl.",
        ),
        _text(
            "separatedAssetsUrl",
            "",
            ASSETS,
            "Address of that host. Used while isSeparatedAssets is on.",
            is_address=True,
        ),
        _text(
            "assetsDir",
            "upload",
            ASSETS,
            "Folder of the uploads within the site, the last part of assetsUrl.",
            form=_GIVEN,
        ),
        _computed("assetsUrl", ASSETS, "Where the uploads of the site are."),
        _text(
            "channelFilePathRule",
            "/channels/{@ChannelID}.html",
            PAGES,
            "Names the pages of channels that have no rule of their own or above them.",
            form=_GIVEN,
            max_length=500,
        ),
        _text(
            "contentFilePathRule",
            "/contents/{@ChannelID}/{@ContentID}.html",
            PAGES,
            "Names the pages of contents whose channels have no rule of their own or above them.",
            form=_GIVEN,
            max_length=500,
        ),
        _switch("isCreateContentIfContentChanged", True, GENERATION, "A changed content has its page generated anew."),
        _switch("isCreateChannelIfChannelChanged", True, GENERATION, "A changed channel has its page generated anew."),
        _switch("isCreateShowPageInfo", False, GENERATION, "Generated pages tell in a comment how they were made."),
        _switch("isCreateIe8Compatible", False, GENERATION, "Generated pages ask for the mode of Internet Explorer 8."),
        _switch("isCreateBrowserNoCache", False, GENERATION, "Generated pages ask browsers not to keep them."),
        _switch("isCreateJsIgnoreError", False, GENERATION, "Generated pages hide errors of scripts."),
        _switch("isCreateWithJQuery", True, GENERATION, "Generated pages include jQuery."),
        _switch("isCreateDoubleClick", False, GENERATION, "A double click generates a page anew."),
        _number(
            "createStaticMaxPage",
            10,
            0,
            1_000_000,
            GENERATION,
            "How many pages of a list are generated ahead; 0 is all.",
        ),
        _switch("isCreateStaticContentByAddDate", False, GENERATION, "Pages of old contents are not generated."),
        _attribute(
            "createStaticContentAddDate",
            Kind.DATE_TIME,
            NEVER,
            GENERATION,
            f"Contents added before are old; {NEVER} is no limit.",
        ),
        _switch("isCrossSiteTransChecked", False, APPROVAL, "Contents that come from another site need no approval."),
        _switch("configTemplateIsCodeMirror", True, BACK_END, "Templates are edited with colours."),
        _number(
            "configVideoContentInsertWidth",
            420,
            0,
            _PIXELS,
            BACK_END,
            "Width of a video that is put into a body, in pixels.",
        ),
        _number(
            "configVideoContentInsertHeight",
            280,
            0,
            _PIXELS,
            BACK_END,
            "Height of a video that is put into a body, in pixels.",
        ),
        _choice(
            "configExportType",
            "",
            ("", "ContentZip", "ContentAccess", "ContentExcel"),
            BACK_END,
            "Form of the last export of contents.",
        ),
        _text(
            "configExportPeriods",
            "",
            BACK_END,
            "Days back of the last export: 0 all, 7, 30, 180, 365, -1 for two dates.",
            form=_DAYS,
        ),
        _text(
            "configExportDisplayAttributes",
            "",
            BACK_END,
            "Fields of the last export, comma-separated.",
            max_length=_LONG,
        ),
        _choice(
            "configExportIsChecked",
            "",
            ("", "All", "True", "False"),
            BACK_END,
            "Whether the last export was of approved contents.",
        ),
        _text(
            "configSelectImageCurrentUrl",
            "",
            BACK_END,
            "Folder where pictures were last chosen; empty is @/ and imageUploadDirectoryName.",
        ),
        _text(
            "configSelectVideoCurrentUrl",
            "",
            BACK_END,
            "Folder where videos were last chosen; empty is @/ and videoUploadDirectoryName.",
        ),
        _text(
            "configSelectFileCurrentUrl",
            "",
            BACK_END,
            "Folder where files were last chosen; empty is @/ and fileUploadDirectoryName.",
        ),
        _choice(
            "configUploadImageIsTitleImage",
            "True",
            TRUE_OR_FALSE,
            BACK_END,
            "A picture of a body was also made the content's imageUrl.",
        ),
        _text("configUploadImageTitleImageWidth", "300", BACK_END, "Its width then, in pixels.", form=_DIGITS),
        _text("configUploadImageTitleImageHeight", "", BACK_END, "Its height then, in pixels.", form=_DIGITS),
        _choice(
            "configUploadImageIsShowImageInTextEditor",
            "True",
            TRUE_OR_FALSE,
            BACK_END,
            "The picture was put into the body.",
        ),
        _choice(
            "configUploadImageIsLinkToOriginal",
            "",
            TRUE_OR_FALSE,
            BACK_END,
            "It was linked to the picture in full size.",
        ),
        _choice("configUploadImageIsSmallImage", "True", TRUE_OR_FALSE, BACK_END, "It was made smaller."),
        _text(
            "configUploadImageSmallImageWidth",
            "500",
            BACK_END,
            "Width of the smaller picture, in pixels.",
            form=_DIGITS,
        ),
        _text(
            "configUploadImageSmallImageHeight", "", BACK_END, "Height of the smaller picture, in pixels.", form=_DIGITS
        ),
        _text("siteSettingsCollection", "", BACK_END, "Further settings of old versions.", max_length=_LONG),
        _text("imageUploadDirectoryName", "upload/images", UPLOADS, "Folder of uploaded pictures.", form=_GIVEN),
        _choice(
            "imageUploadDateFormatString",
            "Month",
            FOLDERS_BY_DATE,
            UPLOADS,
            "Its folders within: by year, month or day.",
        ),
        _switch("isImageUploadChangeFileName", True, UPLOADS, "Uploaded pictures get new names."),
        _text(
            "imageUploadTypeCollection",
            "gif|jpg|jpeg|bmp|png|pneg|swf",
            UPLOADS,
            "Extensions that a picture may have, separated by |.",
            form=_BARS,
        ),
        _number("imageUploadTypeMaxSize", 15_360, 1, _KILOBYTES, UPLOADS, "Largest size of a picture, in KB."),
        _text("videoUploadDirectoryName", "upload/videos", UPLOADS, "Folder of uploaded videos.", form=_GIVEN),
        _choice(
            "videoUploadDateFormatString",
            "Month",
            FOLDERS_BY_DATE,
            UPLOADS,
            "Its folders within: by year, month or day.",
        ),
        _switch("isVideoUploadChangeFileName", True, UPLOADS, "Uploaded videos get new names."),
        _text(
            "videoUploadTypeCollection",
            "asf|asx|avi|flv|mid|midi|mov|mp3|mp4|mpg|mpeg|ogg|ra|rm|rmb|rmvb|rp|rt|smi|swf|wav|webm|wma|wmv|viv",
            UPLOADS,
            "Extensions that a video may have, separated by |.",
            form=_BARS,
        ),
        _number("videoUploadTypeMaxSize", 307_200, 1, _KILOBYTES, UPLOADS, "Largest size of a video, in KB."),
        _text("fileUploadDirectoryName", "upload/files", UPLOADS, "Folder of uploaded files.", form=_GIVEN),
        _choice(
            "fileUploadDateFormatString",
            "Month",
            FOLDERS_BY_DATE,
            UPLOADS,
            "Its folders within: by year, month or day.",
        ),
        _switch("isFileUploadChangeFileName", True, UPLOADS, "Uploaded files get new names."),
        _text(
            "fileUploadTypeCollection",
            "zip,rar,7z,js,css,txt,doc,docx,ppt,pptx,xls,xlsx,pdf",
            UPLOADS,
            "Extensions that a file may have, comma-separated.",
            form=_COMMAS,
        ),
        _number("fileUploadTypeMaxSize", 307_200, 1, _KILOBYTES, UPLOADS, "Largest size of a file, in KB."),
    ]
)

SITE_ATTRIBUTES = REGISTRY.by_folded_name
# Members that are "@/" and the folder of another while they are empty.
_CURRENT_FOLDERS = {
    "configSelectImageCurrentUrl": "imageUploadDirectoryName",
    "configSelectVideoCurrentUrl": "videoUploadDirectoryName",
    "configSelectFileCurrentUrl": "fileUploadDirectoryName",
}


class AddressedSite(Protocol):
    """What the members of a site follow from."""

    settings: Any  # the members that are stored
    web_url: Any  # where its pages are, without a slash at the end


def site_attributes(site: AddressedSite) -> dict[str, Any]:
    """The `attributes` of a site for the wire: every member, stored, computed or by default."""
    values = REGISTRY.values(site.settings)
    values["webUrl"] = values["separatedWebUrl"] if values["isSeparatedWeb"] else site.web_url or "/"
    values["assetsUrl"] = _assets_url(values, site.web_url)
    # Packages may hold 0, which means one level too.
    values["checkContentLevel"] = max(1, values["checkContentLevel"]) if values["isCheckContentLevel"] else 1
    for name, folder in _CURRENT_FOLDERS.items():
        values[name] = values[name] or f"@/{values[folder]}"
    return values


def _assets_url(values: dict[str, Any], web_url: str) -> str:
    if values["isSeparatedAssets"]:
        return str(values["separatedAssetsUrl"])
    return f"{web_url}/{values['assetsDir'].strip('/')}/"


def validate_settings(settings: Any) -> None:
    """Raise ValidationError with a sentence for each entry that a site's settings cannot hold.

    Entries of other names are free. A member in another letter case than its own is refused, since it
    would be answered with its default.
    """
    if not isinstance(settings, dict):
        raise ValidationError("The settings must be a JSON object.")
    if problems := REGISTRY.problems(settings):
        raise ValidationError(problems)
