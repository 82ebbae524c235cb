"""The bell, the list of notifications, and the choices."""

import re

import pytest
from django.db import DatabaseError
from django.urls import reverse

from core.lib.registrations import ADMIN_PAGES
from core.notifications import admin as pages
from core.notifications.kinds import kinds
from core.notifications.models import Email, Notification, NotificationChoice
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ContentFactory
from tests.notifications.reading import tell

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
LIST, CHOICES, UNREAD = (
    reverse(f"admin:{name}") for name in ("notifications", "notification_choices", "notifications_unread")
)


@pytest.fixture
def chief(client):
    made = AdministratorFactory(email="chief@example.org")
    client.force_login(made)
    return made


def headlines(client, **query):
    return [row["headline"] for row in client.get(LIST, query).context["rows"]]


def bell(client):
    found = re.search(
        r'<span class="bell-count"( hidden)?><span class="bell-number">([^<]*)',
        client.get("/admin/password_change/").content.decode(),
    )
    return None if found[1] else found[2]


def test_the_bell_counts_up_to_ninety_nine(client, chief):
    assert bell(client) is None
    tell(chief, "Lamps")
    tell(AdministratorFactory(), "Ropes")
    assert bell(client) == "1"
    assert client.get(UNREAD).json() == {"unread": "1"}
    for number in range(99):
        tell(chief, str(number))
    assert bell(client) == "99+"


def test_the_bell_costs_one_statement(client, chief, django_assert_num_queries):
    tell(chief, "Lamps")
    client.get(UNREAD)  # the session has been prolonged
    with django_assert_num_queries(3):  # session, account, count
        client.get(UNREAD)


def test_a_page_is_shown_without_the_number_if_it_cannot_be_counted(client, chief, monkeypatch):
    def fail(user):
        raise DatabaseError

    monkeypatch.setattr("core.notifications.templatetags.notifications.unread_text", fail)
    assert bell(client) is None


def test_unread_ones_come_first_and_own_ones_only(client, chief):
    for title in ("Lamps", "Ropes", "Sails"):
        tell(chief, title)
    tell(AdministratorFactory(), "Foreign")
    last = Notification.objects.filter(administrator=chief).latest("pk")
    assert client.post(LIST, {"read": last.pk}).status_code == 302
    assert headlines(client) == [f"“{title}” waits for your approval" for title in ("Ropes", "Lamps", "Sails")]
    assert bell(client) == "2"


def test_all_are_marked_as_read_but_those_that_came_since_the_page_was_shown(client, chief):
    tell(chief, "Lamps")
    newest = client.get(LIST).context["newest"]
    tell(chief, "Ropes")
    foreign = AdministratorFactory()
    tell(foreign, "Foreign")
    client.post(LIST, {"until": newest})
    assert bell(client) == "1"
    client.post(LIST, {"read": Notification.objects.get(administrator=foreign).pk})
    assert Notification.objects.get(administrator=foreign).read_at is None


def test_opening_marks_as_read_and_leads_to_the_record_or_to_all(client, chief):
    content = ContentFactory()
    tell(chief, content.title)
    Notification.objects.update(subject_id=content.pk)
    tell(chief, "Ropes", "Sails")
    one, several = Notification.objects.order_by("pk")
    of_all_sites = f"{reverse('admin:contents_content_waiting')}?site="
    expected = (reverse("admin:contents_content_review", args=[content.pk]), of_all_sites)
    for row, place in zip((one, several), expected, strict=True):
        answer = client.get(reverse("admin:notification_open", args=[row.pk]))
        assert (answer.status_code, answer["Location"]) == (302, place)
        assert client.get(place).status_code == 200
    assert bell(client) is None
    tell(chief, "backup", kind="backup.failing")
    assert (
        client.get(reverse("admin:notification_open", args=[Notification.objects.latest("pk").pk]))["Location"] == LIST
    )


def test_every_kind_leads_to_pages_that_exist():
    for kind in kinds().values():
        for subject, name in kind.pages.items():
            assert reverse(name, args=[1] if subject else [])


