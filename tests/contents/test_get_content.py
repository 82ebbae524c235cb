"""`GET /contents/{siteId}/{channelId}/{id}`."""

from datetime import datetime

import pytest

from tests.assertions import assert_error
from tests.factories import ChannelFactory, ContentFactory, SiteFactory


def address(content, site=None, channel=None, id=None):
    place = [content.site_id if site is None else site, content.channel_id if channel is None else channel]
    return "/api/v1/contents/{}/{}/{}".format(*place, content.pk if id is None else id)


def get(api, content):
    response = api.get(address(content))
    assert response.status_code == 200, response.content
    return response.json()["value"]


def test_answers_every_member(api):
    site = SiteFactory(site_dir="test16")
    content = ContentFactory(
        channel=ChannelFactory(site=site),
        add_user_name="admin",
        last_edit_user_name="editor",
        last_edit_date=datetime(2018, 7, 11, 11, 18, 39),
        taxis=3,
        is_checked=True,
        last_hits_date=datetime(2018, 1, 20, 13, 48),
        settings_xml='{"titleformatstring":"False_False_False_","check_isadmin":"True",'
        '"check_username":"siteserver","check_checkdate":"2018-01-20 13:48"}',
        title="简化租房流程",
        add_date=datetime(2018, 1, 20, 13, 47, 46),
        content='<p style="font-family: &quot;\\5FAE软雅黑&quot;">36氪</p>',
        summary="科布斯表示，“我们是”",
    )
    response = api.get(address(content))
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json; charset=utf-8"
    assert response.json() == {
        "value": {
            "id": content.pk,
            "channelId": content.channel_id,
            "siteId": site.pk,
            "addUserName": "admin",
            "lastEditUserName": "editor",
            "writingUserName": "",
            "lastEditDate": "2018-07-11 11:18:39",
            "taxis": 3,
            "groupNameCollection": "",
            "tags": "",
            "sourceId": 0,
            "referenceId": 0,
            "isChecked": True,
            "checkedLevel": 0,
            "hits": 0,
            "hitsByDay": 0,
            "hitsByWeek": 0,
            "hitsByMonth": 0,
            "lastHitsDate": "2018-01-20 13:48:00",
            "settingsXml": content.settings_xml,
            "title": "简化租房流程",
            "isTop": False,
            "isRecommend": False,
            "isHot": False,
            "isColor": False,
            "linkUrl": "",
            "addDate": "2018-01-20 13:47:46",
            "subTitle": "",
            "imageUrl": "",
            "videoUrl": "",
            "fileUrl": "",
            "content": '<p style="font-family: &quot;\\5FAE软雅黑&quot;">36氪</p>',
            "summary": "科布斯表示，“我们是”",
            "author": "",
            "source": "",
            "titleformatstring": "False_False_False_",
            "check_isadmin": "True",
            "check_username": "siteserver",
            "check_checkdate": "2018-01-20 13:48",
            "navigationUrl": f"/test16/contents/{content.channel_id}/{content.pk}.html",
        }
    }


def test_is_the_same_record_as_in_the_list(api):
    content = ContentFactory(
        content="<p>x</p>", image_url="@/a.png", settings_xml='{"a":[1,{"b":null}],"c":true}', link_url="~/b"
    )
    response = api.post("/api/v1/contents", {"siteId": content.site_id})
    assert response.json()["contents"] == [get(api, content)]


@pytest.mark.parametrize("link,expected", [
    ("https://example.org/x?a=1#b", "https://example.org/x?a=1#b"),
    ("/x.html", "/x.html"),
    ("@/x.html", "/museum/x.html"),
    ("~/x.html", "/x.html"),
])  # fmt: skip
def test_a_link_is_the_address_of_the_page(api, link, expected):
    content = ContentFactory(channel=ChannelFactory(site=SiteFactory(site_dir="museum")), link_url=link)
    record = get(api, content)
    assert record["navigationUrl"] == expected
    assert record["linkUrl"] == link


