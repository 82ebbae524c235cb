"""`GET /media/{siteId}/{id}/uses`: records whose texts use a file, without their texts."""

import pytest

from contents.models import Content, ContentBody
from media_library.models import MediaFile, MediaUseFill
from pages.models import Template
from tests.assertions import assert_error
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.media_library.uploads import address

pytestmark = pytest.mark.django_db
TEXT = '<img src="@/upload/a.jpg">'


@pytest.fixture
def file():
    return MediaFile.objects.create(site=SiteFactory(), path="upload/a.jpg", kind="image", bytes=1)


@pytest.fixture
def channel(file):
    return ChannelFactory(site=file.site)


def listed(client, file, query=""):
    response = client.get(f"{address(file.site, file.pk, 'uses')}?{query}")
    assert response.status_code == 200, response.content
    return response.json()


def ids(page):
    return [use["id"] for use in page["value"]]


def test_lists_records_by_source_and_id(api, file, channel):
    content = ContentFactory(channel=channel, image_url="@/upload/a.jpg", content=TEXT + TEXT)
    trashed = ContentFactory(channel=channel, content=TEXT, trashed_at="2026-01-01 00:00:00")
    template = Template.objects.create(site=file.site, kind="IncludeFile", name="a", text=TEXT)
    ContentFactory(channel=channel, content="@/upload/b.jpg")
    ContentFactory(content=TEXT)
    assert listed(api, file) == {
        "value": [
            {"source": "content.body", "id": content.pk, "channelId": channel.pk},
            {"source": "content.body", "id": trashed.pk, "channelId": channel.pk},
            {"source": "content.fields", "id": content.pk, "channelId": channel.pk},
            {"source": "template", "id": template.pk, "channelId": None},
        ],
        "count": 4,
        "isComplete": True,
    }


def test_a_file_without_uses_has_an_empty_list(api, file):
    assert listed(api, file, "cursor=") == {"value": [], "nextCursor": None, "isComplete": True}


def test_says_that_uses_are_still_being_found(api, file):
    MediaUseFill.objects.create(source="content.body")
    assert listed(api, file)["isComplete"] is False


def test_pages_by_number_and_by_cursor_have_the_same_uses(api, file, channel):
    made = [ContentFactory(channel=channel, content=TEXT).pk for _ in range(5)]
    Content.objects.filter(pk=made[0]).update(image_url="@/upload/a.jpg")
    made.append(made[0])
    page = listed(api, file, "top=2&skip=2")
    assert (ids(page), page["count"]) == (made[2:4], 6)
    assert page["next"].endswith("/uses?top=2&skip=4") and page["prev"].endswith("top=2&skip=0")
    cursor, found = "", []
    while cursor is not None:
        page = listed(api, file, f"top=2&cursor={cursor}")
        found += ids(page)
        cursor = page["nextCursor"]
    assert found == made


def test_a_cursor_belongs_to_its_file(api, file, channel):
    other = MediaFile.objects.create(site=file.site, path="upload/b.jpg", kind="image", bytes=1)
    for _ in range(2):
        ContentFactory(channel=channel, content=TEXT)
    cursor = listed(api, file, "top=1&cursor=")["nextCursor"]
    assert_error(api.get(f"{address(file.site, other.pk, 'uses')}?cursor={cursor}"), 400, "invalid_cursor")
    assert_error(api.get(f"{address(file.site)}?cursor={cursor}"), 400, "invalid_cursor")


@pytest.mark.parametrize("query", ["cursor=abc", "cursor=&skip=1", "top=many", "top=1001"])
def test_queries_that_cannot_be_read_are_refused(api, file, query):
    assert_error(api.get(f"{address(file.site, file.pk, 'uses')}?{query}"), 400)


def test_the_tag_changes_with_the_uses(api, file, channel):
    path = address(file.site, file.pk, "uses")
    content = ContentFactory(channel=channel, content="none")
    tag = api.get(path).headers["ETag"]
    assert api.get(path, headers={"If-None-Match": tag}).status_code == 304
    ContentBody.objects.filter(content=content).update(text=TEXT)
    assert api.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_files_elsewhere_and_in_the_trash_are_404(api, client_with_key, file):
    other = MediaFile.objects.create(site=SiteFactory(), path="upload/a.jpg", kind="image", bytes=1)
    assert_error(api.get(address(file.site, other.pk, "uses")), 404, "media_not_found")
    assert_error(api.get("/api/v1/media/999/1/uses"), 404, "site_not_found")
    client = client_with_key(scopes="Media:read", site_ids=str(file.site_id))
    assert client.get(address(file.site, file.pk, "uses")).status_code == 200
    assert_error(client.get(address(other.site, other.pk, "uses")), 401, "site_not_allowed")
    assert_error(client_with_key(scopes="Contents").get(address(file.site, file.pk, "uses")), 401, "scope_missing")
    MediaFile.objects.filter(pk=file.pk).update(trashed_at="2026-01-01 00:00:00")
    assert_error(api.get(address(file.site, file.pk, "uses")), 404, "media_not_found")
