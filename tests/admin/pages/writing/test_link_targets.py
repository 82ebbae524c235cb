"""The link dialog: the targets that it finds, and its warnings about links in the text."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import GroupPlace
from contents.models import ContentBody
from contents.services.single import trash_contents
from contents.storing.locking import Seen, accepted
from media_library.models import MediaFile
from search.following import follow
from tests.admin.pages.browsing import place
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
PAGE = "contents_content"
WRITING = ("contents.view_content", "contents.add_content", "contents.change_content")
MOST_STATEMENTS = 26  # of the session, rights, and two searches


class Harbour:
    """A site with channels News (Sports) and Culture."""

    def __init__(self):
        self.site = SiteFactory()
        self.news = ChannelFactory(site=self.site, channel_name="Harbour news")
        self.sports = ChannelFactory(parent=self.news, channel_name="Sports")
        self.culture = ChannelFactory(site=self.site, channel_name="Culture")


@pytest.fixture
def harbour():
    return Harbour()


@pytest.fixture
def highest():
    return signed_in(AdministratorFactory(is_superuser=True))


@pytest.fixture
def editor(harbour):
    """May write in News and below it."""
    person = administrator_with(*WRITING)
    GroupPlace.objects.create(group=person.groups.get(), site_id=harbour.site.pk, channel_id=harbour.news.pk)
    return signed_in(person)


def signed_in(person):
    client = Client()
    client.force_login(person)
    return client


def asked(client, site, **query):
    return client.get(place(PAGE, "links", site.pk), query)


def found(client, harbour, words):
    follow()
    return [target["title"] for target in asked(client, harbour.site, q=words).json()["targets"]]


def address_of(record):
    return f"@/_{'channel' if hasattr(record, 'channel_name') else 'content'}/{record.pk}"


def test_contents_channels_and_files_are_found_with_place_and_state(highest, harbour):
    public = ContentFactory(channel=harbour.sports, title="Harbour run", is_checked=True)
    draft = ContentFactory(channel=harbour.culture, title="Harbour night", is_checked=False, checked_level=-99)
    MediaFile.objects.create(site=harbour.site, path="upload/a b#1.pdf", kind="document", bytes=9, title="Harbour map")
    follow()
    targets = {each["title"]: each for each in asked(highest, harbour.site, q="harb").json()["targets"]}
    assert targets == {
        "Harbour run": {
            "address": address_of(public),
            "title": "Harbour run",
            "note": "Content item · Harbour news / Sports",
            "isHidden": False,
        },
        "Harbour night": {
            "address": address_of(draft),
            "title": "Harbour night",
            "note": "Content item · Culture · Draft",
            "isHidden": True,
        },
        "Harbour news": {
            "address": address_of(harbour.news),
            "title": "Harbour news",
            "note": f"Channel · {harbour.site.channels.get(parent=None).channel_name}",
            "isHidden": False,
        },
        "Harbour map": {
            "address": "@/upload/a b%231.pdf",
            "title": "Harbour map",
            "note": "File · /upload/a b%231.pdf",
            "isHidden": False,
        },
    }


def test_words_are_sought_in_titles_and_texts_and_titles_come_first(highest, harbour):
    titled = ContentFactory(channel=harbour.news, title="Lighthouse", last_edit_date="2020-01-01 00:00:00")
    texted = ContentFactory(channel=harbour.news, title="Other", last_edit_date="2026-01-01 00:00:00")
    ContentBody.objects.update_or_create(content=texted, defaults={"text": "<p>By the lighthouse</p>"})
    assert found(highest, harbour, "lighthouse") == [titled.title, texted.title]
    assert found(highest, harbour, "lighthouse keeper") == []
    assert found(highest, harbour, "…") == found(highest, harbour, "") == []


def test_chinese_words_are_found(highest, harbour):
    ContentFactory(channel=harbour.news, title="北京市图书馆开放日")
    assert found(highest, harbour, "图书馆") == ["北京市图书馆开放日"]


def test_with_rights_in_a_branch_one_finds_what_is_public_or_of_the_branch(editor, harbour):
    for channel in (harbour.sports, harbour.culture):
        for is_checked in (True, False):
            ContentFactory(channel=channel, title=f"Boat {channel.channel_name} {is_checked}", is_checked=is_checked)
    assert set(found(editor, harbour, "boat")) == {"Boat Sports True", "Boat Sports False", "Boat Culture True"}


def test_nothing_of_other_sites_and_of_the_trash_is_found(highest, harbour):
    ContentFactory(channel=ChannelFactory(site=SiteFactory()), title="Boat elsewhere", is_checked=True)
    trashed = ContentFactory(channel=harbour.news, title="Boat sunk", is_checked=True)
    accepted(trash_contents([Seen(harbour.site.pk, trashed.pk)]))
    assert found(highest, harbour, "boat") == []


def test_the_links_of_a_text_are_told_with_their_states(highest, harbour):
    public = ContentFactory(channel=harbour.news, title="Public", is_checked=True)
    draft = ContentFactory(channel=harbour.news, title="Draft one", is_checked=False, checked_level=-99)
    trashed = ContentFactory(channel=harbour.news, title="Gone", is_checked=True)
    accepted(trash_contents([Seen(harbour.site.pk, trashed.pk)]))
    links = [*map(address_of, (public, draft, trashed, harbour.news)), "@/_content/999999", "@/_channel/999999"]
    targets = asked(highest, harbour.site, address=[*links, "https://example.com/", "@/_content/x"]).json()["targets"]
    told = {each["address"]: (each["title"], each["note"].rpartition(" · ")[2], each["isHidden"]) for each in targets}
    assert told == {
        links[0]: ("Public", "Harbour news", False),
        links[1]: ("Draft one", "Draft", True),
        links[2]: ("Gone", "In the trash", True),
        links[3]: ("Harbour news", harbour.site.channels.get(parent=None).channel_name, False),
        links[4]: ("", "Visitors cannot see it", True),
        links[5]: ("", "Visitors cannot see it", True),
    }


def test_hidden_records_of_other_branches_look_like_missing_ones(editor, harbour):
    hidden = ContentFactory(channel=harbour.culture, title="Secret", is_checked=False)
    elsewhere = ContentFactory(channel=ChannelFactory(site=SiteFactory()), title="Public elsewhere", is_checked=True)
    links = [*map(address_of, (hidden, elsewhere)), "@/_content/999999", f"@/_content/{'9' * 19}"]
    targets = asked(editor, harbour.site, address=links).json()["targets"]
    assert [each["address"] for each in targets] == links[:3]
    assert {(each["title"], each["note"], each["isHidden"]) for each in targets} == {
        ("", "Visitors cannot see it", True)
    }


def test_only_who_may_write_in_the_site_asks(editor, harbour):
    other = ChannelFactory(site=SiteFactory())
    assert asked(editor, other.site, q="boat").status_code == 404
    reader = signed_in(administrator_with("contents.view_content"))
    assert asked(reader, harbour.site, q="boat").status_code == 404
    assert asked(Client(), harbour.site, q="boat").status_code == 302


@pytest.mark.parametrize("query", [{"q": "boat"}, {"address": [f"@/_content/{pk}" for pk in range(1, 60)]}])
def test_the_statements_do_not_grow_with_what_is_found(editor, harbour, query):
    counts = []
    for _ in range(2):
        for number in range(10):
            ContentFactory(channel=harbour.news, title=f"Boat {number}", is_checked=True)
        follow()
        asked(editor, harbour.site, **query)
        with CaptureQueriesContext(connection) as counted:
            asked(editor, harbour.site, **query)
        counts.append(sum(" FROM " in each["sql"] for each in counted))  # without those that set limits
    # On PostgreSQL, each of the two searches for contents estimates its matches first.
    assert counts[0] == counts[1] <= MOST_STATEMENTS + (2 if connection.vendor == "postgresql" else 0)
