"""Addresses of pictures in any size, which programs request."""

import io

import pytest
from django.core.files.storage import default_storage
from PIL import Image

from core.lib import clock
from media_library.models import MediaFile
from tests.assertions import assert_error
from tests.factories import SiteFactory
from tests.media_library.uploads import address, picture, uploaded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]


@pytest.fixture
def api(client_with_key):
    return client_with_key(scopes="Media:write")


@pytest.fixture
def site():
    return SiteFactory(web_url="/harbour", site_dir="harbour")


def signed(api, site, file, query="", status=200):
    response = api.get(f"{address(site, file.pk, 'rendition')}{query}")
    assert response.status_code == status, response.content
    return response.json()


def shown(client, path):
    """The status of the file at the path of the site's files, and the picture."""
    answer = client.get(f"/media/sites/{path}")
    data = b"".join(answer.streaming_content) if answer.streaming else b""
    answer.close()
    return answer.status_code, Image.open(io.BytesIO(data)) if data else None


def test_a_signed_address_shows_the_picture_in_a_size_that_is_not_listed(api, client, site):
    file = uploaded(api, site, "Pier 100% & ready.jpg")
    record = signed(api, site, file, "?W=333&h=111&fit=Cover&format=webp&q=40")["value"]
    assert record["address"].startswith("@/upload/images/")
    assert record["url"] == site.web_url + record["address"][1:]
    status, drawn = shown(client, f"{site.pk}/{record['address'].removeprefix('@/')}")
    assert (status, drawn.size, drawn.format) == (200, (333, 111), "WEBP")


def test_without_parameters_the_picture_has_its_own_size(api, client, site):
    file = uploaded(api, site)
    path = signed(api, site, file, "?w=&colour=red")["value"]["address"].removeprefix("@/")
    assert shown(client, f"{site.pk}/{path}")[1].size == (900, 600)


def test_a_signature_is_valid_for_one_size_of_one_file_of_one_site(api, client, site):
    file = uploaded(api, site)
    other_site = SiteFactory()
    default_storage.save(f"sites/{other_site.pk}/{file.path}", io.BytesIO(picture()))
    other_file = uploaded(api, site, data=picture(color=(1, 2, 3)))
    query = signed(api, site, file, "?w=333")["value"]["address"].partition("?")[2]
    assert shown(client, f"{site.pk}/{file.path}?{query}")[0] == 200
    for elsewhere in (
        f"{site.pk}/{other_file.path}?{query}",
        f"{other_site.pk}/{file.path}?{query}",
        f"{site.pk}/{file.path}?{query.replace('333', '334')}",
        f"{site.pk}/{file.path}?{query}&fit=cover",
    ):
        assert shown(client, elsewhere)[0] == 400, elsewhere


@pytest.mark.parametrize(
    ("query", "code", "member"),
    [
        ("?w=0", "rendition_refused", "w"),
        ("?h=8193", "rendition_refused", "h"),
        ("?w=-1", "rendition_refused", "w"),
        ("?fit=fill", "rendition_refused", "fit"),
        ("?format=png", "rendition_refused", "format"),
        ("?q=101", "rendition_refused", "q"),
        ("?w=wide", "invalid_value", "w"),
        ("?w=1&W=2", "duplicate_member", "W"),
    ],
)
def test_other_values_are_refused_with_the_parameter(api, site, query, code, member):
    file = uploaded(api, site)
    body = assert_error(api.get(f"{address(site, file.pk, 'rendition')}{query}"), 400, code)
    assert body["member"] == member


def test_files_that_are_no_pictures_have_no_renditions(api, site):
    file = uploaded(api, site, "hours.txt", b"Wednesday to Sunday")
    body = assert_error(api.get(address(site, file.pk, "rendition")), 400, "not_a_picture")
    assert "jpg" in body["message"]


def test_files_in_the_trash_and_of_other_sites_are_not_found(api, site):
    file = uploaded(api, site)
    assert_error(api.get(address(SiteFactory(), file.pk, "rendition")), 404, "media_not_found")
    assert api.delete(address(site, file.pk)).status_code == 200
    assert_error(api.get(address(site, file.pk, "rendition")), 404, "media_not_found")


def test_the_address_of_a_replaced_file_is_a_new_one_and_shows_the_new_bytes(api, client, site):
    file = uploaded(api, site)
    before = signed(api, site, file, "?w=333")["value"]["address"]
    MediaFile.objects.filter(pk=file.pk).update(replaced_at=clock.now())
    after = signed(api, site, file, "?w=333")["value"]["address"]
    assert after.startswith(f"{before}&v=")
    assert shown(client, f"{site.pk}/{after.removeprefix('@/')}")[0] == 200


def test_a_key_needs_the_scope(client_with_key, api, site):
    file = uploaded(api, site)
    path = address(site, file.pk, "rendition")
    assert client_with_key(scopes="Media:read").get(path).status_code == 200
    assert_error(client_with_key(scopes="Contents:write").get(path), 401, "scope_missing")