@pytest.mark.parametrize("fields,expected", [
    ({"site_dir": "museum"}, "/museum"),
    ({"site_dir": "", "is_root": True}, ""),
    ({"settings": {"isSeparatedWeb": True, "separatedWebUrl": "https://m.example/"}}, "https://m.example"),
])  # fmt: skip
def test_addresses_begin_with_the_site_s(api, fields, expected):
    content = ContentFactory(
        channel=ChannelFactory(site=SiteFactory(**fields)), image_url="@/a.png", video_url="@/a.mp4", file_url="@/a.pdf"
    )
    record = get(api, content)
    assert record["imageUrl"] == f"{expected}/a.png"
    assert record["videoUrl"] == f"{expected}/a.mp4"
    assert record["fileUrl"] == f"{expected}/a.pdf"
    assert record["navigationUrl"] == f"{expected}/contents/{content.channel_id}/{content.pk}.html"


def test_a_setting_never_hides_a_member_of_the_interface(api):
    content = ContentFactory(title="real", settings_xml='{"title":"false","id":0,"navigationUrl":"x","isTop":"x"}')
    record = get(api, content)
    assert (record["title"], record["id"], record["isTop"]) == ("real", content.pk, False)
    assert record["navigationUrl"].endswith(f"/{content.pk}.html")


@pytest.mark.parametrize("wrong,named", [
    ({"site": 0}, "site_not_found"),
    ({"site": 10**9}, "site_not_found"),
    ({"channel": 0}, "channel_not_found"),
    ({"channel": -1}, "channel_not_found"),
    ({"id": 0}, "content_not_found"),
    ({"id": -1}, "content_not_found"),
    ({"id": 2**63 - 1}, "content_not_found"),
])  # fmt: skip
def test_is_404_outside_its_site_and_channel(api, wrong, named):
    assert_error(api.get(address(ContentFactory(), **wrong)), 404, named)


def test_is_404_through_another_channel_or_site(api):
    content, other = ContentFactory(), ContentFactory()
    sibling = ChannelFactory(site=content.site)
    assert_error(api.get(address(content, channel=sibling.pk)), 404, "content_not_found")
    assert_error(api.get(address(content, channel=content.site_id)), 404, "content_not_found")
    assert_error(api.get(address(content, channel=other.channel_id)), 404, "channel_not_found")
    assert_error(api.get(address(content, site=other.site_id)), 404, "channel_not_found")
    assert_error(api.get(address(content, site=other.site_id, channel=other.channel_id)), 404, "content_not_found")


def test_a_trashed_content_is_404(api):
    assert_error(api.get(address(ContentFactory(trashed_at=datetime(2020, 1, 1)))), 404, "content_not_found")


@pytest.mark.parametrize("id", ["x", "1.5", "9" * 20, "9" * 5000, "%20", "1e3"])
def test_an_id_that_is_no_number_is_no_route(api, id):
    assert_error(api.get(address(ContentFactory(), id=id)), 404, "route_not_found")


def test_needs_a_key_with_the_scope_and_the_site(stranger, client_with_key):
    content = ContentFactory()
    assert_error(stranger.get(address(content)), 401, "key_missing")
    assert_error(client_with_key(scopes="Channels").get(address(content)), 401, "scope_missing")
    other = client_with_key(scopes="Contents", site_ids=str(SiteFactory().pk))
    assert_error(other.get(address(content)), 401, "site_not_allowed")
    assert_error(other.get(address(content, site=10**9)), 401, "site_not_allowed")
    assert client_with_key(scopes="Contents:read").get(address(content)).status_code == 200


@pytest.mark.parametrize("path", ["{}/", "{}//", "{}?1590000000000", "{}?&siteid=9&x=y"])
def test_slashes_and_unknown_parameters_change_nothing(api, path):
    content = ContentFactory()
    assert api.get(path.format(address(content))).json()["value"]["id"] == content.pk


def test_posting_to_a_content_is_405(api):
    assert_error(api.post(address(ContentFactory()), {}), 405, "method_not_allowed")
