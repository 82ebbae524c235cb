"""Small pictures in lists of the admin."""

import io
import re
from html import unescape

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext
from PIL import Image

from accounts.models import GroupPlace
from media_library.covers import covers_of
from tests.admin.world import administrator_with
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.media_library.uploads import picture, replace, uploaded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]


def covers_in(answer):
    return [unescape(found) for found in re.findall('<img class="cover" src="([^"]+)"', answer.content.decode())]


def size_at(client, address):
    with Image.open(io.BytesIO(b"".join(client.get(address).streaming_content))) as shown:
        return shown.size


@pytest.mark.parametrize("page", ["/admin/contents/content/", "/admin/contents/content/waiting/", "/admin/"])
def test_lists_show_small_renditions(highest, api, client, page):
    file = uploaded(api, SiteFactory(), "Old harbour.jpg")
    ContentFactory(
        channel=ChannelFactory(site=file.site),
        image_url=file.address.replace(" ", "%20"),
        is_checked=False,
        checked_level=0,
    )
    (address,) = covers_in(highest.get(page))
    assert size_at(client, address) == (64, 64)


@pytest.mark.parametrize("page", ["", "site/{}/", "site/{}/?q=pier", "site/{}/rows/?below={}"])
def test_channels_show_theirs_in_one_statement(highest, api, client, page):
    site = SiteFactory()
    ChannelFactory(site=site, channel_name="Pier")
    address = f"/admin/channels_app/channel/{page.format(site.pk, site.pk)}"

    def ask():
        with CaptureQueriesContext(connection) as asked:
            return covers_in(highest.get(address)), len(asked)

    ask()
    without, before = ask()
    files = [uploaded(api, site, f"{name}.jpg", picture((90, 60 + name))) for name in range(3)]
    for file in files:
        ChannelFactory(site=site, channel_name=f"Pier {file.pk}", image_url=file.address)
    found, after = ask()
    assert (without, after - before) == ([], 1)
    assert [size_at(client, each) for each in found] == [(60, 60), (61, 61), (62, 62)]


def test_channels_above_a_branch_show_none(api, client):
    file = uploaded(api, SiteFactory())
    top = ChannelFactory(site=file.site, image_url=file.address)
    reader = administrator_with("channels_app.view_channel")
    below = ChannelFactory(parent=top, image_url=file.address)
    GroupPlace.objects.create(group=reader.groups.get(), site_id=file.site_id, channel_id=below.pk)
    client.force_login(reader)
    page = client.get(f"/admin/channels_app/channel/site/{file.site_id}/?open={file.site_id},{top.pk}")
    assert len(covers_in(page)) == 1


@pytest.mark.parametrize(
    "address",
    [
        "",
        "https://elsewhere.example/a.jpg",
        "/other/a.jpg",
        "@/a.svg",
        "@/a.pdf",
        "@/../a.jpg",
        "@/.trash/1/a.jpg",
        "@/a",
    ],
)
def test_other_addresses_have_none(address):
    assert covers_of([(1, address)]) == {}


def test_a_bucket_makes_no_renditions_so_the_service_shows_them(settings, api, client):
    file = uploaded(api, SiteFactory())
    settings.MEDIA_URL = "https://bucket.example/"
    (address,) = covers_of([(file.site_id, file.address)]).values()
    assert size_at(client, address) == (64, 64)


def test_a_page_of_covers_asks_the_storage_nothing_and_the_database_once(monkeypatch):
    for method in ("exists", "stamp_of", "size_of", "open"):
        monkeypatch.delattr(type(default_storage._wrapped), method, raising=False)
    with CaptureQueriesContext(connection) as asked:
        assert len(covers_of([(site, f"@/upload/{number}.jpg") for site in (1, 2) for number in range(50)])) == 100
    assert len(asked) == 1


def test_a_replaced_picture_has_another_cover(api, client):
    file = uploaded(api, SiteFactory())
    pictures = [(file.site_id, file.address)]
    before = covers_of(pictures)
    replace(api, file, "a.jpg", picture((50, 40)))
    (address,) = covers_of(pictures).values()
    assert address not in before.values() and size_at(client, address) == (40, 40)
