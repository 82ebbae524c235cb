"""Dead links of a site: what is found, who sees it, and that it is no dead link again after a repair."""

from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import GroupPlace
from contents import dead_links
from contents.dead_links import Reason
from contents.models import Content, ContentBody, ExternalHost, ExternalLink, ExternalLinkProgress, ExternalLinkUse
from contents.services.single import trash_contents
from contents.storing.locking import Seen, accepted
from core.lib import clock
from core.lib.statement_limit import TooSlow
from media_library.models import MediaFile, MediaUse
from tests.admin.pages.browsing import place
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]
PAGE = "contents_content"


@pytest.fixture
def site():
    return SiteFactory()


@pytest.fixture
def news(site):
    return ChannelFactory(site=site, channel_name="News")


def write(channel, *addresses):
    content = ContentFactory(channel=channel, is_checked=True)
    body = " ".join(f'<a href="{address}">x</a>' for address in addresses)
    ContentBody.objects.update_or_create(content=content, defaults={"text": body})
    return content


def found(site):
    return {
        (link.use.source_id, link.address): (link.reason, link.title)
        for link in dead_links.find(site, uses_in(site), ExternalLinkUse.objects.none())
    }


def uses_in(site):
    return MediaUse.objects.filter(site_id=site.pk)


def store_file(site, path):
    return MediaFile.objects.create(site=site, path=path, kind="document", bytes=1)


@pytest.mark.any_database
def test_links_to_records_that_visitors_cannot_see_are_found(site, news):
    public = ContentFactory(channel=news, is_checked=True)
    draft = ContentFactory(channel=news, title="Draft", is_checked=False)
    trashed = ContentFactory(channel=news, title="Gone", is_checked=True)
    accepted(trash_contents([Seen(site.pk, trashed.pk)]))
    other = ContentFactory(channel=ChannelFactory(site=SiteFactory()), title="Elsewhere", is_checked=True)
    links = {pk: f"@/_content/{pk}#x" for pk in (public.pk, draft.pk, trashed.pk, other.pk, 999999)}
    content = write(news, *links.values(), f"@/_channel/{news.pk}", f"@/_channel/{other.channel_id}")
    assert found(site) == {
        (content.pk, f"@/_content/{draft.pk}"): (Reason.HIDDEN, "Draft"),
        (content.pk, f"@/_content/{trashed.pk}"): (Reason.TRASHED, "Gone"),
        (content.pk, f"@/_content/{other.pk}"): (Reason.MISSING, ""),
        (content.pk, "@/_content/999999"): (Reason.MISSING, ""),
        (content.pk, f"@/_channel/{other.channel_id}"): (Reason.MISSING, ""),
    }
    Content.objects.filter(pk=draft.pk).update(is_checked=True)
    assert (content.pk, f"@/_content/{draft.pk}") not in found(site)


@pytest.mark.any_database
def test_addresses_of_files_that_are_not_there_are_found(site, news):
    for path in ("upload/there.pdf", "upload/a b.pdf", "upload/c (1).jpg", "upload/50%.pdf"):
        store_file(site, path)
    gone = store_file(site, "upload/gone.pdf")
    MediaFile.objects.filter(pk=gone.pk).update(trashed_at="2026-01-01 00:00:00")
    fine = (
        "@/upload/there.pdf?v=1",
        "@/upload/a%20b.pdf",
        "@/upload/a b.pdf",
        "@/upload/c (1)_small.jpg",
        "@/css/x.css",
    )
    content = write(news, *fine, "@/upload/gone.pdf", "@/upload/none.jpg", "@/upload/none_small.jpg", "@/upload/x.exe")
    assert found(site) == {
        (content.pk, "@/upload/gone.pdf"): (Reason.TRASHED, ""),
        (content.pk, "@/upload/none.jpg"): (Reason.MISSING, ""),
    }


def test_the_page_leads_to_the_records(site, news):
    content = write(news, "@/_content/999999")
    client = signed_in(AdministratorFactory(is_superuser=True))
    html = client.get(place(PAGE, "dead_links", site.pk)).content.decode()
    assert f'href="/admin/contents/content/{content.pk}/change/"' in html
    assert "@/_content/999999" in html and "Does not exist" in html


