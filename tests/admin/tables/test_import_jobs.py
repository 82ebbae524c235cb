"""Long imports: stored by a job in one transaction, as the preview has shown them or not at all."""

import pytest
from django.contrib.auth import get_user_model
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.crypto import get_random_string

from accounts.admin.tables import UserResource
from accounts.models import User
from contents.admin.tables import ContentResource
from contents.models import Content, ContentBody, ContentChange, LastTaxis
from core.audit.models import AuditEntry
from core.jobs import enqueueing, folders, running
from core.jobs.models import Job
from core.jobs.progress import Stopped
from core.models import PendingImport
from core.tables import views
from core.tables.resource import FileGone
from tests.admin.pages.browsing import noted, told
from tests.admin.tables.files import address, csv_file, job_of, preview_of, stored, upload
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory, UserFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db
PAGE = "contents_content"


@pytest.fixture(autouse=True)
def every_import_is_long(monkeypatch, settings, tmp_path):
    monkeypatch.setattr(views, "SHORT", 0)
    settings.CMS_JOBS_AT_ONCE = 1
    settings.DATA_DIR = tmp_path


@world
def channel():
    return ChannelFactory(channel_name="News", site=SiteFactory(site_name="Harbour"))


def look(browser, channel, *rows):
    """The preview of a file for the channel, and its address."""
    query = f"?site__id__exact={channel.site_id}&channel__id__exact={channel.pk}"
    _answer, place = upload(browser, PAGE, csv_file(*rows, name="news.csv"), query, channel=channel.pk)
    return browser.get(place), place


def ask(browser, place, **sent):
    return browser.post(place, {"import": "1", "token": get_random_string(32)} | sent)


def do(answer):
    job = job_of(answer)
    running.run(job.pk)
    job.refresh_from_db()
    return job


def page_of(browser, job):
    return browser.get(address("jobs_job_change", job.pk)).content.decode()


def meanwhile(monkeypatch, happen):
    """Let something happen once while a job, which has looked at its rows, is about to store them."""
    prepare = ContentResource.prepare

    def prepare_and_wait(self, drafts):
        monkeypatch.setattr(ContentResource, "prepare", prepare)
        happen()
        prepare(self, drafts)

    monkeypatch.setattr(ContentResource, "prepare", prepare_and_wait)


def titles():
    return list(Content.objects.order_by("pk").values_list("title", flat=True))


def test_a_long_import_is_stored_by_a_job_that_tells_what_came_of_it(highest, channel):
    old = ContentFactory(channel=channel, title="Old", content="<p>before</p>")
    rows = [old.pk, "Newer", "<p>after</p>"], ["", "Fresh", "<p>new</p>"], ["", " ", "<p>c</p>"]
    _preview, place = look(highest, channel, ["id", "title", "content"], *rows)
    answer = ask(highest, place, leave_out="on")
    assert (titles(), job_of(answer).state, job_of(answer).site_id) == (["Old"], "waiting", channel.site_id)
    job = do(answer)
    assert (job.state, stored(answer)) == ("done", {"wrong": 1, "new": 1, "changed": 1, "unchanged": 0})
    assert titles() == ["Newer", "Fresh"]
    assert list(ContentBody.objects.order_by("pk").values_list("text", flat=True)) == ["<p>after</p>", "<p>new</p>"]
    change = ContentChange.objects.get(content=old)
    assert (change.version, change.body_before, change.actor_name) == (2, "<p>before</p>", "harriet")
    (entry,) = noted("content.imported")
    assert (entry.actor_name, entry.details) == (
        "harriet", {"file": "news.csv", "created": 1, "updated": 1, "left_out": 1},
    )  # fmt: skip
    assert (entry.object_type, entry.object_id) == ("channels_app.channel", str(channel.pk))
    shown = page_of(highest, job)
    assert "Row 4: Title: Enter a title." in shown
    assert f'href="{address(f"{PAGE}_changelist")}?site__id__exact={channel.site_id}' in shown
    # Of the file only what was left out is kept.
    assert [kept.kind for kept in PendingImport.objects.all()] == ["contents.content.left_out"]


