"""The members of a site's attributes: names, types, defaults, computed values, what they may hold."""

import json
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError

from core.lib.errors import InvalidInput
from core.rest.attributes import NEVER
from sites.attributes import REGISTRY, SITE_ATTRIBUTES, site_attributes, validate_settings
from sites.models import Site
from transfer.sample import SampleSite

# The interface's lists.
TYPES = {
    bool: """isCheckContentLevel isCountDownload isCountHits isCountHitsByDay isSaveImageInTextEditor
        isAutoPageInTextEditor isContentTitleBreakLine isAutoCheckKeywords isWaterMark isImageWaterMark isSeparatedWeb
        isSeparatedAssets isCreateContentIfContentChanged isCreateChannelIfChannelChanged isCreateShowPageInfo
        isCreateIe8Compatible isCreateBrowserNoCache isCreateJsIgnoreError isCreateWithJQuery isCreateDoubleClick
        isCreateStaticContentByAddDate isCrossSiteTransChecked configTemplateIsCodeMirror isImageUploadChangeFileName
        isVideoUploadChangeFileName isFileUploadChangeFileName""",
    int: """pageSize checkContentLevel autoPageWordNum photoSmallWidth photoMiddleWidth waterMarkPosition
        waterMarkTransparency waterMarkMinWidth waterMarkMinHeight waterMarkFontSize createStaticMaxPage
        configVideoContentInsertWidth configVideoContentInsertHeight imageUploadTypeMaxSize videoUploadTypeMaxSize
        fileUploadTypeMaxSize""",
    str: """charset waterMarkFormatString waterMarkFontName waterMarkImagePath separatedWebUrl webUrl
        separatedAssetsUrl assetsDir assetsUrl channelFilePathRule contentFilePathRule configExportType
        configExportPeriods configExportDisplayAttributes configExportIsChecked configSelectImageCurrentUrl
        configSelectVideoCurrentUrl configSelectFileCurrentUrl configUploadImageIsTitleImage
        configUploadImageTitleImageWidth configUploadImageTitleImageHeight configUploadImageIsShowImageInTextEditor
        configUploadImageIsLinkToOriginal configUploadImageIsSmallImage configUploadImageSmallImageWidth
        configUploadImageSmallImageHeight siteSettingsCollection imageUploadDirectoryName imageUploadDateFormatString
        imageUploadTypeCollection videoUploadDirectoryName videoUploadDateFormatString videoUploadTypeCollection
        fileUploadDirectoryName fileUploadDateFormatString fileUploadTypeCollection createStaticContentAddDate""",
}
# A new site in the folder "museum", in the order of the answer.
NEW = """
charset="utf-8" pageSize=30 isCheckContentLevel=false checkContentLevel=1 isCountDownload=true isCountHits=false
isCountHitsByDay=false isSaveImageInTextEditor=true isAutoPageInTextEditor=false autoPageWordNum=1500
isContentTitleBreakLine=false isAutoCheckKeywords=false photoSmallWidth=70 photoMiddleWidth=400 isWaterMark=false
isImageWaterMark=false waterMarkPosition=9 waterMarkTransparency=5 waterMarkMinWidth=200 waterMarkMinHeight=200
waterMarkFormatString="" waterMarkFontName="" waterMarkFontSize=12 waterMarkImagePath="" isSeparatedWeb=false
separatedWebUrl="" webUrl="/museum" isSeparatedAssets=false separatedAssetsUrl="" assetsDir="upload"
assetsUrl="/museum/upload/" channelFilePathRule="/channels/{@ChannelID}.html"
contentFilePathRule="/contents/{@ChannelID}/{@ContentID}.html" isCreateContentIfContentChanged=true
isCreateChannelIfChannelChanged=true isCreateShowPageInfo=false isCreateIe8Compatible=false isCreateBrowserNoCache=false
isCreateJsIgnoreError=false isCreateWithJQuery=true isCreateDoubleClick=false createStaticMaxPage=10
isCreateStaticContentByAddDate=false createStaticContentAddDate="0001-01-01\u202f00:00:00" isCrossSiteTransChecked=false
configTemplateIsCodeMirror=true configVideoContentInsertWidth=420 configVideoContentInsertHeight=280 configExportType=""
configExportPeriods="" configExportDisplayAttributes="" configExportIsChecked=""
configSelectImageCurrentUrl="@/upload/images" configSelectVideoCurrentUrl="@/upload/videos"
configSelectFileCurrentUrl="@/upload/files" configUploadImageIsTitleImage="True" configUploadImageTitleImageWidth="300"
configUploadImageTitleImageHeight="" configUploadImageIsShowImageInTextEditor="True" configUploadImageIsLinkToOriginal=""
configUploadImageIsSmallImage="True" configUploadImageSmallImageWidth="500" configUploadImageSmallImageHeight=""
siteSettingsCollection="" imageUploadDirectoryName="upload/images" imageUploadDateFormatString="Month"
isImageUploadChangeFileName=true imageUploadTypeCollection="gif|jpg|jpeg|bmp|png|pneg|swf" imageUploadTypeMaxSize=15360
videoUploadDirectoryName="upload/videos" videoUploadDateFormatString="Month" isVideoUploadChangeFileName=true
videoUploadTypeCollection="asf|asx|avi|flv|mid|midi|mov|mp3|mp4|mpg|mpeg|ogg|ra|rm|rmb|rmvb|rp|rt|smi|swf|wav|webm|wma|wmv|viv"
videoUploadTypeMaxSize=307200 fileUploadDirectoryName="upload/files" fileUploadDateFormatString="Month"
isFileUploadChangeFileName=true fileUploadTypeCollection="zip,rar,7z,js,css,txt,doc,docx,ppt,pptx,xls,xlsx,pdf"
fileUploadTypeMaxSize=307200
"""  # noqa: E501
SAMPLE = Path(__file__).parents[3] / "shared" / "samples" / "12-stl-sites.json"


