"""The preview of a content: what was typed, as a page that can do nothing and that nobody keeps."""

import pytest

from contents.models import Content
from tests.admin.pages.browsing import place
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, SiteFactory

pytestmark = pytest.mark.django_db
TYPED = {
    "title": "开放日 <b>",
    "sub_title": "Sub",
    "author": "Ann",
    "add_date": "2026-11-20T09:30:00",
    "image_url": "@/upload/images/a.jpg",
    "body": '<p style="color:red">x</p><img src="@/upload/b.jpg"><script>alert(1)</script>',
}


def preview(client, site, content=None, **typed):
    query = f"content={content.pk}" if content else f"channel={site.pk}"
    return client.post(f"{place('contents_content', 'preview', site.pk)}?{query}", typed)


def test_it_shows_what_was_typed_with_the_files_of_the_site(highest):
    site = SiteFactory()
    page = preview(highest, site, **TYPED).content.decode()
    assert "<h1>开放日 &lt;b&gt;</h1>" in page
    assert '<p style="color:red">x</p>' in page
    assert f'src="/media/sites/{site.pk}/upload/b.jpg"' in page
    assert f'src="/media/sites/{site.pk}/upload/images/a.jpg"' in page
    assert "Ann" in page
    assert "<script>" not in page
    assert not Content.objects.exists()


def test_it_can_do_nothing_and_is_shown_in_our_own_pages_only(highest):
    answer = preview(highest, SiteFactory(), **TYPED)
    policy = answer["Content-Security-Policy"].split("; ")
    assert {"sandbox", "default-src 'none'", "form-action 'none'", "frame-ancestors 'self'"} <= set(policy)
    assert not [rule for rule in policy if rule.startswith(("script-src", "connect-src", "frame-src"))]
    assert answer["X-Frame-Options"] == "SAMEORIGIN"
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize(
    "typed",
    [{}, {"add_date": "soon"}, {"body": "<div>" * 1000}, {"body": '<img src="data:image/png,x">'}, {"image_url": "@"}],
)
def test_whatever_was_typed_can_be_shown(highest, typed):
    assert preview(highest, SiteFactory(), **typed).status_code == 200


def test_it_is_for_whoever_may_write_on_the_site(client):
    own, other = SiteFactory(), SiteFactory()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.pk)))
    assert preview(client, own, **TYPED).status_code == 200
    assert preview(client, other, **TYPED).status_code == 404
    client.force_login(administrator_with("contents.view_content"))
    assert preview(client, own, **TYPED).status_code == 404
