"""Copies of a channel with all below it, ordered in the admin."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import GroupPlace
from channels_app.models import Channel
from channels_app.services import trash_channel
from channels_app.tree_fields import Survey
from contents.models import Content, ContentBody, ContentChange, ContentDraft, ContentGroup, ContentPicture, LastTaxis
from contents.services.single import trash_content
from core.audit.models import AuditEntry
from core.jobs import enqueueing, running
from core.jobs.models import Job
from core.jobs.progress import Run, progress_store_of
from core.lib import clock
from pages.models import Template
from tests.admin.pages.browsing import place, told
from tests.admin.world import administrator_with
from tests.contents.derived import assert_derived
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.transfer.wizard import job_of, token_of
from tests.worlds import world
from transfer import channel_copy
from transfer.admin import channels

pytestmark = pytest.mark.django_db
PAGE = "channels_app_channel"
SEEING = ("channels_app.view_channel", "contents.view_content")
ADDING = ("channels_app.add_channel", "contents.add_content")
PUBLISHING = (*SEEING, *ADDING, "contents.approve_content")


@pytest.fixture(autouse=True)
def one_at_a_time(settings, tmp_path):
    settings.CMS_JOBS_AT_ONCE = 1
    settings.DATA_DIR = tmp_path


@world
def branch():
    """News(Sea(Tugs) Land), with an approved content in News and in Tugs."""
    news = ChannelFactory(channel_name="News", index_name="news", file_path="/news.html", settings={"colour": "blue"})
    sea = ChannelFactory(parent=news, channel_name="Sea", keywords="ships")
    tugs = ChannelFactory(parent=sea, channel_name="Tugs")
    ChannelFactory(parent=news, channel_name="Land")
    for channel, title in ((news, "Storm"), (tugs, "Tow")):
        ContentFactory(channel=channel, title=title, content=f"<p>{title}</p>", is_checked=True, checked_level=1)
    return news


@pytest.fixture
def highest():
    return browser_of(AdministratorFactory(user_name="harriet"))


def browser_of(person):
    browser = Client()
    browser.force_login(person)
    return browser


def send(browser, source, **sent):
    """The answer to the form of the copy."""
    address = place(PAGE, "copy", source.pk)
    shown = browser.get(address)
    initial = {name: value for name, value in shown.context["form"].initial.items() if value}
    return browser.post(address, {"token": token_of(shown)} | initial | sent)


def copy(browser, source, **sent):
    """The job of a copy, and the copy."""
    job = job_of(send(browser, source, **sent))
    return job, Channel.objects.get(pk=job.report["channel_id"])


def large(monkeypatch):
    monkeypatch.setattr(channels, "SHORT", 0)


def write(channel):
    below = " ".join(write(each) for each in channel.children.filter(trashed_at=None).order_by("taxis"))
    return f"{channel}({below})" if below else str(channel)


def contents_of(channel):
    rows = Content.objects.live().filter(channel__ancestor_links__ancestor=channel)
    return list(rows.order_by("channel__taxis", "taxis", "pk"))


def channels_and_contents():
    return Channel.objects.count(), Content.objects.count(), AuditEntry.objects.count()


# ---- what is copied


def test_a_channel_is_copied_with_everything_below_it(highest, branch):
    job, made = copy(highest, branch)
    assert (job.state, job.report["channels"], job.report["contents"]) == ("done", 4, 2)
    assert write(made) == "News (copy)(Sea(Tugs) Land)"
    assert (made.parent_id, made.settings, made.version) == (branch.parent_id, {"colour": "blue"}, 1)
    assert made.children.first().keywords == "ships"
    found = contents_of(made)
    assert [(each.title, each.channel.channel_name) for each in found] == [("Storm", "News (copy)"), ("Tow", "Tugs")]
    assert list(ContentBody.objects.filter(content__in=found).values_list("text", flat=True)) == [
        "<p>Storm</p>", "<p>Tow</p>",
    ]  # fmt: skip
    assert {(each.add_user_name, each.is_checked, each.version) for each in found} == {("harriet", True, 1)}
    entry = AuditEntry.objects.get(action="channel.copied")
    assert (entry.object_id, entry.details) == (str(made.pk), {"source": branch.pk, "channels": 4, "contents": 2})
    assert not ContentChange.objects.exists()
    assert not Survey(branch.site_id).problems
    assert_derived()


def test_the_copy_is_ordered_as_the_original_and_later_contents_come_above(highest, branch):
    ContentFactory(channel=branch, title="Above", taxis=9_000)
    _job, made = copy(highest, branch)
    taxes = [content.taxis for content in contents_of(branch) if content.channel_id == branch.pk]
    assert [each.taxis for each in contents_of(made) if each.channel_id == made.pk] == taxes
    assert LastTaxis.objects.get(channel=made).taxis == 9_000


def test_names_that_must_be_unique_stay_with_the_original(highest, branch):
    _job, made = copy(highest, branch)
    assert (made.index_name, made.file_path) == ("", "")
    _job, elsewhere = copy(highest, branch, parent=SiteFactory().pk)
    assert (elsewhere.index_name, elsewhere.file_path) == ("news", "/news.html")


def test_drafts_the_trash_hits_and_distinctions_are_left_out(highest, branch):
    [storm, tow] = contents_of(branch)
    Content.objects.filter(pk=storm.pk).update(hits=7, is_top=True, tags="sea", version=5, image_url="@/a.png")
    ContentDraft.objects.create(content=storm, site_id=storm.site_id, version=1, checked_level=0)
    ContentPicture.objects.create(content=storm, large_url="@/b.png")
    trash_content(tow.site_id, tow.channel_id, tow.pk)
    gone = ChannelFactory(parent=branch, channel_name="Gone")
    trash_channel(gone.site_id, gone.pk)
    _job, made = copy(highest, branch)
    assert write(made) == "News (copy)(Sea(Tugs) Land)"
    [found] = contents_of(made)
    assert (found.hits, found.is_top, found.tags, found.image_url) == (0, False, "sea", "@/a.png")
    assert [each.large_url for each in found.pictures.all()] == ["@/b.png"]
    assert ContentDraft.objects.count() == 1


def test_references_and_lists_of_channels_inside_the_branch_point_to_the_copies(highest, branch):
    [storm, tow] = contents_of(branch)
    outside = ContentFactory(channel=ChannelFactory(site=branch.site))
    sea = branch.children.first()
    ContentFactory(channel=sea, title="To a copy", reference_id=tow.pk, source_id=tow.channel_id)
    ContentFactory(channel=sea, title="To an original", reference_id=outside.pk, source_id=outside.channel_id)
    settings = {"transChannelIds": f"{sea.pk},{outside.channel_id}"}
    Channel.objects.filter(pk=branch.pk).update(settings=settings)
    _job, made = copy(highest, branch)
    found = {each.title: each for each in contents_of(made)}
    assert found["Storm"].source_id == storm.pk
    referring, other = found["To a copy"], found["To an original"]
    assert (referring.reference_id, referring.source_id) == (found["Tow"].pk, found["Tow"].channel_id)
    assert (other.reference_id, other.source_id) == (outside.pk, outside.channel_id)
    assert made.settings["transChannelIds"] == f"{made.children.first().pk},{outside.channel_id}"


@pytest.mark.any_database
@pytest.mark.parametrize("is_other_site", [False, True])
def test_links_by_id_inside_the_branch_lead_to_the_copies(highest, branch, is_other_site):
    sea, [storm, tow] = branch.children.first(), contents_of(branch)
    outside = ContentFactory(channel=ChannelFactory(site=branch.site))
    links = "@/_content/{0}#end @/_channel/{1} @/_content/{2}"
    text = links.format(storm.pk, sea.pk, outside.pk)
    ContentBody.objects.filter(content=tow).update(text=text)
    Content.objects.filter(pk=tow.pk).update(summary=text, settings_xml=json.dumps({"note": text}))
    Channel.objects.filter(pk=sea.pk).update(content=text, settings={"note": text})
    target = SiteFactory() if is_other_site else branch.site
    _job, made = copy(highest, branch, **({"parent": target.pk} if is_other_site else {}))
    [storm_copy, tow_copy], sea_copy = contents_of(made), made.children.first()
    expected = links.format(storm_copy.pk, sea_copy.pk, outside.pk)
    if is_other_site:  # the address of the other site leads there
        expected = expected.replace(f"@/_content/{outside.pk}", f"{branch.site.web_url}/_content/{outside.pk}")
    assert ContentBody.objects.get(content=tow_copy).text == expected
    assert tow_copy.summary == json.loads(tow_copy.settings_xml)["note"] == expected
    assert (sea_copy.content, sea_copy.settings["note"]) == (expected, expected)
    assert ContentBody.objects.get(content=tow).text == text


def test_a_copy_without_contents(highest, branch):
    job, made = copy(highest, branch, with_contents="")
    assert (write(made), contents_of(made)) == ("News (copy)(Sea(Tugs) Land)", [])
    assert job.report["contents"] == 0


def test_a_channel_is_copied_below_itself_once(highest, branch):
    _job, made = copy(highest, branch, parent=branch.children.first().pk, name="Inner")
    assert write(branch) == "News(Sea(Tugs Inner(Sea(Tugs) Land)) Land)"
    assert len(contents_of(made)) == 2
    assert not Survey(branch.site_id).problems


def test_in_another_site_templates_are_found_by_name_and_files_stay(highest, branch):
    target, source = SiteFactory(), branch.site
    mine, theirs = (
        Template.objects.create(site=site, kind="ChannelTemplate", name=name)
        for site, name in ((source, "Lists"), (target, "lists"))
    )
    lonely = Template.objects.create(site=source, kind="ContentTemplate", name="Only here")
    Channel.objects.filter(pk=branch.pk).update(
        channel_template_id=mine.pk, content_template_id=lonely.pk, image_url="@/a.png"
    )
    [storm, _tow] = contents_of(branch)
    Content.objects.filter(pk=storm.pk).update(group_name_collection="Red", settings_xml='{"Colour":"@/c.png"}')
    ContentBody.objects.filter(content=storm).update(text='<img src="@/b.png"> me@/home')
    target.custom_fields.create(name="colour", folded_name="colour")
    _job, made = copy(highest, branch, parent=target.pk)
    assert (made.site_id, made.channel_template_id, made.content_template_id) == (target.pk, theirs.pk, 0)
    assert made.image_url == f"/{source.site_dir}/a.png"
    found = contents_of(made)[0]
    assert (found.site_id, found.body.text) == (target.pk, f'<img src="/{source.site_dir}/b.png"> me@/home')
    assert found.settings_xml.startswith(f'{{"colour":"/{source.site_dir}/c.png"')
    assert ContentGroup.objects.filter(site=target, group_name="Red").exists()
    assert not Survey(target.pk).problems
    assert_derived()


def test_a_long_name_is_cut(highest):
    source = ChannelFactory(channel_name="n" * 255)
    _job, made = copy(highest, source)
    assert (len(made.channel_name), made.channel_name[-8:]) == (255, "n (copy)")


# ---- states


@pytest.mark.parametrize(("rights", "state"), [(PUBLISHING, (True, 1)), ((*SEEING, *ADDING), (False, 0))])
def test_copies_are_approved_only_by_people_who_may_publish_there(branch, rights, state):
    job, made = copy(browser_of(administrator_with(*rights)), branch)
    assert {(each.is_checked, each.checked_level) for each in contents_of(made)} == {state}
    assert job.report["waiting"] == (0 if state[0] else 2)


def test_the_right_to_publish_counts_at_the_target(branch):
    person, open_place = administrator_with(*SEEING, *ADDING), ChannelFactory(site=branch.site)
    publisher = administrator_with("contents.approve_content").groups.get()
    GroupPlace.objects.create(group=publisher, site_id=branch.site_id, channel_id=open_place.pk)
    person.groups.add(publisher)
    assert {each.is_checked for each in contents_of(copy(browser_of(person), branch)[1])} == {False}
    assert {each.is_checked for each in contents_of(copy(browser_of(person), branch, parent=open_place.pk)[1])} == {
        True
    }


def test_rejected_contents_and_drafts_become_drafts(highest, branch):
    Content.objects.filter(channel=branch).update(is_checked=False, checked_level=-2)
    _job, made = copy(highest, branch)
    assert [(each.is_checked, each.checked_level) for each in contents_of(made)] == [(False, -99), (True, 1)]


# ---- rights


def limited(branch, *rights):
    person = administrator_with(*rights)
    GroupPlace.objects.create(group=person.groups.get(), site_id=branch.site_id, channel_id=branch.pk)
    return person


def test_people_of_a_branch_copy_only_into_it(branch):
    browser, sea = browser_of(limited(branch, *PUBLISHING)), branch.children.first()
    offered = [
        value for value, _name in browser.get(place(PAGE, "copy", sea.pk)).context["form"].fields["parent"].choices
    ]
    assert offered[1:] == list(Channel.objects.in_channel(branch.pk).values_list("pk", flat=True))
    before = channels_and_contents()
    answer = send(browser, sea, parent=branch.parent_id)
    assert (answer.status_code, "parent" in answer.context["form"].errors) == (200, True)
    assert channels_and_contents() == before
    _job, made = copy(browser, sea)
    assert write(branch) == "News(Sea(Tugs) Land Sea (copy)(Tugs))"
    assert made.parent_id == branch.pk


@pytest.mark.parametrize("rights", [SEEING, ("contents.view_content", "contents.add_content")])
def test_people_who_may_not_add_channels_get_no_page(branch, rights):
    browser = browser_of(administrator_with(*rights))
    assert browser.get(place(PAGE, "copy", branch.pk)).status_code in {403, 404}


def test_a_channel_that_one_may_not_see_is_404(branch):
    browser, other = browser_of(limited(branch, *PUBLISHING)), ChannelFactory(site=branch.site)
    assert browser.get(place(PAGE, "copy", other.pk)).status_code == 404
    assert browser.get(place(PAGE, "copy", branch.site_id)).status_code == 404


def test_the_home_channel_is_404(highest, branch):
    assert highest.get(place(PAGE, "copy", branch.site_id)).status_code == 404


def test_contents_that_one_may_not_see_are_left_out_and_counted(branch):
    person, sea = administrator_with("channels_app.add_channel"), branch.children.first()
    writer = limited(sea, "contents.view_content").groups.get()
    person.groups.add(writer, administrator_with("contents.add_content").groups.get())
    GroupPlace.objects.create(
        group=person.groups.get(permissions__codename="add_content"), site_id=sea.site_id, channel_id=sea.pk
    )
    browser = browser_of(person)
    assert browser.get(place(PAGE, "copy", branch.pk)).context["hidden"] == 1
    job, made = copy(browser, branch, parent=sea.pk)
    assert ([each.title for each in contents_of(made)], job.report["hidden"]) == (["Tow"], 1)


def test_contents_need_the_right_to_add_contents(branch):
    browser = browser_of(administrator_with(*SEEING, "channels_app.add_channel"))
    assert "parent" in send(browser, branch).context["form"].errors
    _job, made = copy(browser, branch, with_contents="")
    assert contents_of(made) == []


def test_a_channel_that_takes_no_channels_is_refused(highest, branch):
    Channel.objects.filter(pk=branch.parent_id).update(settings={"isChannelAddable": False})
    assert "parent" in send(highest, branch).context["form"].errors


def test_a_branch_that_is_too_large_is_refused(highest, branch, monkeypatch):
    monkeypatch.setattr(channel_copy, "MAX_CONTENTS", 1)
    before = channels_and_contents()
    answer = send(highest, branch)
    assert told(answer) == ["At most 2000 channels and 1 content items can be copied together."]
    assert channels_and_contents() == before


# ---- jobs


def test_a_large_copy_is_a_job_of_its_own(highest, branch, monkeypatch):
    large(monkeypatch)
    job = job_of(send(highest, branch))
    assert (job.state, Channel.objects.filter(channel_name="News (copy)").exists()) == ("waiting", False)
    assert running.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.report["contents"]) == ("done", 2)
    shown = highest.get(job.get_absolute_url()).content.decode()
    assert f"#c{job.report['channel_id']}" in shown
    assert "Undo" in shown


def test_a_form_that_is_sent_twice_copies_once(highest, branch):
    address = place(PAGE, "copy", branch.pk)
    sent = {"token": token_of(highest.get(address)), "name": "Twin", "parent": branch.parent_id}
    assert highest.post(address, sent)["Location"] == highest.post(address, sent)["Location"]
    assert Channel.objects.filter(channel_name="Twin").count() == 1


def test_two_copies_are_two_channels(highest, branch):
    assert copy(highest, branch)[1].pk != copy(highest, branch)[1].pk
    assert [str(each) for each in Channel.objects.filter(parent=branch.parent_id).order_by("taxis")] == [
        "News", "News (copy)", "News (copy)",
    ]  # fmt: skip
    assert not Survey(branch.site_id).problems


def test_a_copy_that_is_stopped_in_the_middle_leaves_nothing(highest, branch, monkeypatch):
    large(monkeypatch)
    job = job_of(send(highest, branch))
    before = channels_and_contents()
    told = Run.tell

    def stop(run, step, *numbers):
        if step == "contents":
            enqueueing.cancel(job)
            run._beat.is_to_stop = progress_store_of(job.pk).is_to_stop()  # as its thread would soon see
        told(run, step, *numbers)

    monkeypatch.setattr(Run, "tell", stop)
    running.run(job.pk)
    job.refresh_from_db()
    assert (job.state, channels_and_contents()) == ("cancelled", before)


@pytest.mark.parametrize("end", ["source", "right", "target"])
def test_a_job_whose_ground_has_gone_changes_nothing(branch, monkeypatch, end):
    large(monkeypatch)
    person, target = administrator_with(*PUBLISHING), ChannelFactory(site=branch.site)
    job = job_of(send(browser_of(person), branch, parent=target.pk))
    if end == "right":
        person.groups.clear()
    else:
        gone = branch if end == "source" else target
        trash_channel(gone.site_id, gone.pk)
    before = channels_and_contents()
    running.run(job.pk)
    job.refresh_from_db()
    assert (job.state, channels_and_contents()) == ("failed", before)


def test_many_contents_take_few_statements(highest, branch, monkeypatch):
    large(monkeypatch)
    some = [Content(site=branch.site, channel=branch, title=f"T{number}", taxis=number) for number in range(500)]
    ContentBody.objects.bulk_create(ContentBody(content=each) for each in Content.objects.bulk_create(some))
    job = job_of(send(highest, branch))
    with CaptureQueriesContext(
        connection,
    ) as statements:
        running.run(job.pk)
    assert len(contents_of(Channel.objects.get(channel_name="News (copy)"))) == 502
    assert len(statements) < 120


# ---- undoing


def undo(browser, job):
    return browser.post(place(PAGE, "undo_copy", job.pk))


def test_undo_moves_the_copy_to_the_trash(highest, branch):
    job, made = copy(highest, branch)
    assert told(undo(highest, job)) == ["The copy was moved to the trash."]
    assert not Channel.objects.live().filter(pk=made.pk).exists()
    assert (write(branch), len(contents_of(branch))) == ("News(Sea(Tugs) Land)", 2)
    assert told(undo(highest, job))[1:] == ["The channel or its parent channel no longer exists."]


def edit(channel):
    Content.objects.filter(channel=channel).update(version=2)


def draft(channel):
    content = Content.objects.get(channel=channel)
    ContentDraft.objects.create(content=content, site_id=content.site_id, version=1, checked_level=0)


def exchange(channel):
    """One content more and one less."""
    ContentFactory(channel=channel)
    content = Content.objects.filter(channel=channel).order_by("pk").first()
    trash_content(content.site_id, channel.pk, content.pk)


@pytest.mark.parametrize(
    "change",
    [
        edit,
        draft,
        exchange,
        lambda channel: ContentFactory(channel=channel.children.first()),
        lambda channel: ChannelFactory(parent=channel),
        lambda channel: trash_channel(channel.site_id, channel.children.first().pk),
        lambda channel: Channel.objects.filter(pk=channel.pk).update(version=2),
    ],
)
def test_a_copy_that_somebody_has_changed_stays(highest, branch, change):
    job, made = copy(highest, branch)
    change(made)
    [message] = told(undo(highest, job))
    assert message.startswith("Someone has changed the copy, so it was not removed.")
    assert Channel.objects.live().filter(pk=made.pk).exists()


def test_undo_lasts_an_hour_and_is_for_the_person_who_copied(highest, branch):
    job, made = copy(highest, branch)
    assert undo(browser_of(AdministratorFactory()), job).status_code == 404
    assert highest.get(place(PAGE, "undo_copy", job.pk)).status_code == 404
    Job.objects.filter(pk=job.pk).update(ended_at=clock.now() - timedelta(seconds=3601))
    [message] = told(undo(highest, job))
    assert message.startswith("An hour has passed")
    assert Channel.objects.live().filter(pk=made.pk).exists()
