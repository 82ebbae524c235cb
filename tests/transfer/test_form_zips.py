"""The zip of a form: shown first, then imported into a site, by a page or a command."""

import io
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from accounts.models import GroupPlace
from core.audit.models import AuditEntry
from core.jobs import folders
from core.jobs.models import Job
from forms.models import Entry, Field, Form
from tests.admin.world import administrator_with
from tests.factories import SiteFactory
from tests.transfer.form_zips import (
    row_of_5,
    row_of_6,
    row_of_7,
    zip_of_5,
    zip_of_6,
    zip_of_7,
    zipped,
)
from tests.transfer.wizard import browser_of, do, job_of
from transfer import form_import
from transfer.admin import forms as page

pytestmark = pytest.mark.django_db
PLACE = "/admin/forms/form/import/"
VERSIONS = {
    "input": zip_of_5(row_of_5()),
    "ss.form": zip_of_6(row_of_6()),
    "form": zip_of_7(row_of_7()),
    "form without version": zip_of_7(row_of_7(), version=""),
}


@pytest.fixture(autouse=True)
def place_for_uploads(one_at_a_time):
    """The uploads of the tests."""


@pytest.fixture
def site():
    return SiteFactory()


def upload(browser, site, data, name="5.zip"):
    return browser.post(f"{PLACE}?site={site.pk}", {"file": SimpleUploadedFile(name, data)})


def browser_with(site, *rights):
    administrator = administrator_with(*rights)
    GroupPlace.objects.create(group=administrator.groups.get(), site_id=site.pk)
    return browser_of(administrator)


def sent_by(shown):
    """What the page sends on, without ticked boxes."""
    hidden = re.findall(
        r'<input type="hidden" name="(package|file_name|entries)" value="([^"]*)"', shown.content.decode()
    )
    assert len(hidden) == 3
    return dict(hidden)


def bring(browser, site, data, **ticked):
    return browser.post(f"{PLACE}?site={site.pk}", sent_by(upload(browser, site, data)) | ticked)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_form_of_each_version_arrives_without_entries(highest, site, version):
    shown = upload(highest, site, VERSIONS[version])
    assert "Contact" in shown.content.decode() and "With entries" in shown.content.decode()
    assert not Form.objects.exists()
    answer = highest.post(f"{PLACE}?site={site.pk}", sent_by(shown))
    assert job_of(answer).state == "done"
    form = Form.objects.get()
    assert (form.site, form.name, form.origin, form.origin_id) == (site, "Contact", version.partition(" ")[0], 5)
    mail, colours = form.fields.all()
    assert (mail.folded_key, mail.is_required, [rule["type"] for rule in mail.rules]) == ("mail", True, ["Email"])
    assert (colours.kind, colours.choices) == ("checkbox", ["Red, dark", "Blue"])
    assert not Entry.objects.exists()
    assert AuditEntry.objects.get(action="form.created").details["source"] == "5.zip"
    assert folders.find_upload(sent_by(shown)["package"]) is None
    assert "Open the form" in highest.get(answer["Location"]).content.decode()


@pytest.mark.parametrize("version", VERSIONS)
def test_entries_arrive_if_they_are_asked_for(highest, site, version):
    job = job_of(bring(highest, site, VERSIONS[version], with_entries="on"))
    assert job.report["entries"] == 1
    entry = Entry.objects.get()
    keys = dict(Field.objects.values_list("pk", "folded_key"))
    values = {keys[int(pk)]: value for pk, value in entry.values.items()}
    assert values == {"mail": "ada@example.org", "colours": ["Red, dark", "Blue"]}
    assert (str(entry.created_at), entry.reply, entry.state) == ("2023-02-01 09:00:00", "Danke", "read")
    assert "192.0.2.9" not in str(vars(entry))
    assert "ada@example.org" not in str(list(AuditEntry.objects.values())) + str(list(Job.objects.values()))


def test_many_entries_are_stored_by_a_job(highest, site, monkeypatch):
    monkeypatch.setattr(page, "SHORT", 0)
    answer = bring(highest, site, VERSIONS["form"], with_entries="on")
    assert not Form.objects.exists()
    assert do(answer).state == "done"
    assert Entry.objects.count() == 1


def test_the_second_click_leads_to_the_same_job(highest, site):
    sent = sent_by(upload(highest, site, VERSIONS["form"]))
    answers = [highest.post(f"{PLACE}?site={site.pk}", sent) for _ in range(2)]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert Form.objects.count() == 1


def test_a_form_that_is_there_already_stays_as_it_is(highest, site):
    bring(highest, site, VERSIONS["form"])
    Form.objects.update(description="Changed here")
    assert "already has this form" in upload(highest, site, VERSIONS["form"]).content.decode()
    # Both were looked at before one was imported.
    assert Form.objects.get().description == "Changed here"