def test_jobs_are_told_by_site_and_file(highest, channel):
    _preview, place = look(highest, channel, ["title"], ["a"])
    ask(highest, place)
    shown = highest.get(address("jobs_job_changelist")).content.decode()
    assert "Import of news.csv into Harbour" in shown
    job = Job.objects.get()
    assert "Import of news.csv into Harbour" in page_of(highest, job)
    job.parameters = {}
    job.save()
    assert "Import of content items" in highest.get(address("jobs_job_changelist")).content.decode()


def test_while_a_job_has_the_file_its_preview_leads_to_the_job(highest, channel):
    _preview, place = look(highest, channel, ["title"], ["a"])
    first = ask(highest, place)
    for answer in (highest.get(place), ask(highest, place), highest.post(place, {"give_up": "1"})):
        assert answer["Location"] == first["Location"]
    assert (Job.objects.count(), PendingImport.objects.count()) == (1, 1)


def test_a_file_is_kept_as_long_as_a_job_waits(highest, channel):
    _preview, place = look(highest, channel, ["title"], ["a"])
    answer = ask(highest, place)
    PendingImport.objects.update(created_at="2020-01-01 00:00:00")
    for _each in range(6):
        look(highest, channel, ["title"], ["b"])
    assert do(answer).state == "done"
    assert titles() == ["a"]


def test_what_somebody_changed_before_the_job_began_is_told_as_in_the_preview(highest, channel):
    one, other = ContentFactory(channel=channel, title="One"), ContentFactory(channel=channel, title="Other")
    rows = ["id", "title"], [one.pk, "Mine"], [other.pk, "Mine too"], ["", "New"]
    _preview, place = look(highest, channel, *rows)
    answer = ask(highest, place)
    Content.objects.filter(pk=other.pk).update(title="Somebody else's", version=5)
    job = do(answer)
    assert (job.state, job.report["place"]) == ("failed", "Rows 3")
    assert titles() == ["One", "Somebody else's"]
    assert place in page_of(highest, job)
    shown = highest.get(place).context["preview"]
    assert [row.number for row in shown.rows if row.is_stale] == [3]
    # What it shows now may be confirmed.
    assert do(ask(highest, place)).state == "done"
    assert titles() == ["Mine", "Mine too", "New"]


def test_what_somebody_changes_while_the_job_looks_stores_nothing(highest, channel, monkeypatch):
    old = ContentFactory(channel=channel, title="Old")
    _preview, place = look(highest, channel, ["id", "title"], [old.pk, "Mine"], ["", "New"])
    meanwhile(monkeypatch, lambda: Content.objects.filter(pk=old.pk).update(title="Theirs", version=7))
    job = do(ask(highest, place))
    assert (job.state, job.report["place"], titles()) == ("failed", "Rows 2", ["Theirs"])
    assert "Nothing was stored" in job.report["problem"]


@pytest.mark.parametrize("gone", ["the channel", "the right", "the file"])
def test_what_is_gone_when_the_job_begins_is_told(channel, gone):
    person = administrator_with("contents.view_content", "contents.add_content")
    browser = Client()
    browser.force_login(person)
    _preview, place = look(browser, channel, ["title"], ["a"])
    answer = ask(browser, place)
    if gone == "the channel":
        channel.trashed_at = "2026-01-01 00:00:00"
        channel.save()
    elif gone == "the right":
        person.groups.clear()
    else:
        PendingImport.objects.all().delete()
    job = do(answer)
    assert (job.state, titles()) == ("failed", [])
    assert job.report["problem"]
    assert (place in page_of(browser, job)) == (gone != "the file")


