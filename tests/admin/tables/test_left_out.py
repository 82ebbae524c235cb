"""Rows that are left out are downloaded, mended and uploaded by themselves."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from contents.models import Content
from core.jobs import folders, running
from core.models import PendingImport
from core.tables import views
from tests.admin.tables.files import address, csv_file, job_of, preview_of, problems_of, stored, upload, xlsx_file
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, UserFactory

pytestmark = pytest.mark.django_db
PAGE = "contents_content"
HEAD = ["id", "title", "isTop"]


@pytest.fixture
def channel():
    return ChannelFactory()


def look(browser, channel, file):
    query = f"?site__id__exact={channel.site_id}&channel__id__exact={channel.pk}"
    answer, place = upload(browser, PAGE, file, query, channel=channel.pk)
    assert answer.status_code == 302, answer.context["form"].errors
    return browser.get(place), place


def downloaded(answer, separator=","):
    assert answer.status_code == 200
    text = answer.content.decode()
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text[1:], newline=""), delimiter=separator))


def of_report(browser, answer):
    """The answer to the link on the page of the import."""
    place = job_of(answer).report["left_out_file"]
    assert f'href="{place}"' in browser.get(answer["Location"]).content.decode()
    return browser.get(place)


WRONG = "Pinned: Write True or False."


@pytest.mark.parametrize("make,separator", [(csv_file, ","), (csv_file, ";"), (xlsx_file, ",")])
def test_wrong_rows_are_downloaded_from_the_preview_and_from_the_import(highest, channel, make, separator):
    options = {"separator": separator} if make is csv_file else {}
    file = make(HEAD, ["", "Right", "True"], ["", "'=Wrong; 港口", "perhaps"], **options)
    answer, place = look(highest, channel, file)
    # In a workbook the apostrophe is the writer's own.
    title = "'=Wrong; 港口" if make is csv_file else "''=Wrong; 港口"
    expected = [[*HEAD, "left out because"], ["", title, "perhaps", WRONG]]
    assert f'href="{place}left-out/"' in answer.content.decode()
    assert downloaded(highest.get(f"{place}left-out/"), separator) == expected
    sent = of_report(highest, highest.post(place, {"import": "1", "leave_out": "on"}))
    assert downloaded(sent, separator) == expected
    assert "left%20out.csv" in sent["Content-Disposition"] or "left out.csv" in sent["Content-Disposition"]


def test_a_mended_download_stores_what_was_left_out_and_nothing_twice(highest, channel):
    _answer, place = look(highest, channel, csv_file(HEAD, ["", "Right", "True"], ["", "Wrong", "perhaps"]))
    head, (number, title, _flag, why) = downloaded(
        of_report(highest, highest.post(place, {"import": "1", "leave_out": "on"}))
    )
    answer, place = look(highest, channel, csv_file(head, [number, title, "maybe", why], ["", "Mended", "True", why]))
    # The reasons are neither read nor told to be unknown; those of before give way to those of now.
    assert (answer.context["unread"]["told"], answer.context["unread"]["others"]) == ([], [])
    assert downloaded(highest.get(f"{place}left-out/")) == [head, ["", "Wrong", "maybe", WRONG]]
    answer = highest.post(place, {"import": "1", "leave_out": "on"})
    assert stored(answer) == {"wrong": 1, "new": 1, "changed": 0, "unchanged": 0}
    assert [content.title for content in Content.objects.order_by("pk")] == ["Right", "Mended"]


def test_a_row_that_was_cut_short_stays_wrong_until_its_cells_are_written(highest, channel):
    old = ContentFactory(channel=channel, title="Old", tags="kept", source="kept, too")
    head = ["id", "title", "tags", "source"]
    _answer, place = look(highest, channel, csv_file(head, [old.pk, "Newer"]))
    rows = downloaded(highest.get(f"{place}left-out/"))
    assert rows[1] == [str(old.pk), "Newer", "#MISSING", "#MISSING", "The row has 2 cells, but the heading row has 4."]
    answer, _place = look(highest, channel, csv_file(*rows))
    assert [text[:24] for _column, text in problems_of(answer)[2]] == ["The file had no cell her"] * 2
    answer, place = look(highest, channel, csv_file(rows[0], [old.pk, "Newer", "kept", "kept, too", ""]))
    assert preview_of(answer)["changed"] == 1
    highest.post(place, {"import": "1"})
    assert Content.objects.filter(pk=old.pk).values_list("title", "tags")[0] == ("Newer", "kept")


def test_a_job_keeps_what_it_left_out_for_who_asked_only(highest, channel, monkeypatch, settings, tmp_path):
    settings.CMS_JOBS_AT_ONCE, settings.DATA_DIR = 1, tmp_path
    monkeypatch.setattr(views, "SHORT", 0)
    file = csv_file(["userName", "password"], ["ann", "lantern7"], ["bad name", "lantern8"])
    _answer, place = upload(highest, "accounts_user", file)
    highest.get(place)
    answer = highest.post(place, {"import": "1", "leave_out": "on"})
    assert folders.folder_of(job_of(answer).pk).is_dir()
    running.run(job_of(answer).pk)
    sent = of_report(highest, answer)
    assert downloaded(sent)[1][:2] == ["bad name", "lantern8"]
    assert "no-store" in sent["Cache-Control"]
    (kept,) = PendingImport.objects.all()
    assert b"lantern8" not in bytes(kept.data)
    colleague = Client()
    colleague.force_login(AdministratorFactory())
    link = job_of(answer).report["left_out_file"]
    assert link not in colleague.get(answer["Location"]).content.decode()
    assert colleague.get(link)["Location"] == address("accounts_user_changelist")
    PendingImport.objects.update(created_at="2020-01-01 00:00:00")
    assert highest.get(link)["Location"] == address("accounts_user_changelist")


def test_a_mended_table_of_users_may_be_uploaded_as_a_whole(highest):
    UserFactory(user_name="old")
    rows = [["old", "lantern7"], ["ann", "lantern7"], ["bad name", "lantern8"]]
    _answer, place = upload(highest, "accounts_user", csv_file(["userName", "password"], *rows))
    highest.get(place)
    assert stored(highest.post(place, {"import": "1", "leave_out": "on"}))["new"] == 1
    rows[2][0] = "ben"
    _answer, place = upload(highest, "accounts_user", csv_file(["userName", "password"], *rows))
    assert preview_of(highest.get(place)) == {"wrong": 0, "new": 1, "changed": 0, "unchanged": 2}
    highest.post(place, {"import": "1"})
    assert User.objects.get(user_name="ben").check_password("lantern8")


def test_what_is_no_kept_file_is_told(highest):
    place = address("accounts_user_import_left_out", "x")
    assert highest.get(place)["Location"] == address("accounts_user_changelist")


def test_without_wrong_rows_nothing_is_kept(highest, channel):
    _answer, place = look(highest, channel, SimpleUploadedFile("a.csv", b"title\na\n"))
    answer = highest.post(place, {"import": "1"})
    assert job_of(answer).report["left_out_file"] == ""
    assert not PendingImport.objects.exists()