def test_a_name_or_number_that_another_form_has_is_told(highest, site):
    Form.objects.create(site=site, name="CONTACT")
    Form.objects.create(site=site, name="Booking", origin="form", origin_id=5)
    Form.objects.create(site=SiteFactory(), name="Contact_1", origin="form", origin_id=5)
    shown = upload(highest, site, VERSIONS["form"]).content.decode()
    assert "Contact: Contact_1" in shown and "lead to another form of the site (1): <code>Booking</code>" in shown
    bring(highest, site, VERSIONS["form"])
    assert Form.objects.filter(site=site, name="Contact_1", origin="", origin_id=None).count() == 1


def test_the_form_may_arrive_by_another_way_after_the_look(highest, site):
    sent = sent_by(upload(highest, site, VERSIONS["form"]))
    Form.objects.create(site=site, name="contact", origin="form", origin_id=5)
    answer = highest.post(f"{PLACE}?site={site.pk}", sent)
    assert "already has this form" in answer.content.decode()
    assert Form.objects.count() == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no zip", "not a readable zip file"),
        (zipped({"a.txt": "x"}), "not the zip file of one form"),
        (zipped({"5.xml": "<feed/>", "6.xml": "<feed/>"}), "not the zip file of one form"),
        (zipped({"../5.xml": "<feed/>"}), "points outside"),
        (zipped({"5.xml": '<!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/passwd">]><feed>&x;</feed>'}), "entities"),
        (zipped({"5.xml": "<feed>"}), "well-formed"),
        (zipped({"5.xml": "<feed/>", "big": bytes(64 * 1024**2)}), "67108864 are allowed"),
    ],
    ids=["no zip", "no form", "two forms", "path outside", "external entity", "broken", "large when unpacked"],
)
def test_another_file_is_refused_and_not_kept(highest, site, data, reason, tmp_path):
    assert reason in upload(highest, site, data).content.decode()
    assert not list((tmp_path / "jobs" / "uploads").iterdir())


def test_an_upload_that_is_gone_or_was_never_there_is_told(highest, site):
    sent = sent_by(upload(highest, site, VERSIONS["form"]))
    folders.remove_upload(sent["package"])
    for package in (sent["package"], "../../etc/passwd"):
        answer = highest.post(f"{PLACE}?site={site.pk}", sent | {"package": package})
        assert (answer.status_code, Form.objects.count()) == (200, 0)


def test_who_may_not_see_entries_gets_none(site):
    browser = browser_with(site, "forms.add_form", "forms.view_form")
    shown = upload(browser, site, VERSIONS["form"])
    assert "With entries" not in shown.content.decode()
    browser.post(f"{PLACE}?site={site.pk}", sent_by(shown) | {"with_entries": "on"})
    assert (Form.objects.count(), Entry.objects.count()) == (1, 0)


def test_who_may_not_add_forms_there_imports_none(site):
    browser = browser_with(site, "forms.add_form", "forms.view_form")
    other = SiteFactory()
    assert upload(browser, other, VERSIONS["form"]).status_code == 404
    assert upload(browser_with(site, "forms.view_form"), site, VERSIONS["form"]).status_code == 404
    assert f'?site={site.pk}"' in browser.get(PLACE).content.decode()
    assert f'?site={other.pk}"' not in browser.get(PLACE).content.decode()
    assert "Import a form" in browser.get("/admin/forms/form/").content.decode()


# ---- the command


def run(*arguments):
    out = io.StringIO()
    call_command("import_form", *map(str, arguments), stdout=out)
    return out.getvalue().splitlines()


def test_the_command_imports_the_same(site, tmp_path):
    file = tmp_path / "contact.zip"
    file.write_bytes(zip_of_7(row_of_7(), isReply=True))
    *notes, last = run(site.pk, file, "--dry-run")
    assert last == 'formId=0 fields=2 entries=0 of=1 name="Contact"' and "public list" in notes[0]
    assert not Form.objects.exists()
    last = run(site.pk, file, "--with-entries")[-1]
    assert last == f'formId={Form.objects.get().pk} fields=2 entries=1 of=1 name="Contact"'
    with pytest.raises(CommandError, match="already has this form"):
        run(site.pk, file)
    with pytest.raises(CommandError, match="not found"):
        run(site.pk + 1, file)
    with pytest.raises(CommandError, match="not a readable zip file"):
        run(site.pk, tmp_path / "missing.zip")
    assert form_import.MAX_BYTES == 16 * 1024**2  # as the page says
