"""What is typed and not saved is kept on the server for its author alone, and changes nothing else."""

from datetime import timedelta

import orjson
import pytest
from django.test import Client

from accounts.services import delete_administrator
from contents.models import Content, ContentChange, ContentDraft, UnsavedText
from contents.services import single, trash, unsaved_texts
from contents.storing.locking import Seen
from core.audit.models import AuditEntry
from core.lib import clock
from core.notifications.models import Notification
from tests.admin.pages.browsing import place
from tests.admin.pages.writing.forms import PAGE, add, change, open_form, open_new, save
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory

pytestmark = pytest.mark.django_db

AUTHOR = ("contents.view_content", "contents.change_content", "contents.add_content")
TAB, OTHER_TAB = "111-222-333", "444-555-666"


def address(of):
    kind = "content" if isinstance(of, Content) else "channel"
    return f"{place(PAGE, 'unsaved')}?{kind}={of.pk}"


def keep(client, of, page=TAB, version=1, **fields):
    sent = orjson.dumps({name: [value] for name, value in fields.items()}).decode()
    return client.post(address(of), {"page": page, "version": version, "fields": sent})


def texts(client, of):
    return [(each["page"], each["fields"]) for each in client.get(address(of)).json()["texts"]]


@pytest.fixture
def content():
    return ContentFactory(title="Old", is_checked=True)


@pytest.fixture
def author():
    client = Client()
    client.force_login(administrator_with(*AUTHOR, user_name="anna"))
    return client


@pytest.mark.any_database
def test_it_is_listed_for_its_author_and_replaced_by_the_same_page(author, content, highest):
    assert keep(author, content, title="New").status_code == 200
    assert keep(author, content, title="Newer").status_code == 200
    assert texts(author, content) == [(TAB, {"title": ["Newer"]})]
    (listed,) = author.get(address(content)).json()["texts"]
    assert listed.keys() == {"page", "age", "version", "fields"}
    assert (listed["version"], listed["age"] < 60) == ("1", True)
    assert "data-has-unsaved" in author.get(place(PAGE, "change", content.pk)).content.decode()
    assert texts(highest, content) == []
    assert " data-has-unsaved" not in highest.get(place(PAGE, "change", content.pk)).content.decode()


def test_it_makes_no_version_draft_notification_or_entry(author, content):
    keep(author, content, title="New")
    after = Content.objects.get()
    assert (after.title, after.version, after.last_edit_date) == ("Old", content.version, content.last_edit_date)
    for kind in (ContentChange, ContentDraft, Notification, AuditEntry):
        assert not kind.objects.exists()


def test_two_pages_of_one_person_keep_their_own(author, content):
    keep(author, content, title="Left")
    keep(author, content, OTHER_TAB, title="Right")
    assert dict(texts(author, content)) == {TAB: {"title": ["Left"]}, OTHER_TAB: {"title": ["Right"]}}
    author.post(address(content), {"page": TAB, "drop": "1"})
    assert texts(author, content) == [(OTHER_TAB, {"title": ["Right"]})]


def test_two_people_with_the_same_page_keep_their_own(author, content, highest):
    keep(author, content, title="Hers")
    keep(highest, content, title="Mine")
    highest.post(address(content), {"page": TAB, "drop": "1"})
    assert texts(author, content) == [(TAB, {"title": ["Hers"]})]


def test_saving_deletes_it_and_a_refused_form_goes_on_with_it(author, content):
    keep(author, content, title="New")
    sent = open_form(author, content) | {"_draft_page": TAB}
    refused = save(author, content, sent | {"title": " "})
    assert f'data-unsaved-page="{TAB}"' in refused.content.decode()
    assert UnsavedText.objects.exists()
    save(author, content, sent | {"title": "New", "_hand_in": "1"})
    assert not UnsavedText.objects.exists()


def test_a_new_content_is_kept_by_its_channel(author):
    channel, other = ChannelFactory(), ChannelFactory()
    keep(author, channel, version=0, title="New")
    assert texts(author, channel) == [(TAB, {"title": ["New"]})]
    assert texts(author, other) == []
    assert open_new(author, channel)["title"] == ""
    add(author, channel, title="New", _draft="1", _draft_page=TAB)
    assert not UnsavedText.objects.exists()


def lose_session(client, content):
    client.logout()


def lose_right(client, content):
    client.force_login(administrator_with("contents.view_content", user_name="reader"))


def put_in_trash(client, content):
    single.trash_contents([Seen(content.site_id, content.pk)])


def purge(client, content):
    put_in_trash(client, content)
    trash.purge_contents([Seen(content.site_id, content.pk)])


@pytest.mark.parametrize(
    ("loss", "status", "left"), [(lose_session, 401, 1), (lose_right, 404, 1), (put_in_trash, 404, 1), (purge, 404, 0)]
)
def test_nothing_is_kept_or_shown_without_the_right_to_store_the_form(author, content, loss, status, left):
    keep(author, content, title="New")
    loss(author, content)
    assert keep(author, content, title="Newer").status_code == status
    assert author.get(address(content)).status_code == status
    rows = UnsavedText.objects.values_list("fields", flat=True)
    assert list(rows) == ['{"title":["New"]}'] * left


def test_who_may_not_add_in_a_channel_keeps_nothing_there(client):
    client.force_login(administrator_with("contents.view_content", "contents.change_content"))
    assert keep(client, ChannelFactory(), title="New").status_code == 404
    assert not UnsavedText.objects.exists()


def test_a_page_of_another_website_cannot_store_any(content):
    stranger = Client(enforce_csrf_checks=True)
    stranger.force_login(administrator_with(*AUTHOR))
    assert keep(stranger, content, title="New").status_code == 403


@pytest.mark.parametrize(
    "sent",
    [
        {"page": "../..", "fields": "{}"},
        {"page": TAB, "fields": "["},
        {"page": TAB, "fields": "[]"},
        {"page": TAB, "fields": '{"title":"New"}'},
        {"page": TAB, "fields": '{"title":[1]}'},
    ],
)
def test_what_no_form_sends_is_refused(author, content, sent):
    assert author.post(address(content), sent).status_code == 400
    assert not UnsavedText.objects.exists()


def test_it_is_bounded_in_size_number_and_age(author, content, monkeypatch):
    monkeypatch.setattr(unsaved_texts, "LARGEST", 50)
    assert keep(author, content, title="x" * 50).status_code == 400
    for number in range(unsaved_texts.MOST + 3):
        keep(author, content, f"page-{number:04}", title=str(number))
    assert UnsavedText.objects.count() == unsaved_texts.MOST
    assert texts(author, content)[0] == ("page-0022", {"title": ["22"]})
    old = UnsavedText.objects.order_by("pk")[:4].values("pk")
    UnsavedText.objects.filter(pk__in=list(old.values_list("pk", flat=True))).update(
        kept_at=clock.now() - unsaved_texts.KEPT - timedelta(minutes=1)
    )
    assert unsaved_texts.purge_old() == 4


def test_it_goes_with_its_author(content):
    AdministratorFactory(is_superuser=True)
    person = AdministratorFactory(is_superuser=False)
    unsaved_texts.keep(person, TAB, {"content": content, "channel": None}, {"title": ["New"]}, 1)
    delete_administrator(person.pk)
    assert not UnsavedText.objects.exists()


def test_a_save_by_somebody_else_leaves_it(author, content, highest):
    keep(author, content, title="Mine")
    change(highest, content, title="Theirs")
    assert texts(author, content) == [(TAB, {"title": ["Mine"]})]
    assert Content.objects.get().title == "Theirs"
