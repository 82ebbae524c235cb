"""The forms of dates, flags, numbers and encoded texts in site templates, as tables."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from core.lib.dates import parse_date
from tools.site_templates import encoded
from transfer.site_template import CHANNEL_MEMBERS, SITE_MEMBERS, typed_settings
from transfer.values import (
    LINK_TYPES,
    decode_text,
    read_counter,
    read_flag,
    read_folder,
    read_integer,
    read_link_type,
)

SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("06/20/2017 10:52:00", (2017, 6, 20, 10, 52)),
        ("6/20/2017", (2017, 6, 20)),
        ("6/20/2017 1:05:09 PM", (2017, 6, 20, 13, 5, 9)),
        ("6/20/2017 12:00:00 AM", (2017, 6, 20)),
        ("2017-06-20 10:52:00", (2017, 6, 20, 10, 52)),
        ("2017-06-20 10:52", (2017, 6, 20, 10, 52)),
        ("2017-06-20", (2017, 6, 20)),
        ("2017年6月20日", (2017, 6, 20)),
        ("2017年6月20日 星期二", (2017, 6, 20)),
        ("2017年6月20日 10:52:00", (2017, 6, 20, 10, 52)),
        ("2017/6/20 10:52:00", (2017, 6, 20, 10, 52)),
        ("2017/6/20 上午 10:52:00", (2017, 6, 20, 10, 52)),
        ("2017/6/20 下午 3:05:00", (2017, 6, 20, 15, 5)),
        ("2017/6/20 下午3:05:00", (2017, 6, 20, 15, 5)),
        ("2017/6/20 下午 12:05:00", (2017, 6, 20, 12, 5)),
        ("2017/6/20 上午 12:05:00", (2017, 6, 20, 0, 5)),
        ("2017/6/20 星期二 下午 3:05:00", (2017, 6, 20, 15, 5)),
        ("2017年6月20日 15时05分", (2017, 6, 20, 15, 5)),
        ("2017年6月20日 下午3点05分09秒", (2017, 6, 20, 15, 5, 9)),
        ("2017/6/20 PM 3:05", (2017, 6, 20, 15, 5)),
        ("2017-06-20T10:52:00", (2017, 6, 20, 10, 52)),
        ("2017-06-20T10:52:00+08:00", (2017, 6, 20, 10, 52)),
        ("2017-06-20T10:52:00.1234567+08:00", (2017, 6, 20, 10, 52)),
        ("2017-06-20T02:52:00Z", (2017, 6, 20, 10, 52)),
        ("2017-06-19T21:52:00-0500", (2017, 6, 20, 10, 52)),
        ("Wednesday, September 16, 2020", (2020, 9, 16)),
        ("September 16, 2020 3:05:00 PM", (2020, 9, 16, 15, 5)),
        ("Wednesday, 16 September 2020", (2020, 9, 16)),
        ("16 Sep 2020 10:52:00", (2020, 9, 16, 10, 52)),
        (" 2017-06-20 10:52:00\n", (2017, 6, 20, 10, 52)),
    ],
)
def test_reads_every_form_of_a_date(text, moment):
    assert parse_date(text, SHANGHAI) == datetime(*moment)


@pytest.mark.parametrize("text", ["1754/1/1 0:00:00", "01/01/0001 00:00:00", "0001-01-01T00:00:00Z"])
def test_a_date_that_never_happened_is_none(text):
    assert parse_date(text, UTC) is None


@pytest.mark.parametrize(
    "text",
    [
        "yesterday",
        "2017-13-01",
        "2017-02-30 10:00:00",
        "20/06/2017 10:00:00",
        "2017-06-20 25:00:00",
        "2017-06-20 10:52:00 later",
        "2017-06/20",
        "September 2020",
        "9999-12-31T23:59:59-08:00",
        "2017-06-20T10:00:00+99:00",
        "２０１７-06-20",
        "1" * 10_000,
        "2017-06-20" + " " * 10_000 + "x",
    ],
)
def test_refuses_what_is_no_date(text):
    with pytest.raises(ValueError, match=r".+"):
        parse_date(text, SHANGHAI)


@pytest.mark.parametrize("text", ["x", "迅驰汽车用品", "a" * 5_000, "line\r\nline", "<p>&nbsp;</p>"])
def test_decodes_what_was_encoded(text):
    assert decode_text(encoded(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "True",
        "2017-06-20 10:52:00",
        "abcdefghijkl",
        "AAAAAAAAAAA=",
        "////////////////////////////////",
        "中文中文中文中文中文中文",
        encoded("x")[:-4] + "====",
        encoded("cut in the middle")[:-12],
    ],
)
def test_takes_a_text_that_does_not_decode_as_it_stands(text):
    assert decode_text(text) == text


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("True", True),
        ("false", False),
        ("1", True),
        ("0", False),
        (" TRUE ", True),
        (encoded("True"), True),
        (encoded("False"), False),
    ],
)
def test_reads_flags_encoded_or_not(text, flag):
    assert read_flag(text, UTC) is flag


@pytest.mark.parametrize(
    ("read", "text", "reason"),
    [
        (read_flag, "maybe", '"maybe" is neither True nor False.'),
        (read_integer, "12.5", '"12.5" is not a whole number.'),
        (read_integer, "١٢", '"١٢" is not a whole number.'),
        (read_integer, "9" * 5_000, f'"{"9" * 40}" is not a whole number.'),
        (read_counter, "-1", "-1 is negative; a counter must not be negative."),
        (read_link_type, "LinkToNowhere", '"LinkToNowhere" is not a link type.'),
    ],
)
def test_says_why_a_value_cannot_be_read(read, text, reason):
    with pytest.raises(ValueError, match=r".+") as caught:
        read(text, UTC)
    assert str(caught.value) == reason


def test_maps_the_old_name_of_the_first_link_type_and_knows_all_twelve():
    assert read_link_type("LinkNoRelatedToChannelAndContent", UTC) == "None"
    assert read_link_type("linktofirstchannel", UTC) == "LinkToFirstChannel"
    assert len(set(LINK_TYPES.values())) == 12


@pytest.mark.parametrize(
    ("text", "folder"), [("harbour", "harbour"), ("parent\\harbour", "harbour"), ("a/b/", "b"), ("", "")]
)
def test_takes_the_last_part_of_a_folder(text, folder):
    assert read_folder(text, UTC) == folder


def test_types_the_members_of_channel_settings_and_keeps_the_others():
    settings = {
        "iscontentaddable": "False",
        "TransType": "SelfSite",
        "transDoneType": "2",
        "transSiteId": "436",
        "transIsAutomatic": "",
        "createchannelidsifcontentchanged": "438,439",
        "defaultTaxisType": "OrderByTaxis",
        "theme": "dark",
        "empty": "",
    }
    assert typed_settings(settings, CHANNEL_MEMBERS, UTC) == {
        "isContentAddable": False,
        "transType": 1,
        "transDoneType": 2,
        "transSiteId": 436,
        "createChannelIDsIfContentChanged": "438,439",
        "defaultTaxisType": "OrderByTaxis",
        "theme": "dark",
        "empty": "",
    }


def test_types_the_members_of_site_settings_whatever_their_names_were():
    settings = {
        "pagesize": "20",
        "lisautocheckkeywords": "True",
        "IsCheckContentUseLevel": "False",
        "CheckContentLevel": "1",
        "configuploadimageistitleimage": "False",
        "configuploadimagetitleimageheight": "",
        "createstaticcontentadddate": "2017/6/20 0:00:00",
        "logo": "@/logo.png",
    }
    assert typed_settings(settings, SITE_MEMBERS, UTC) == {
        "pageSize": 20,
        "isAutoCheckKeywords": True,
        "isCheckContentLevel": False,
        "checkContentLevel": 1,
        "configUploadImageIsTitleImage": "False",
        "createStaticContentAddDate": "2017-06-20 00:00:00",
        "logo": "@/logo.png",
    }