def site(settings=None, **fields):
    """A site that is not stored, with its address."""
    made = Site(id=1, settings=settings or {}, **({"site_dir": "museum"} | fields))
    made.web_url = made.compute_web_url()
    return made


def test_a_new_site_answers_every_member_with_its_default():
    expected = dict(each.split("=", 1) for each in NEW.split(" ") for each in each.split("\n") if each)
    expected = {name: json.loads(value.replace("\u202f", " ")) for name, value in expected.items()}
    answered = site_attributes(site())
    assert answered == expected
    assert list(answered) == list(expected)


def test_names_and_types_are_those_of_the_interface():
    expected = {name: kind for kind, names in TYPES.items() for name in names.split()}
    assert {name: type(value) for name, value in site_attributes(site()).items()} == expected
    assert {attribute.name for attribute in REGISTRY if not attribute.is_hidden} == set(expected)


@pytest.mark.skipif(not SAMPLE.is_file(), reason="The samples do not lie in ../shared/samples.")
def test_names_and_types_are_those_of_the_published_sample():
    published = json.loads(SAMPLE.read_text(encoding="utf-8"))["response"]["body"]["value"]
    assert published
    for shown in published:
        expected = shown["attributes"]
        settings = {name: value for name, value in expected.items() if not REGISTRY.by_name[name].is_computed}
        validate_settings(settings)
        answered = site_attributes(site(settings, site_dir=shown["siteDir"]))
        assert list(answered) == list(expected)
        assert answered == expected


def test_every_member_has_a_group_and_a_help_text():
    assert all(attribute.group and attribute.help_text.endswith(".") for attribute in REGISTRY)


def test_every_default_is_allowed():
    assert [attribute.name for attribute in REGISTRY if not attribute.fits(attribute.default)] == []


HOST = {"isSeparatedWeb": True, "separatedWebUrl": "https://m.example/a/"}


@pytest.mark.parametrize("fields,web_url,assets_url", [
    ({}, "/museum", "/museum/upload/"),
    ({"site_dir": "", "is_root": True}, "/", "/upload/"),
    ({"site_dir": "root", "is_root": True}, "/", "/upload/"),
    ({"parent": Site(site_dir="a")}, "/a/museum", "/a/museum/upload/"),
    ({"settings": HOST}, "https://m.example/a/", "https://m.example/a/upload/"),
    ({"settings": {"isSeparatedWeb": True}}, "", "/upload/"),
    ({"settings": {"separatedWebUrl": "https://m.example"}}, "/museum", "/museum/upload/"),
    ({"settings": {"assetsDir": "/files/"}}, "/museum", "/museum/files/"),
    ({"settings": {"isSeparatedAssets": True, "separatedAssetsUrl": "//cdn.example"}}, "/museum", "//cdn.example"),
    ({"settings": {"webUrl": "/x", "assetsUrl": "/y"}}, "/museum", "/museum/upload/"),
])  # fmt: skip
def test_addresses_follow_from_folder_and_hosts(fields, web_url, assets_url):
    answered = site_attributes(site(**fields))
    assert (answered["webUrl"], answered["assetsUrl"]) == (web_url, assets_url)


@pytest.mark.parametrize("settings,level", [
    ({"checkContentLevel": 3}, 1),
    ({"checkContentLevel": 3, "isCheckContentLevel": True}, 3),
    ({"checkContentLevel": 0, "isCheckContentLevel": True}, 1),
    ({"isCheckContentLevel": True}, 1),
])  # fmt: skip
def test_there_is_one_level_of_approval_unless_the_switch_is_on(settings, level):
    assert site_attributes(site(settings))["checkContentLevel"] == level