def test_one_file_in_two_jobs_is_stored_once(highest, channel, monkeypatch, settings):
    settings.CMS_JOBS_AT_ONCE = 2
    _preview, place = look(highest, channel, ["title"], ["Once"])
    first = job_of(ask(highest, place))
    second = Job.objects.create(
        kind=first.kind, token="other", administrator_id=first.administrator_id, actor=first.actor,
        parameters=first.parameters, node=first.node,
    )  # fmt: skip
    folders.prepare(second.pk)
    # The second has found the file and planned its rows when the first one stores them.
    meanwhile(monkeypatch, lambda: running.run(first.pk))
    assert running.run(second.pk)
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, second.state, second.report["problem"]) == ("done", "failed", str(FileGone()))
    assert titles() == ["Once"]


ADDING = ("contents.view_content", "contents.add_content")


def lock_out(person):
    get_user_model().objects.filter(pk=person.pk).update(is_locked_out=True)


def look_after_another_site(person):
    get_user_model().objects.filter(pk=person.pk).update(site_id_collection=str(SiteFactory().pk))


TAKEN_AWAY = {
    "is locked": lock_out,
    "is deleted": lambda person: get_user_model().objects.filter(pk=person.pk).delete(),
    "looks after another site": look_after_another_site,
    "has no groups": lambda person: person.groups.clear(),
    "may change contents only": lambda person: person.groups.set(
        administrator_with("contents.view_content", "contents.change_content").groups.all()
    ),
}


@pytest.mark.parametrize("short", [0, 200], ids=["by a job", "at once"])
@pytest.mark.parametrize("meanwhile_who_asked", TAKEN_AWAY)
def test_who_loses_the_right_before_the_rows_are_stored_stores_nothing(
    channel, monkeypatch, meanwhile_who_asked, short
):
    monkeypatch.setattr(views, "SHORT", short)
    person = administrator_with(*ADDING, user_name="ben")
    browser = Client()
    browser.force_login(person)
    _preview, place = look(browser, channel, ["title"], ["a"])
    meanwhile(monkeypatch, lambda: TAKEN_AWAY[meanwhile_who_asked](person))
    answer = ask(browser, place)
    if not short:
        job = do(answer)
        assert (job.state, job.report["problem"]) == ("failed", "You no longer have the right to do this.")
    assert (titles(), noted("content.imported"), PendingImport.objects.count()) == ([], [], 1)
    assert not Job.objects.filter(state="done").exists()


def test_who_gets_further_rights_meanwhile_has_the_rows_stored(channel, monkeypatch):
    person = administrator_with(*ADDING)
    browser = Client()
    browser.force_login(person)
    _preview, place = look(browser, channel, ["title"], ["a"])
    further = administrator_with("contents.approve_content", "contents.change_content").groups.get()
    meanwhile(monkeypatch, lambda: person.groups.add(further))
    assert do(ask(browser, place)).state == "done"
    assert titles() == ["a"]


def test_a_user_import_looks_at_the_rights_once_more(monkeypatch):
    person = administrator_with("accounts.view_user", "accounts.add_user")
    browser = Client()
    browser.force_login(person)
    _answer, place = upload(browser, "accounts_user", csv_file(["userName"], ["ann"]))
    browser.get(place)
    answer, prepare = ask(browser, place), UserResource.prepare

    def prepare_while_the_right_goes(self, drafts):
        person.groups.clear()
        prepare(self, drafts)

    monkeypatch.setattr(UserResource, "prepare", prepare_while_the_right_goes)
    assert do(answer).report["problem"] == "You no longer have the right to do this."
    assert not User.objects.exists()


def test_one_import_too_many_is_told_on_its_preview_and_can_be_asked_for_later(highest, channel):
    files = [look(highest, channel, ["title"], [f"{number}"])[1] for number in range(enqueueing.MAX + 1)]
    *begun, refused = [ask(highest, place) for place in files]
    assert "You already have 3 jobs waiting or running." in told(refused)[-1]
    assert preview_of(refused)["new"] == 1
    assert Job.objects.count() == enqueueing.MAX
    for answer in begun:
        do(answer)
    assert do(ask(highest, files[-1])).state == "done"
    assert titles() == ["0", "1", "2", "3"]