def test_a_site_without_dead_links_says_so(site):
    client = signed_in(AdministratorFactory(is_superuser=True))
    assert "No dead links were found." in client.get(place(PAGE, "dead_links", site.pk)).content.decode()


def test_with_rights_in_a_branch_one_sees_the_links_of_the_branch(site, news):
    culture = ChannelFactory(site=site)
    hidden = ContentFactory(channel=culture, title="Secret plan", is_checked=False)
    own = ContentFactory(channel=news, title="Own draft", is_checked=False)
    mine = write(news, "@/_content/999999", f"@/_content/{hidden.pk}", f"@/_content/{own.pk}")
    theirs = write(culture, "@/_content/999998")
    person = administrator_with("contents.view_content", "contents.change_content")
    GroupPlace.objects.create(group=person.groups.get(), site_id=site.pk, channel_id=news.pk)
    html = signed_in(person).get(place(PAGE, "dead_links", site.pk)).content.decode()
    assert f"/{mine.pk}/change/" in html
    assert f"/{theirs.pk}/change/" not in html and "999998" not in html
    assert "Own draft" in html and "Not approved" in html
    # Of others it does not tell whether they exist.
    assert "Secret plan" not in html and "Does not exist" not in html
    assert html.count("Visitors cannot see it") == 2


@pytest.mark.any_database
def test_the_links_of_others_do_not_fill_the_page_of_a_branch(site, news, monkeypatch):
    monkeypatch.setattr(dead_links, "MOST", 2)
    culture = ChannelFactory(site=site)
    for _ in range(3):
        write(culture, "@/_content/100", "@/upload/a.pdf")
    mine = [write(news, "@/_content/999999"), write(news, "@/upload/b.pdf")]
    person = administrator_with("contents.view_content", "contents.change_content")
    GroupPlace.objects.create(group=person.groups.get(), site_id=site.pk, channel_id=news.pk)
    html = signed_in(person).get(place(PAGE, "dead_links", site.pk)).content.decode()
    assert [f"/{content.pk}/change/" in html for content in mine] == [True, True]


def test_a_search_that_takes_too_long_says_so(site, monkeypatch):
    @contextmanager
    def end(connection, seconds):
        yield
        raise TooSlow

    monkeypatch.setattr(dead_links, "statement_limit", end)
    html = signed_in(AdministratorFactory(is_superuser=True)).get(place(PAGE, "dead_links", site.pk)).content.decode()
    assert "The search takes too long." in html and "No dead links were found." not in html


@pytest.fixture
def external(settings):
    """Adds a dead link to another website to a content."""
    settings.CMS_CHECK_LINKS = True
    ExternalLinkProgress.objects.create(form=1, position=0, built_to=None)
    host = ExternalHost.objects.create(name="gone.example")

    def add(content, address="https://gone.example/a", **fields):
        values = {"next_at": clock.now(), "checked_at": clock.now(), "status": 404, "problem": "gone", "is_dead": True}
        link = ExternalLink.objects.create(host=host, address=address, **values | fields)
        ExternalLinkUse.objects.create(content=content, link=link, site_id=content.site_id)

    return add


@pytest.mark.any_database
def test_dead_links_to_other_websites_are_shown_while_they_are_checked(site, news, external, settings):
    content, trashed = write(news, "@/_content/999999"), write(news)
    external(content)
    external(content, "https://gone.example/fine", is_dead=False)
    external(trashed, "https://gone.example/trashed")
    accepted(trash_contents([Seen(site.pk, trashed.pk)]))
    client, address = signed_in(AdministratorFactory(is_superuser=True)), place(PAGE, "dead_links", site.pk)
    html = client.get(address).content.decode()
    assert '<a href="https://gone.example/a" rel="noreferrer">' in html and "Does not exist (404)" in html
    assert (
        "gone.example/fine" not in html and "gone.example/trashed" not in html and "have not been checked" not in html
    )
    html = client.get(address, {"kind": "websites"}).content.decode()
    assert "gone.example/a" in html and "999999" not in html
    html = client.get(address, {"kind": "records"}).content.decode()
    assert "gone.example/a" not in html and "999999" in html
    settings.CMS_CHECK_LINKS = False
    html = client.get(address).content.decode()
    assert "gone.example/a" not in html and "CMS_CHECK_LINKS=1" in html


