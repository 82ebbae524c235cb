"""The members of a site's and of a channel's settings, which have types where their text form has none.

Names are compared without letter case: the pair form of a settings text knows small letters only.
"""

from datetime import tzinfo
from typing import Any

from transfer.values import Reader, read_date, read_flag, read_integer, read_plain

TRANS_TYPES = ("None", "SelfSite", "SpecifiedSite", "ParentSite", "AllParentSite", "AllSite")
TRANS_DONE_TYPES = ("Copy", "Cut", "Reference", "ReferenceContent")

Members = dict[str, tuple[str, Reader]]


def number_of(names: tuple[str, ...]) -> Reader:
    """Return a reader that takes the place of a name in the list, or the number itself."""
    numbers = {name.lower(): number for number, name in enumerate(names)}

    def read(text: str, time_zone: tzinfo, /) -> int:
        word = text.strip().lower()
        return numbers[word] if word in numbers else read_integer(text, time_zone)

    return read


def read_date_text(text: str, time_zone: tzinfo) -> str:
    """Return the date in the form in which the interface answers it."""
    moment = read_date(text, time_zone)
    return moment.isoformat(" ") if moment else ""


def member_table(*rows: tuple[Reader, str]) -> Members:
    """Return the members by every lower-case name listed for them; `old=new` lists a former name."""
    return {
        listed.partition("=")[0].lower(): (listed.rpartition("=")[2], read)
        for read, names in rows
        for listed in names.split()
    }


CHANNEL_MEMBERS = member_table(
    (read_flag, "isChannelAddable isContentAddable isChannelCreatable isContentCreatable"),
    (read_flag, "isCreateChannelIfContentChanged transIsAutomatic isPreviewContents"),
    (read_plain, "createChannelIDsIfContentChanged contentAttributesOfDisplay"),
    (read_plain, "transChannelIds transChannelNames defaultTaxisType"),
    (number_of(TRANS_TYPES), "transType"),
    (number_of(TRANS_DONE_TYPES), "transDoneType"),
    (read_integer, "transSiteId"),
)
SITE_MEMBERS = member_table(
    (read_flag, "isCheckContentLevel IsCheckContentUseLevel=isCheckContentLevel isCountDownload isCountHits"),
    (read_flag, "isCountHitsByDay isSaveImageInTextEditor isAutoPageInTextEditor isContentTitleBreakLine"),
    # Version 6.3 writes a letter too many.
    (read_flag, "isAutoCheckKeywords lisAutoCheckKeywords=isAutoCheckKeywords isWaterMark isImageWaterMark"),
    (read_flag, "isSeparatedWeb isSeparatedAssets isCreateContentIfContentChanged isCreateChannelIfChannelChanged"),
    (read_flag, "isCreateShowPageInfo isCreateIe8Compatible isCreateBrowserNoCache isCreateJsIgnoreError"),
    (read_flag, "isCreateWithJQuery isCreateDoubleClick isCreateStaticContentByAddDate isCrossSiteTransChecked"),
    (read_flag, "configTemplateIsCodeMirror isImageUploadChangeFileName isVideoUploadChangeFileName"),
    (read_flag, "isFileUploadChangeFileName"),
    (read_integer, "pageSize checkContentLevel autoPageWordNum photoSmallWidth photoMiddleWidth"),
    (read_integer, "waterMarkPosition waterMarkTransparency waterMarkMinWidth waterMarkMinHeight"),
    (read_integer, "waterMarkFontSize createStaticMaxPage configVideoContentInsertWidth"),
    (read_integer, "configVideoContentInsertHeight imageUploadTypeMaxSize videoUploadTypeMaxSize"),
    (read_integer, "fileUploadTypeMaxSize"),
    (read_plain, "charset waterMarkFormatString waterMarkFontName waterMarkImagePath separatedWebUrl"),
    (read_plain, "separatedAssetsUrl assetsDir channelFilePathRule contentFilePathRule configExportType"),
    (read_plain, "configExportPeriods configExportDisplayAttributes configExportIsChecked"),
    (read_plain, "configSelectImageCurrentUrl configSelectVideoCurrentUrl configSelectFileCurrentUrl"),
    (read_plain, "configUploadImageIsTitleImage configUploadImageTitleImageWidth configUploadImageTitleImageHeight"),
    (read_plain, "configUploadImageIsShowImageInTextEditor configUploadImageIsLinkToOriginal"),
    (read_plain, "configUploadImageIsSmallImage configUploadImageSmallImageWidth"),
    (read_plain, "configUploadImageSmallImageHeight siteSettingsCollection imageUploadDirectoryName"),
    (read_plain, "imageUploadDateFormatString imageUploadTypeCollection videoUploadDirectoryName"),
    (read_plain, "videoUploadDateFormatString videoUploadTypeCollection fileUploadDirectoryName"),
    (read_plain, "fileUploadDateFormatString fileUploadTypeCollection"),
    (read_date_text, "createStaticContentAddDate"),
)


def typed_settings(settings: dict[str, str], members: Members, time_zone: tzinfo) -> dict[str, Any]:
    """Return the settings with their members named and typed as the interface declares them.

    Members without a text are left out, so that their default applies; other entries stay texts.
    """
    typed = {}
    for name, text in settings.items():
        if name.lower() not in members:
            typed[name] = text
        elif text:
            member, read = members[name.lower()]
            typed[member] = read_member(member, read, text, time_zone)
    return typed


def read_member(member: str, read: Reader, text: str, time_zone: tzinfo) -> Any:
    """Return the value of a member; raise ValueError that names the member."""
    try:
        return read(text, time_zone)
    except ValueError as error:
        raise ValueError(f"{member}: {error}") from error
