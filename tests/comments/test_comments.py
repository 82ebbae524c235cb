"""Comments on contents: who may write them, and what pages show."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client

from comments.models import MAX_CHARACTERS, MAX_NAME, Comment
from comments.receiving import PER_MINUTE
from comments.retention import delete_old
from contents.models import Content
from contents.services.trash import purge_batch
from core.lib import clock
from core.notifications.models import Notification
from pages.engine.elements.forms import TRAP
from pages.models import ContentsVersion, Template, TemplateKind
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, UserFactory
from tests.pages.sites import make_site

pytestmark = pytest.mark.django_db
GOOD = {"name": "Ann", "text": "A fine <b>boat</b>.\nReally.", "_page": "/museum/boat.html"}
TEXT = "<stl:commentInput></stl:commentInput>"


@pytest.fixture(autouse=True)
def counts_of_the_test(monkeypatch):
    number = uuid4()
    monkeypatch.setattr("comments.receiving._name", lambda content: f"{number} {content.site_id}")


@pytest.fixture
def content():
    site = make_site(site_dir="museum", settings={"comments": "Everybody"})
    Template.objects.filter(site=site, kind=TemplateKind.CONTENT).update(text=TEXT)
    return ContentFactory(channel=ChannelFactory(site=site), title="Boats", is_checked=True)


def send(client, content, *, json=True, **values):
    accept = {"HTTP_ACCEPT": "application/json"} if json else {}
    return client.post(f"/museum/_comments/{content.pk}", GOOD | values, **accept)


def page_of(client, content, query=""):
    answer = client.get(f"/museum/_content/{content.pk}", follow=True)
    path = answer.redirect_chain[-1][0] if answer.redirect_chain else f"/museum/_content/{content.pk}"
    return client.get(path + query).content.decode()


def comment(content, text, **values):
    return Comment.objects.create(site=content.site, content=content, name="Bob", text=text, **values)


def test_a_comment_waits_for_approval_and_is_text(client, content):
    answer = send(client, content)
    assert answer.status_code == 200 and "appears after approval" in answer.json()["message"]
    stored = Comment.objects.get()
    assert (stored.name, stored.text, stored.state, stored.site_id) == ("Ann", GOOD["text"], "new", content.site_id)
    assert "A fine" not in page_of(client, content)
    stored.state = "approved"
    stored.save()
    assert "A fine &lt;b&gt;boat&lt;/b&gt;.<br>Really." in page_of(client, content)
    stored.delete()
    assert "A fine" not in page_of(client, content)


def test_without_scripts_the_answer_is_a_page_with_all_that_was_typed(client, content):
    answer = send(client, content, json=False, name="")
    html = answer.content.decode()
    assert answer.status_code == 400
    assert "This is required." in html and "A fine &lt;b&gt;boat" in html and "/museum/boat.html" in html
    answer = send(client, content, json=False)
    assert answer.status_code == 200 and "Thank you" in answer.content.decode()
    assert send(client, content, json=False).status_code == 200  # sent again by reloading
    assert Comment.objects.count() == 1


@pytest.mark.parametrize("are_checked,state", [(True, "new"), (False, "approved")])
def test_a_site_shows_comments_at_once_if_it_wants(client, content, are_checked, state):
    content.site.settings |= {"isCheckComments": are_checked}
    content.site.save()
    send(client, content)
    assert Comment.objects.get().state == state
    assert ("A fine" in page_of(client, content)) == (state == "approved")


@pytest.mark.parametrize(
    "of_site,above,own,is_open",
    [
        ("Off", "", "", False),
        ("Everybody", "", "", True),
        ("Everybody", "Off", "", False),
        ("Off", "Everybody", "", True),
        ("Off", "Everybody", "Off", False),
    ],
)
def test_the_nearest_channel_with_a_rule_decides(client, content, of_site, above, own, is_open):
    content.site.settings |= {"comments": of_site}
    content.site.save()
    upper = ChannelFactory(site=content.site, settings={"comments": above})
    channel = ChannelFactory(site=content.site, parent=upper, settings={"comments": own})
    inside = ContentFactory(channel=channel, is_checked=True)
    assert send(client, inside).status_code == (200 if is_open else 404)
    assert Comment.objects.exists() == is_open
    assert ("<form" in page_of(client, inside)) == is_open


@pytest.mark.parametrize("case", ["draft", "trash", "other site", "no content", "huge"])
def test_only_contents_that_visitors_see_take_comments(client, content, case):
    if case in {"draft", "trash"}:
        content.is_checked, content.trashed_at = case != "draft", clock.now() if case == "trash" else None
        content.save()
    other = ContentFactory(channel=ChannelFactory(site=make_site(site_dir="zoo")), is_checked=True)
    pk = {"other site": other.pk, "no content": 999_999, "huge": 10**20}.get(case, content.pk)
    assert client.post(f"/museum/_comments/{pk}", GOOD).status_code == 404
    assert not Comment.objects.exists()


def test_members_only(client, content, settings):
    settings.CMS_SITE_HOSTS, settings.ALLOWED_HOSTS = (
        {"museum.example.org": "museum"},
        ["testserver", "museum.example.org"],
    )
    content.site.settings |= {"comments": "Members"}
    content.site.save()
    user = UserFactory(user_name="carl", display_name="Carl")
    user.set_password("river7stone")
    user.save()
    visitor = Client(headers={"host": "museum.example.org", "origin": "http://museum.example.org"})
    answer = send(visitor, content)
    assert answer.status_code == 403 and not Comment.objects.exists()
    html = send(visitor, content, json=False).content.decode()
    assert "/museum/_account/sign-in?next=/museum/boat.html" in html and "A fine" in html
    visitor.post("/museum/_account/sign-in", {"account": "carl", "password": "river7stone"})
    other_page = {"headers": {"host": "museum.example.org", "origin": "https://evil.example"}}
    assert visitor.post(f"/museum/_comments/{content.pk}", GOOD, **other_page).status_code == 403
    assert send(visitor, content).status_code == 200
    stored = Comment.objects.get()
    assert (stored.user, stored.name) == (user, "Carl")  # not the name that was sent
    user.delete()
    stored.refresh_from_db()
    assert (stored.user, stored.name) == (None, "Carl")


def test_replies_have_one_level_and_need_an_approved_comment(client, content):
    first = comment(content, "First", state="approved")
    waiting = comment(content, "Waiting")
    other = comment(ContentFactory(channel=content.channel, is_checked=True), "Other", state="approved")
    for number in (waiting.pk, other.pk, "x", 10**30, "²"):
        assert send(client, content, parent=str(number)).status_code == 400
    send(client, content, parent=str(first.pk))
    reply = Comment.objects.get(text=GOOD["text"])
    assert reply.parent == first
    Comment.objects.filter(pk=reply.pk).update(state="approved")
    send(client, content, parent=str(reply.pk), text="deeper")
    assert Comment.objects.get(text="deeper").parent == first
    html = page_of(client, content)
    assert html.index("First") < html.index("A fine") and html.count("?to=") == 1
    answered = client.get(f"/museum/_comments/{content.pk}?to={first.pk}").content.decode()
    assert f'name="parent" value="{first.pk}"' in answered


@pytest.mark.parametrize("values", [{TRAP: "x"}, {"text": "http://a.b " * 4}])
def test_spam_looks_like_success_and_is_deleted_after_a_month(client, content, values):
    answer = send(client, content, **values)
    assert answer.status_code == 200 and "appears after approval" in answer.json()["message"]
    assert Comment.objects.get().state == "spam" and not Notification.objects.exists()
    delete_old()
    assert Comment.objects.exists()
    Comment.objects.update(spam_at=clock.now() - timedelta(days=31))
    delete_old()
    assert not Comment.objects.exists()


def test_limits(client, content):
    assert set(send(client, content, name="x" * (MAX_NAME + 1), text="y" * (MAX_CHARACTERS + 1)).json()["errors"]) == {
        "name",
        "text",
    }
    statuses = [send(client, content, text=f"{number}").status_code for number in range(PER_MINUTE + 1)]
    assert statuses == [200] * PER_MINUTE + [429]


def test_those_who_may_see_comments_are_notified_once(client, content, django_capture_on_commit_callbacks):
    AdministratorFactory(is_superuser=True)
    with django_capture_on_commit_callbacks(execute=True):
        send(client, content)
        send(client, content, text="another")
    assert Notification.objects.filter(kind="comment.submitted").count() == 1


def test_pages_of_comments(client, content):
    for number in range(25):
        comment(content, f"number {number}.", state="approved", created_at=clock.now() + timedelta(seconds=number))
    first, second = page_of(client, content), page_of(client, content, "?commentsPage=2")
    assert first.count("<li") == 20 and "number 24." in first and "?commentsPage=2#comments" in first
    assert second.count("<li") == 5 and "number 4." in second
    for odd in ("0", "-1", "x", "999999", "²"):
        assert page_of(client, content, f"?commentsPage={odd}").count("<section") == 1


def test_a_template_has_its_own_markup(client, content):
    text = (
        '<stl:comments><i><stl:comment type="displayName"></stl:comment>: {comment.content} '
        '<stl:comment wordNum="3"></stl:comment></i></stl:comments> <b><stl:comments type="count"></stl:comments></b>'
    )
    Template.objects.filter(site=content.site, kind=TemplateKind.CONTENT).update(text=text)
    comment(content, "<script>x", state="approved")
    html = page_of(client, content)
    assert "<i>Bob: &lt;script&gt;x ...</i>" in html and "<b>1</b>" in html and "<script>x" not in html


def test_a_waiting_comment_does_not_make_pages_anew(content):
    def number():
        return ContentsVersion.objects.get(site_id=content.site_id).number

    before = number()
    waiting = comment(content, "x")
    Comment.objects.filter(pk=waiting.pk).update(digest="y")
    waiting.delete()
    assert number() == before
    comment(content, "z", state="approved")
    assert number() != before


def test_a_content_with_comments_is_purged(content):
    first = comment(content, "First", state="approved")
    comment(content, "Reply", parent=first)
    other = comment(ContentFactory(channel=content.channel, is_checked=True), "Other")
    Content.objects.filter(pk=content.pk).update(trashed_at=clock.now())
    purge_batch(content.site_id, Content.objects.filter(trashed_at__isnull=False))
    assert not Content.objects.filter(pk=content.pk).exists()
    assert list(Comment.objects.all()) == [other]


def test_purging_knows_all_that_refers_to_contents():
    """`contents.services.trash` deletes these by itself; what is added here must be added there."""
    assert {relation.related_model.__name__ for relation in Content._meta.related_objects} == {
        *("Comment", "ContentBody", "ContentChange", "ContentDraft", "ContentPicture", "ContentSchedule"),
        "ListedContent",
    }