@pytest.mark.parametrize("settings,expected", [
    ({"imageUploadDirectoryName": "up"}, "@/up"),
    ({"configSelectImageCurrentUrl": "", "imageUploadDirectoryName": "up"}, "@/up"),
    ({"configSelectImageCurrentUrl": "@/x", "imageUploadDirectoryName": "up"}, "@/x"),
])  # fmt: skip
def test_the_folder_last_chosen_from_is_first_the_folder_of_uploads(settings, expected):
    assert site_attributes(site(settings))["configSelectImageCurrentUrl"] == expected


@pytest.mark.parametrize("settings", [
    {"pageSize": "20"},
    {"pageSize": None},
    {"pageSize": True},
    {"isWaterMark": 1},
    {"charset": ["utf-8"]},
    {"PageSize": 20},
    {"logo": "@/logo.png"},
])  # fmt: skip
def test_what_is_no_value_of_a_member_is_not_answered(settings):
    assert site_attributes(site(settings)) == site_attributes(site())


@pytest.mark.parametrize("name,sent,stored", [
    ("pageSize", "20", 20),
    ("isWaterMark", "TRUE", True),
    ("charset", "UTF-8", "utf-8"),
    ("configUploadImageIsTitleImage", "false", "False"),
    ("createStaticContentAddDate", "2026-11-20", "2026-11-20 00:00:00"),
    ("createStaticContentAddDate", "1754-01-01 00:00:00", NEVER),
    ("separatedWebUrl", "https://m.example", "https://m.example"),
])  # fmt: skip
def test_a_sent_value_is_read_in_the_forms_of_clients(name, sent, stored):
    assert SITE_ATTRIBUTES[name.casefold()].read(sent, name) == stored


def test_a_refused_value_names_the_member_as_it_was_sent_and_the_range():
    with pytest.raises(InvalidInput) as caught:
        SITE_ATTRIBUTES["pagesize"].read("0", "PageSize")
    assert caught.value.message == "PageSize must be an integer from 1 to 10000."
    assert (caught.value.code, caught.value.members) == ("invalid_value", {"member": "PageSize"})


@pytest.mark.parametrize("settings,problem", [
    ({"pageSize": 0}, "pageSize must be an integer from 1 to 10000."),
    ({"pageSize": 10_001}, "pageSize must be an integer from 1 to 10000."),
    ({"pageSize": "20"}, "pageSize must be an integer from 1 to 10000."),
    ({"pageSize": True}, "pageSize must be an integer from 1 to 10000."),
    ({"checkContentLevel": 6}, "checkContentLevel must be an integer from 0 to 5."),
    ({"waterMarkPosition": 10}, "waterMarkPosition must be an integer from 1 to 9."),
    ({"imageUploadTypeMaxSize": 10_485_761}, "imageUploadTypeMaxSize must be an integer from 1 to 10485760."),
    ({"isWaterMark": "True"}, "isWaterMark must be true or false."),
    ({"imageUploadDateFormatString": "Week"}, "imageUploadDateFormatString must be one of Year, Month, Day, Chinese."),
    ({"configExportIsChecked": "Yes"}, "configExportIsChecked must be one of empty, All, True, False."),
    ({"assetsDir": " "}, "assetsDir must be a text that is not blank and of at most 2000 characters."),
    ({"channelFilePathRule": "/" * 501},
     "channelFilePathRule must be a text that is not blank and of at most 500 characters."),
    ({"configUploadImageTitleImageWidth": "wide"},
     "configUploadImageTitleImageWidth must be a number of pixels in digits, or empty."),
    ({"imageUploadTypeCollection": "gif,jpg"},
     "imageUploadTypeCollection must be extensions separated by | and of at most 2000 characters."),
    ({"separatedWebUrl": " java\tscript:x"}, "separatedWebUrl must be a text of at most 2000 characters and without a "
     "javascript: or data: scheme."),
    ({"createStaticContentAddDate": "soon"},
     "createStaticContentAddDate must be a date and time such as 2026-11-20 09:30:00."),
    ({"pagesize": 20}, "pagesize must be spelt pageSize."),
    ({"webUrl": "/museum"}, "webUrl is computed and cannot be set."),
])  # fmt: skip
def test_settings_are_refused_with_a_sentence_per_member(settings, problem):
    with pytest.raises(ValidationError) as caught:
        validate_settings(settings | {"isCountHits": 7, "logo": "@/a.png"})
    assert caught.value.messages == [problem, "isCountHits must be true or false."]


@pytest.mark.parametrize("settings", [[], "x", None, 1])
def test_settings_are_an_object(settings):
    with pytest.raises(ValidationError, match="must be a JSON object"):
        validate_settings(settings)


@pytest.mark.parametrize("settings", [
    {},
    {"logo": "@/logo.png", "weights": [1, 2]},
    {"pageSize": 1},
    {"pageSize": 10_000, "createStaticContentAddDate": "2026-11-20 09:30:00"},
])  # fmt: skip
def test_settings_within_the_ranges_and_custom_entries_are_allowed(settings):
    validate_settings(settings)


def test_the_sample_site_keeps_the_ranges():
    validate_settings(SampleSite().site.settings)
