"""Copies of a whole site, ordered in the list of sites."""

import pytest
from django.contrib.auth.models import Group
from django.core.files.storage import default_storage
from django.db import transaction

from channels_app.models import Channel
from channels_app.tree_fields import Survey
from contents.models import Content, ContentDraft
from core.audit.models import AuditEntry
from core.jobs import running
from core.jobs.progress import Run
from forms.models import Form
from media_library.models import MediaFile
from pages.models import Template
from sites.models import Site
from tests.admin.pages.browsing import place
from tests.admin.world import administrator_with_every_right
from tests.contents.derived import assert_derived
from tests.factories import AdministratorFactory, SiteFactory
from tests.transfer.site_files import PICTURE, state
from tests.transfer.wizard import browser_of, do, job_of, token_of
from transfer import site_copy

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("one_at_a_time")]
PAGE = "cms_sites_site"


def send(browser, source, **sent):
    """The answer to the form of the copy."""
    address = place(PAGE, "copy", source.pk)
    shown = browser.get(address)
    initial = {name: value for name, value in shown.context["form"].initial.items() if value}
    return browser.post(address, {"token": token_of(shown)} | initial | sent)


def files(site_id):
    folder = f"sites/{site_id}/upload/images"
    return default_storage.listdir(folder)[1] if default_storage.exists(folder) else []


def test_a_site_is_copied_with_contents_and_files(highest, museum):
    with transaction.atomic():
        first = Content.objects.get(title="First")
        ContentDraft.objects.create(content=first, site_id=museum.pk, version=1, checked_level=0)
    job = do(send(highest, museum))
    assert (job.state, job.report["channels"], job.report["contents"], job.report["files"]) == ("done", 4, 2, 4)
    made = Site.objects.get(pk=job.report["site_id"])
    assert (made.site_name, made.site_dir, made.web_url) == ("Museum 博物馆 (copy)", "museum-copy", "/museum-copy")
    assert made.settings == museum.settings
    names = (
        Channel.objects.filter(site=made).order_by("taxis").values_list("parents_count", "channel_name", "index_name")
    )
    assert list(names)[1:] == [(1, "News", "news"), (2, "Press", ""), (1, "Last", "")]
    first, second = Content.objects.filter(site=made).order_by("pk")
    assert (first.title, first.tags, first.is_checked, first.is_top, first.hits) == ("First", "海,sea", True, True, 0)
    assert (second.reference_id, second.source_id) == (first.pk, first.channel_id)
    assert [each.name for each in Template.objects.filter(site=made).order_by("pk")] == ["Lists", "include/head.html"]
    with default_storage.open(f"sites/{made.pk}/upload/images/a.png") as stored:
        assert stored.read() == PICTURE
    picture = MediaFile.objects.get(site=made, path="upload/images/a.png")
    assert (picture.alternative_text, picture.folder.name, picture.folder.parent.site) == ("灯塔", "Halls", made)
    assert not ContentDraft.objects.filter(site_id=made.pk).exists()
    form = Form.objects.get(site=made)
    assert ([field.key for field in form.fields.all()], form.entries.count()) == (["Mail", "kinds"], 0)
    assert AuditEntry.objects.get(action="site.imported").details["source"] == "Museum 博物馆"
    assert f"/{made.pk}/change/" in highest.get(job.get_absolute_url()).content.decode()
    assert not Survey(made.pk).problems
    assert_derived()


@pytest.mark.parametrize("with_contents", ["on", ""])
def test_copied_forms_keep_their_branch_and_groups(highest, museum, with_contents):
    form, group = Form.objects.get(site=museum), Group.objects.create(name="Crew")
    form.channel_id, form.is_limited = Channel.objects.get(site=museum, channel_name="Press").pk, True
    form.save()
    form.groups.add(group)
    Form.objects.create(site=museum, name="Gone", channel_id=2**40)
    job = do(send(highest, museum, with_contents=with_contents, site_name="Bare", site_dir="bare"))
    made = Form.objects.get(site=job.report["site_id"], name=form.name)
    assert Channel.objects.get(pk=made.channel_id, site=made.site_id).channel_name == "Press"
    assert (made.is_limited, list(made.groups.all())) == (True, [group])
    assert Form.objects.get(site=made.site_id, name="Gone").channel_id == made.site_id  # of no branch


def test_a_copy_has_no_host_of_its_own(highest, museum):
    museum.settings = {"isSeparatedWeb": True, "separatedWebUrl": "https://museum.example", "charset": "gb2312"}
    museum.save()
    made = Site.objects.get(pk=do(send(highest, museum)).report["site_id"])
    assert (made.web_url, made.settings) == ("/museum-copy", {"charset": "gb2312"})


def test_a_copy_without_contents_has_channels_and_templates(highest, museum):
    job = do(send(highest, museum, with_contents="", site_name="Bare", site_dir="bare"))
    assert (job.state, job.report["channels"], job.report["contents"]) == ("done", 4, 0)
    assert Site.objects.get(site_dir="bare").site_name == "Bare"


def test_a_copy_goes_below_the_site_that_is_chosen(highest, museum):
    above = SiteFactory(site_dir="harbour")
    made = Site.objects.get(pk=do(send(highest, museum, parent=above.pk)).report["site_id"])
    assert (made.parent_id, made.web_url) == (above.pk, "/harbour/museum-copy")


def test_the_folder_of_the_next_copy_is_another_one(highest, museum):
    SiteFactory(site_dir="Museum-Copy")
    assert highest.get(place(PAGE, "copy", museum.pk)).context["form"].initial["site_dir"] == "museum-copy2"


def test_a_taken_folder_is_refused(highest, museum):
    assert "site_dir" in send(highest, museum, site_dir="museum").context["form"].errors


def test_a_folder_that_is_taken_before_the_job_begins_fails_it(highest, museum):
    sent = send(highest, museum)
    SiteFactory(site_dir="museum-copy")
    before = state()
    job = do(sent)
    assert (job.state, state()) == ("failed", before)


def test_only_the_highest_rank_copies_sites(highest, museum):
    person = AdministratorFactory(is_superuser=False, site_id_collection=str(museum.pk))
    for browser in (browser_of(person), browser_of(administrator_with_every_right())):
        assert browser.get(place(PAGE, "copy", museum.pk)).status_code == 403
        assert place(PAGE, "copy", museum.pk) not in browser.get(place(PAGE)).content.decode()
    assert place(PAGE, "copy", museum.pk) in highest.get(place(PAGE)).content.decode()


@pytest.mark.parametrize("step", ["reading", "storing"])
def test_a_copy_that_is_stopped_leaves_nothing(highest, museum, monkeypatch, step):
    job, before, told = job_of(send(highest, museum)), state(), Run.tell

    def stop(run, reached, done=0, total=0):
        if reached == step and done > 5:
            run._beat.is_to_stop = True  # as its thread sees it, on a connection of its own
        told(run, reached, done, total)

    monkeypatch.setattr(Run, "tell", stop)
    running.run(job.pk)
    job.refresh_from_db()
    assert (job.state, state()) == ("cancelled", before)
    assert [name for name in default_storage.listdir("sites")[0] if files(name)] == [str(museum.pk)]


def test_files_of_a_copy_that_fails_at_its_end_are_removed(highest, museum, monkeypatch):
    job, before = job_of(send(highest, museum)), state()
    monkeypatch.setattr(site_copy, "COUNTERS", None)  # which it needs last
    running.run(job.pk)
    job.refresh_from_db()
    assert (job.state, state()) == ("failed", before)
    assert [name for name in default_storage.listdir("sites")[0] if files(name)] == [str(museum.pk)]
