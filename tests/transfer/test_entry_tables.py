"""Entries of a form from a table: shown first, then stored, each once."""

import io
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from openpyxl import Workbook

from accounts.models import GroupPlace
from core.audit.models import AuditEntry
from core.jobs import folders
from forms.models import Entry, Field, Form
from tests.admin.browser_forms import posted_by
from tests.admin.world import administrator_with
from tests.factories import SiteFactory
from tests.transfer.wizard import browser_of, do, job_of
from transfer.admin import entries as page

pytestmark = pytest.mark.django_db
# As version 7 exports it.
TABLE = (
    "编号,姓名,Kinds,添加时间,是否回复,回复时间,回复内容,Other\n"
    '1,Ada,"a,b",2023-02-01 09:00:00,是,2023-02-02 10:00:00,Danke,x\n'
    "2,Ben,,never,否,,Not sent,\n"
    "3,,,2023-02-03 09:00:00,否,,,\n"
)


@pytest.fixture(autouse=True)
def place_for_uploads(one_at_a_time):
    """The uploads of the tests."""


@pytest.fixture
def form():
    made = Form.objects.create(site=SiteFactory(), name="Contact")
    Field.objects.create(form=made, key="name", label="姓名")
    Field.objects.create(form=made, key="kinds", label="What", kind="checkbox", choices=["a", "b"], taxis=2)
    return made


def place_of(form):
    return f"/admin/forms/entry/import/?form__id__exact={form.pk}"


def upload(browser, form, data, name="rows.csv"):
    return browser.post(place_of(form), {"file": SimpleUploadedFile(name, data)})


def sent_by(shown):
    hidden = re.findall(
        r'<input type="hidden" name="(package|file_name|entries)" value="([^"]*)"', shown.content.decode()
    )
    assert len(hidden) == 3
    return dict(hidden)


def bring(browser, form, data, name="rows.csv"):
    return browser.post(place_of(form), sent_by(upload(browser, form, data, name)))


def workbook(text):
    book, data = Workbook(), io.BytesIO()
    for row in (
        [cell.strip('"') for cell in re.findall(r'("[^"]*"|[^,\n]*)[,\n]', line + "\n")] for line in text.splitlines()
    ):
        book.active.append(row)
    book.save(data)
    return data.getvalue()


@pytest.mark.parametrize(("data", "name"), [(TABLE.encode(), "rows.csv"), (workbook(TABLE), "rows.xlsx")])
def test_rows_become_entries_once(highest, form, data, name):
    shown = upload(highest, form, data, name)
    assert not Entry.objects.exists()
    assert "<code>Other</code>" in shown.content.decode() and "<code>2</code>" not in shown.content.decode()
    job = job_of(bring(highest, form, data, name))
    assert (job.state, job.report["entries"], job.report["known"]) == ("done", 2, 1)
    ada, ben = Entry.objects.order_by("pk")
    first, second = form.fields.all()
    assert ada.values == {str(first.pk): "Ada", str(second.pk): ["a", "b"]}
    assert (str(ada.created_at), str(ada.replied_at)) == ("2023-02-01 09:00:00", "2023-02-02 10:00:00")
    assert (ada.reply, ada.state, ada.source) == ("Danke", "read", "import")
    assert (ben.values, ben.reply, ben.state) == ({str(first.pk): "Ben"}, "", "new")
    assert AuditEntry.objects.get(action="entry.imported").details["entries"] == 2
    assert "Ada" not in str(list(AuditEntry.objects.values()))
    assert job_of(bring(highest, form, data, name)).report["known"] == 2  # Ben has no time, and comes again
    assert Entry.objects.count() == 3


def test_what_this_service_exports_comes_back(highest, form):
    first = form.fields.first()
    entry = Entry.objects.create(form=form, values={str(first.pk): "=1+1"}, reply="Danke", state="read")
    Entry.objects.filter(pk=entry.pk).update(created_at="2023-02-01 09:00:00")
    address = f"/admin/forms/entry/export/?form__id__exact={form.pk}"
    answer = highest.post(address, posted_by(highest.get(address)))
    data = b"".join(answer.streaming_content)
    Entry.objects.all().delete()
    bring(highest, form, data)
    entry = Entry.objects.get()
    assert (entry.values, entry.reply, str(entry.created_at)) == (
        {str(first.pk): "=1+1"},
        "Danke",
        "2023-02-01 09:00:00",
    )


def test_many_rows_are_stored_by_a_job(highest, form, monkeypatch):
    monkeypatch.setattr(page, "SHORT", 0)
    answer = bring(highest, form, TABLE.encode())
    assert not Entry.objects.exists()
    assert do(answer).report["entries"] == 2


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"Other\nx\n", "No column of the table"),
        (b"PK\x03\x04x", "cannot be read as XLSX"),
        ("姓名\n".encode(), "no rows"),
    ],
)
def test_another_file_is_refused_and_not_kept(highest, form, data, reason, tmp_path):
    assert reason in upload(highest, form, data).content.decode()
    assert not [*tmp_path.glob("jobs/uploads/*")]


def test_an_upload_that_is_gone_is_told(highest, form):
    sent = sent_by(upload(highest, form, TABLE.encode()))
    folders.remove_upload(sent["package"])
    assert "no longer stored" in highest.post(place_of(form), sent).content.decode()


def test_only_who_may_change_entries_of_the_site_imports_them(form):
    def browser_with(site, *rights):
        administrator = administrator_with(*rights)
        GroupPlace.objects.create(group=administrator.groups.get(), site_id=site.pk)
        return browser_of(administrator)

    listed = f"/admin/forms/entry/?form__id__exact={form.pk}"
    able = browser_with(form.site, "forms.change_entry", "forms.view_entry")
    assert "Import entries" in able.get(listed).content.decode()
    assert able.get(place_of(form)).status_code == 200
    reader = browser_with(form.site, "forms.view_entry")
    assert "Import entries" not in reader.get(listed).content.decode()
    assert upload(reader, form, TABLE.encode()).status_code == 404
    other = browser_with(SiteFactory(), "forms.change_entry", "forms.view_entry")
    assert upload(other, form, TABLE.encode()).status_code == 404