def test_a_file_that_another_form_imports_at_the_same_moment_leads_to_that_import(highest, channel, monkeypatch):
    monkeypatch.setattr(views, "SHORT", 200)
    _preview, place = look(highest, channel, ["title"], ["Once"])
    first = []
    meanwhile(monkeypatch, lambda: first.append(ask(highest, place)))
    second = ask(highest, place)
    assert second["Location"] == place
    assert highest.get(place)["Location"] == first[0]["Location"]
    assert (titles(), Job.objects.count()) == (["Once"], 1)


def test_a_stopped_import_stores_nothing_and_can_be_begun_again(highest, channel, monkeypatch):
    _preview, place = look(highest, channel, ["title"], ["a"], ["b"])
    answer = ask(highest, place)
    create = ContentResource.create

    def stop(self, drafts):
        create(self, drafts)
        raise Stopped

    with monkeypatch.context() as patched:
        patched.setattr(ContentResource, "create", stop)
        job = do(answer)
    assert (job.state, titles(), LastTaxis.objects.count()) == ("cancelled", [], 0)
    assert place in page_of(highest, job)
    assert preview_of(highest.get(place))["new"] == 2
    assert do(ask(highest, place)).state == "done"
    assert titles() == ["a", "b"]


def test_a_short_import_is_done_at_once_and_has_the_same_page(highest, channel, monkeypatch):
    monkeypatch.setattr(views, "SHORT", 200)
    _preview, place = look(highest, channel, ["title"], ["a"])
    answer = ask(highest, place)
    job = job_of(answer)
    assert (job.state, titles()) == ("done", ["a"])
    assert "“news.csv” was imported" in page_of(highest, job)


def test_a_colleague_is_not_led_to_the_preview_of_another(highest, channel):
    _preview, place = look(highest, channel, ["title"], ["a"])
    job = job_of(ask(highest, place))
    Job.objects.update(state="cancelled")
    colleague = Client()
    colleague.force_login(AdministratorFactory())
    assert place not in page_of(colleague, job)
    assert place in page_of(highest, job)


def test_the_database_being_out_of_reach_is_told(highest, channel, monkeypatch):
    def fail(self, drafts):
        raise OperationalError

    monkeypatch.setattr(views, "SHORT", 200)
    monkeypatch.setattr(ContentResource, "create", fail)
    _preview, place = look(highest, channel, ["title"], ["a"])
    answer = ask(highest, place)
    assert "The database is not available right now." in told(answer)[-1]
    assert (titles(), Job.objects.count(), PendingImport.objects.count()) == ([], 0, 1)


# ---- what it costs


def statements(browser, place):
    answer = ask(browser, place)
    with CaptureQueriesContext(connection) as captured:
        assert do(answer).state == "done"
    return len(captured)


def test_contents_cost_few_statements_however_many_there_are(highest, channel):
    counts = []
    for many in (10, 200):
        made = [ContentFactory(channel=channel, content="<p>a</p>").pk for _each in range(many)]
        changed = [[pk, f"Changed {pk}", "<p>b</p>", "True", "x"] for pk in made]
        new = [["", f"New {number}", "<p>c</p>", "False", "y"] for number in range(many)]
        _preview, place = look(highest, channel, ["id", "title", "content", "isChecked", "tags"], *changed, *new)
        counts.append(statements(highest, place))
    # SQLite takes 999 values of a statement; a content has some forty.
    assert counts[1] - counts[0] < 60


def test_users_cost_few_statements_however_many_there_are(highest):
    counts = []
    for many in (10, 200):
        made = [UserFactory().user_name for _each in range(many)]
        rows = [[name, f"Changed {name}"] for name in made] + [[f"new-{many}-{each}", "New"] for each in range(many)]
        _answer, place = upload(highest, "accounts_user", csv_file(["userName", "displayName"], *rows))
        highest.get(place)
        counts.append(statements(highest, place))
    assert counts[1] - counts[0] < 60
    assert User.objects.filter(display_name="New").count() == 210
    assert AuditEntry.objects.filter(action="user.created").count() == 210
