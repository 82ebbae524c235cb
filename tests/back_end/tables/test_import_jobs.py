"""Long imports: stored by a job in one transaction, as the preview has shown them or not at all."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.crypto import get_random_string

from accounts.models import User
from cms_api.jobs import running, table_imports
from cms_api.models import AuditEntry, Job, KeptTable
from contents.models import Content, ContentBody, ContentChange, LastTaxis
from contents.tables import ContentResource
from tests.back_end.pages.browsing import noted, told
from tests.back_end.tables.files import address, csv_file, job_of, preview_of, stored, upload
from tests.back_end.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory, UserFactory

pytestmark = pytest.mark.django_db
PAGE = "contents_content"


@pytest.fixture(autouse=True)
def every_import_is_long(monkeypatch, settings, tmp_path):
    monkeypatch.setattr(table_imports, "SHORT", 0)
    settings.CMS_JOBS_AT_ONCE = 1
    settings.DATA_DIR = tmp_path


@pytest.fixture
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
    return browser.get(address("cms_api_job_change", job.pk)).content.decode()


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
    shown = page_of(highest, job)
    assert "Row 4: Title: A content needs a title." in shown
    assert f'href="{address(f"{PAGE}_changelist")}?site__id__exact={channel.site_id}' in shown
    assert not KeptTable.objects.exists()


def test_jobs_are_told_by_site_and_file(highest, channel):
    _preview, place = look(highest, channel, ["title"], ["a"])
    ask(highest, place)
    shown = highest.get(address("cms_api_job_changelist")).content.decode()
    assert "Import of news.csv into Harbour" in shown
    job = Job.objects.get()
    assert "Import of news.csv into Harbour" in page_of(highest, job)
    job.parameters = {}
    job.save()
    assert "Import of contents" in highest.get(address("cms_api_job_changelist")).content.decode()


def test_while_a_job_has_the_file_its_preview_leads_to_the_job(highest, channel):
    _preview, place = look(highest, channel, ["title"], ["a"])
    first = ask(highest, place)
    for answer in (highest.get(place), ask(highest, place), highest.post(place, {"give_up": "1"})):
        assert answer["Location"] == first["Location"]
    assert (Job.objects.count(), KeptTable.objects.count()) == (1, 1)


def test_a_file_is_kept_as_long_as_a_job_waits(highest, channel):
    _preview, place = look(highest, channel, ["title"], ["a"])
    answer = ask(highest, place)
    KeptTable.objects.update(created_at="2020-01-01 00:00:00")
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
    answer = ask(highest, place)
    with monkeypatch.context() as patched:
        change = Content.objects.filter(pk=old.pk).update
        patched.setattr(ContentResource, "prepare", lambda self, drafts: change(title="Theirs", version=7))
        job = do(answer)
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
        KeptTable.objects.all().delete()
    job = do(answer)
    assert (job.state, titles()) == ("failed", [])
    assert job.report["problem"]
    assert (place in page_of(browser, job)) == (gone != "the file")


def test_one_file_in_two_jobs_is_stored_once(highest, channel):
    _preview, place = look(highest, channel, ["title"], ["Once"])
    first = job_of(ask(highest, place))
    kept, parameters = KeptTable.objects.get(), dict(first.parameters)
    second = Job.objects.create(
        kind=first.kind, token="other", administrator_id=first.administrator_id, actor=first.actor,
        parameters=parameters, node=first.node,
    )  # fmt: skip
    from cms_api.jobs import folders

    folders.prepare(second.pk)
    assert [running.run(each.pk) for each in (first, second)] == [True, True]
    assert sorted(Job.objects.values_list("state", flat=True)) == ["done", "failed"]
    assert (titles(), kept.name) == (["Once"], "news.csv")


def test_a_stopped_import_stores_nothing_and_can_be_begun_again(highest, channel, monkeypatch):
    _preview, place = look(highest, channel, ["title"], ["a"], ["b"])
    answer = ask(highest, place)
    create = ContentResource.create

    def stop(self, drafts):
        create(self, drafts)
        raise running.Stopped

    with monkeypatch.context() as patched:
        patched.setattr(ContentResource, "create", stop)
        job = do(answer)
    assert (job.state, titles(), LastTaxis.objects.count()) == ("cancelled", [], 0)
    assert place in page_of(highest, job)
    assert preview_of(highest.get(place))["new"] == 2
    assert do(ask(highest, place)).state == "done"
    assert titles() == ["a", "b"]


def test_a_short_import_is_done_at_once_and_has_the_same_page(highest, channel, monkeypatch):
    monkeypatch.setattr(table_imports, "SHORT", 200)
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
    from django.db import OperationalError

    def fail(self, drafts):
        raise OperationalError

    monkeypatch.setattr(table_imports, "SHORT", 200)
    monkeypatch.setattr(ContentResource, "create", fail)
    _preview, place = look(highest, channel, ["title"], ["a"])
    answer = ask(highest, place)
    assert "The database could not do it now." in told(answer)[-1]
    assert (titles(), Job.objects.count(), KeptTable.objects.count()) == ([], 0, 1)


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