def test_titles_are_shown_as_text_and_reasons_below(client, chief):
    tell(chief, "<script>1</script>", kind="content.rejected")
    Notification.objects.update(params={"count": 1, "items": [{"title": "<script>1</script>", "note": "<b>Too long"}]})
    page = client.get(LIST).content.decode()
    assert "“&lt;script&gt;1&lt;/script&gt;” was rejected" in page
    assert "Reasons: &lt;b&gt;Too long" in page


def test_a_long_list_has_pages(client, chief):
    for number in range(60):
        tell(chief, str(number))
    assert len(headlines(client)) == 50
    assert len(headlines(client, page=2)) == 10


def test_kinds_that_were_removed_or_are_not_wanted_in_the_bell_are_not_listed(client, chief):
    NotificationChoice.objects.create(administrator=chief, kind="content.approved", in_bell=False, email=Email.NOW)
    tell(chief, "Lamps")
    Notification.objects.update(kind="removed")
    assert headlines(client) == []


CONCERNED = {
    "highest": set(kinds()),
    "sites": {name for name in kinds() if name.startswith(("comment.", "content.", "form.", "webhook."))},
    "author": {"content.approved", "content.rejected", "content.published"},
    "approver": {"content.submitted", "content.changed_after_approval"},
    "reader": {"form.submitted"},
    "ordinary": set(),
}


@pytest.mark.parametrize("rank", CONCERNED)
def test_the_choices_are_those_of_the_rank(client, rank):
    make = {
        "highest": AdministratorFactory,
        "sites": lambda: AdministratorFactory(is_superuser=False, site_id_collection="1"),
        "author": lambda: administrator_with("contents.add_content"),
        "approver": lambda: administrator_with("contents.approve2_content"),
        "reader": lambda: administrator_with("forms.view_entry"),
        "ordinary": lambda: AdministratorFactory(is_superuser=False),
    }
    client.force_login(make[rank]())
    found = {name.partition("-")[2] for name in client.get(CHOICES).context["form"].fields}
    assert found == CONCERNED[rank]


def test_choices_are_stored_and_apply_to_what_has_not_been_sent(client, chief, settings):
    settings.CMS_EMAIL_URL = "smtp://127.0.0.1:9"
    tell(chief, "Lamps")
    sent = {f"email-{name}": "now" for name in kinds()} | {"bell-content.submitted": "on"}
    assert client.post(CHOICES, sent | {"email-content.submitted": "daily"}).status_code == 302
    assert Notification.objects.get().email == Email.DAILY
    client.post(CHOICES, sent | {"email-content.submitted": "never"})
    stored = {choice.kind: (choice.in_bell, choice.email) for choice in NotificationChoice.objects.all()}
    assert stored.pop("content.submitted") == (True, Email.NEVER)
    assert set(stored.values()) == {(False, Email.NOW)}
    form = client.get(CHOICES).context["form"]
    assert form["email-content.submitted"].value() == Email.NEVER
    assert client.post(CHOICES, sent | {"email-content.submitted": "hourly"}).status_code == 200


def test_the_choices_say_why_there_is_no_e_mail(client, chief, settings):
    settings.CMS_EMAIL_URL = ""
    assert "No mail server is set up" in client.get(CHOICES).content.decode()
    settings.CMS_EMAIL_URL = "smtp://127.0.0.1:9"
    assert "has no email address" not in client.get(CHOICES).content.decode()
    chief.email = ""
    chief.save()
    assert "has no email address" in client.get(CHOICES).content.decode()


@pytest.mark.parametrize("name", ADMIN_PAGES.entries)
def test_every_page_needs_a_sign_in(client, name):
    place = ADMIN_PAGES.entries[name].path
    address = f"/admin/{place.replace('<int:pk>', '1')}"
    for ask in (client.get, client.post):
        assert ask(address)["Location"].startswith("/admin/login/")


def test_notifications_of_others_are_not_there(client, chief):
    tell(AdministratorFactory(), "Foreign")
    address = reverse("admin:notification_open", args=[Notification.objects.get().pk])
    assert client.get(address).status_code == 404
    assert Notification.objects.get().read_at is None
    assert pages.unread_text(chief) == ""