@pytest.mark.any_database
def test_links_that_were_not_checked_yet_are_told(site, news, external):
    external(write(news), checked_at=None, is_dead=False)
    html = signed_in(AdministratorFactory(is_superuser=True)).get(place(PAGE, "dead_links", site.pk)).content.decode()
    assert "Some links to other websites have not been checked yet." in html


@pytest.mark.any_database
def test_with_rights_in_a_branch_one_sees_the_external_links_of_the_branch(site, news, external, monkeypatch):
    monkeypatch.setattr(dead_links, "MOST", 2)
    for number in range(3):
        external(write(ChannelFactory(site=site)), f"https://gone.example/{number}")
    external(write(news), "https://gone.example/mine")
    person = administrator_with("contents.view_content", "contents.change_content")
    GroupPlace.objects.create(group=person.groups.get(), site_id=site.pk, channel_id=news.pk)
    html = signed_in(person).get(place(PAGE, "dead_links", site.pk)).content.decode()
    assert html.count("gone.example/") == 2 == html.count("gone.example/mine")


def test_only_who_may_change_contents_of_the_site_sees_the_page(site):
    other = SiteFactory()
    reader = administrator_with("contents.view_content")
    editor = administrator_with("contents.view_content", "contents.change_content")
    GroupPlace.objects.create(group=editor.groups.get(), site_id=other.pk, channel_id=0)
    for person in (reader, editor):
        assert signed_in(person).get(place(PAGE, "dead_links", site.pk)).status_code == 404


def test_before_a_content_is_trashed_the_texts_that_link_to_it_are_counted(site, news):
    target = ContentFactory(channel=news, title="Target", is_checked=True)
    client = signed_in(AdministratorFactory(is_superuser=True))
    asked = f"{place(PAGE, 'action', 'trash')}?ids={target.pk}"
    assert "link to them" not in client.get(asked).content.decode()
    for _ in range(2):
        write(news, f"@/_content/{target.pk}#x")
    ContentBody.objects.update_or_create(content=target, defaults={"text": f"<a href='@/_content/{target.pk}'>x</a>"})
    assert "2 other texts link to them" in client.get(asked).content.decode()


@pytest.mark.any_database
@pytest.mark.parametrize("kind", ["content", "channel"])
def test_a_page_shows_where_a_record_is_linked(site, news, kind):
    target = ContentFactory(channel=news) if kind == "content" else news
    page = PAGE if kind == "content" else "channels_app_channel"
    client, address = signed_in(AdministratorFactory(is_superuser=True)), place(page, "linked", target.pk)
    assert "links to it by its id" in client.get(address).content.decode()
    mine = write(news, f"@/_{kind}/{target.pk}?a=1")
    theirs = write(ChannelFactory(site=site), f"@/_{kind}/{target.pk}", f"@/_{kind}/{target.pk}0")
    html = client.get(address).content.decode()
    assert all(f"/content/{content.pk}/change/" in html for content in (mine, theirs))
    assert address in client.get(place(page, "change", target.pk)).content.decode()
    person = administrator_with("contents.view_content", "channels_app.view_channel")
    GroupPlace.objects.create(group=person.groups.get(), site_id=site.pk, channel_id=news.pk)
    html = signed_in(person).get(address).content.decode()
    assert f"/content/{mine.pk}/change/" in html and "and 1 more" in html
    assert f"/content/{theirs.pk}/change/" not in html and theirs.title not in html


def test_the_statements_do_not_grow_with_the_links(site, news):
    counts = []
    for _ in range(2):
        write(news, *(f"@/_content/{pk}" for pk in range(10**6, 10**6 + 20)), *(f"@/upload/{n}.pdf" for n in range(20)))
        with CaptureQueriesContext(connection) as counted:
            dead_links.find(site, uses_in(site), ExternalLinkUse.objects.none())
        counts.append(len(counted))
    assert counts[0] == counts[1] <= 12


def signed_in(person):
    client = Client()
    client.force_login(person)
    return client
