"""A form that creates something creates it once; a repeat gets the first response. What is stored ends its draft."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.contrib.messages import get_messages
from django.db import connection

from apikeys.models import ApiKey, ApiKeyToken
from channels_app.models import Channel
from contents.models import ContentGroup
from core.admin import sent_forms
from core.admin.editor.drafts import COOKIE
from core.lib import clock
from core.models import SentForm
from tests.accounts.signing_in import PASSWORD
from tests.apikeys.key_pages import ADD, TOKEN, Browser, place, shown_token
from tests.factories import ApiKeyFactory, SiteFactory
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db
FIRST, SECOND = "a" * 64, "b" * 64  # tokens of two pages; the client checks none


def named(browser, form=FIRST, name="news robot", **sent):
    return browser.issue(csrfmiddlewaretoken=form, name=name, **sent)


def test_a_key_is_issued_once_and_its_repeat_shows_the_token_of_the_first():
    browser = Browser()
    first = shown_token(named(browser))
    again = named(browser)
    assert (shown_token(again), ApiKey.objects.count()) == (first, 1)
    assert "no-store" in again.headers["Cache-Control"]
    assert ApiKeyToken.objects.get().matches(first)


def test_a_token_that_was_rotated_or_reset_is_shown_again_too():
    browser = Browser()
    key = ApiKeyFactory(administrator=browser.administrator)
    for name, form in (("rotate", FIRST), ("reset", SECOND)):
        sent = {
            "seen": ApiKey.objects.get().stamp,
            "own_password": PASSWORD,
            "overlap": 3600,
            "csrfmiddlewaretoken": form,
        }
        first = shown_token(browser.post(place(name, key), sent))
        assert shown_token(browser.post(place(name, key), sent)) == first
        assert ApiKeyToken.objects.get(slot=ApiKeyToken.Slot.CURRENT).matches(first)


@pytest.mark.parametrize(
    "other",
    [{"form": SECOND}, {"name": "other robot"}, {"expiry": "90", "name": "third robot"}],
    ids=["page", "name", "values"],
)
def test_another_page_or_other_values_are_another_form(other):
    browser = Browser()
    named(browser)
    named(browser, **({"name": "second robot"} | other))
    assert ApiKey.objects.count() == 2


def test_another_session_gets_nothing():
    browser = Browser()
    token = shown_token(named(browser))
    other = Browser(browser.administrator)
    assert token not in named(other).content.decode()
    assert SentForm.objects.filter(response__isnull=False).count() == 1


def test_the_database_does_not_know_the_token():
    browser = Browser()
    token = shown_token(named(browser))
    (row,) = SentForm.objects.all()
    session = browser.session.session_key
    assert token.encode() not in bytes(row.response)
    key = sent_forms.derived_key("response of form", session, FIRST)
    assert len(sent_forms.unseal(key, bytes(row.response))) > 1000
    with pytest.raises(ValueError, match="MAC"):
        sent_forms.unseal(sent_forms.derived_key("response of form", session, SECOND), bytes(row.response))


def test_responses_are_deleted_after_ten_minutes(monkeypatch):
    browser = Browser()
    named(browser)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(minutes=9))
    sent_forms.purge_ended()
    assert SentForm.objects.count() == 1
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(minutes=11))
    sent_forms.purge_ended()
    assert SentForm.objects.count() == 0


def test_a_refused_form_can_be_sent_again():
    browser = Browser()
    assert not TOKEN.search(named(browser, own_password="wrong").content.decode())
    assert SentForm.objects.count() == 0
    named(browser, own_password="wrong")
    assert shown_token(named(browser))


def test_a_form_that_failed_can_be_sent_again(monkeypatch):
    browser = Browser()
    browser.raise_request_exception = False
    with monkeypatch.context() as patch:
        patch.setattr(ApiKey.objects, "issue", lambda *given, **values: 1 / 0)
        assert named(browser).status_code == 500
    assert shown_token(named(browser))


def test_a_repeat_waits_for_the_first_and_says_so_in_the_end(monkeypatch):
    browser = Browser()
    named(browser)
    SentForm.objects.update(response=None)
    slept = []
    monkeypatch.setattr(sent_forms.time, "sleep", slept.append)
    monkeypatch.setattr(sent_forms.time, "monotonic", iter([0, 10, 20, 31]).__next__)
    answer = named(browser)
    assert (answer.status_code, answer["Location"], len(slept)) == (302, ADD, 2)
    (message,) = [str(each) for each in get_messages(answer.wsgi_request)]
    assert message.startswith("This form is still being processed.")
    # The worker of the first has ended: the form may be sent.
    SentForm.objects.update(sent_at=clock.now() - timedelta(minutes=2))
    monkeypatch.undo()
    named(browser, name="second robot")
    assert ApiKey.objects.count() == 2


def _webhook(site):
    return "/admin/webhooks/webhook/add/", {"name": "CRM", "url": "https://crm.example/", "site_id": 0, "is_on": "on"}


def _channel(site):
    return f"/admin/channels_app/channel/site/{site.pk}/several/?below={site.pk}", {
        "names": "News\n Archive",
        "add": "1",
    }


def _content_group(site):
    return f"/admin/contents/contentgroup/add/?site={site.pk}", {"site": site.pk, "name": "Front page", "taxis": "0"}


def _group(site):
    return "/admin/auth/group/add/", {"name": "Editors", "is_limited": ""}


CREATING = [(_webhook, Webhook), (_channel, Channel), (_content_group, ContentGroup), (_group, Group)]


@pytest.mark.parametrize(("form_of", "model"), CREATING, ids=[model.__name__ for _, model in CREATING])
def test_what_a_form_creates_is_created_once_and_the_repeat_leads_to_the_page_of_the_first(form_of, model):
    browser, site = Browser(), SiteFactory()
    address, sent = form_of(site)
    sent |= {"csrfmiddlewaretoken": FIRST, "own_password": PASSWORD}
    first = browser.post(address, sent)
    created = model.objects.count()
    again = browser.post(address, sent)
    assert sent_forms.has_acted(first)
    assert (again.status_code, again.get("Location"), again.content) == (
        first.status_code,
        first.get("Location"),
        first.content,
    )
    assert model.objects.count() == created
    told = [[str(each) for each in get_messages(answer.wsgi_request)] for answer in (first, again)]
    assert told[0] == told[1]


def test_a_form_that_creates_nothing_is_not_entered():
    browser = Browser()
    group = Group.objects.create(name="Editors")
    browser.post(
        f"/admin/auth/group/{group.pk}/change/", {"name": "Writers", "is_limited": "", "csrfmiddlewaretoken": FIRST}
    )
    assert not SentForm.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_at_once_create_one_and_both_show_its_token():
    browser = Browser()

    def send(_):
        try:
            client = Browser.__new__(Browser)
            client.__dict__.update(browser.__dict__)
            return shown_token(named(client))
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as threads:
        tokens = set(threads.map(send, range(3)))
    assert (len(tokens), ApiKey.objects.count()) == (1, 1)


# ---- Drafts in the browser


def draft_of(answer):
    return answer.cookies[COOKIE].value if COOKIE in answer.cookies else None


def test_a_form_that_was_stored_names_its_draft():
    browser = Browser()
    sent = {"name": "Editors", "is_limited": "", "_draft_key": "1:/admin/auth/group/add/?#group_form"}
    answer = browser.post("/admin/auth/group/add/", sent)
    assert draft_of(answer) == "1%3A%2Fadmin%2Fauth%2Fgroup%2Fadd%2F%3F%23group_form"
    assert not answer.cookies[COOKIE]["httponly"]
    assert draft_of(browser.issue(_draft_key="1:key")) == "1%3Akey"


def test_a_form_that_was_not_stored_keeps_its_draft(client):
    browser = Browser()
    assert draft_of(browser.post("/admin/auth/group/add/", {"name": "", "_draft_key": "1:a"})) is None
    key = ApiKeyFactory(administrator=browser.administrator)
    answer = browser.edit(key, seen="another stamp", _draft_key="1:a")
    assert answer.status_code == 302
    assert draft_of(answer) is None
    assert draft_of(client.post("/admin/auth/group/add/", {"name": "Editors", "_draft_key": "1:a"})) is None
    assert draft_of(browser.get("/admin/auth/group/add/")) is None
