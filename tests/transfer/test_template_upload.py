"""A site template as an uploaded file: looked through first, then imported with its pictures, or not at all."""

import io
import json
import zipfile

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile

from channels_app.models import Channel
from contents.models import Content
from core.audit.models import AuditEntry
from core.jobs import enqueueing, folders, running
from core.jobs.models import Job
from forms.models import Entry, Form
from media_library.models import MediaFile
from pages.models import Template as PageTemplate
from sites.models import Site
from tests.factories import AdministratorFactory, SiteFactory
from tests.transfer.wizard import ADD, TEMPLATE, answer, do, job_of
from tools.site_templates import OLD_SITE, Template, encoded, feed, old_channel, old_content

pytestmark = pytest.mark.django_db
PICTURE = "upload/images/2017/6/quay.jpg"
BODY = f'<img src="@/{PICTURE}"><img src="@/upload/images/lost.png"> <a href="@/upload/run.exe">x</a>'


@pytest.fixture(autouse=True)
def one_at_a_time(settings, tmp_path):
    settings.CMS_JOBS_AT_ONCE = 1
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture
def highest(client):
    client.force_login(AdministratorFactory(user_name="harriet"))
    return client


def package(tmp_path, **site):
    settings = json.dumps({"PageSize": "20", "WindowSize": "9"})
    template = Template(
        site=OLD_SITE | {"SettingsXml": settings} | site,
        channels={
            "1": feed(old_channel(7), [old_content(1)]),
            "1_1": feed(
                old_channel(8, 7, ChannelTemplateName="List"), [old_content(2, Content=encoded(BODY)), old_content(3)]
            ),
        },
        others={PICTURE: "picture", "upload/run.exe": "MZ", "index.html": "<p>", "upload/.htaccess": "x"},
    )
    return template.write_zip(tmp_path / "T_Harbour.zip").read_bytes()


def upload(browser, data, name="T_Harbour.zip", **headers):
    return browser.post(TEMPLATE, {"file": SimpleUploadedFile(name, data)}, headers=headers)


def import_it(browser, survey, **place):
    """Go through the wizard with a package that was looked through; the answer to its last step."""
    shown = browser.get(ADD, {"survey": survey.pk}, follow=True).context["form"]
    sent = {"site_name": shown["site_name"].value(), "site_dir": shown["site_dir"].value()} | place
    assert answer(browser, "place", **sent)["Location"].endswith("step=people")  # how it begins is known
    answer(browser, "people")
    return answer(browser, "summary")


def test_a_package_is_looked_through_without_storing_anything(highest, tmp_path):
    job = do(upload(highest, package(tmp_path)))
    assert job.state == "done"
    report = job.report
    assert (report["site_name"], report["site_dir"], report["channels"], report["contents"]) == (
        "Harbour", "harbour", 2, 3,
    )  # fmt: skip
    assert report["rows"] == [[0, "Channel 7", 1], [1, "Channel 8", 2]]
    assert (report["files"], report["left_out"], report["unknown_settings"]) == (1, 3, ["WindowSize"])
    assert report["missing_named"] == ["upload/images/lost.png", "upload/run.exe"]
    assert (Site.objects.count(), AuditEntry.objects.filter(action="site.imported").count()) == (0, 0)
    text = highest.get(f"/admin/jobs/job/{job.pk}/change/").content.decode()
    assert "upload/images/lost.png" in text
    assert "WindowSize" in text
    assert_notes(report, text)


def assert_notes(report, page):
    """Both reports name what is left out, and what the package lacks."""
    assert report["left_out_named"] == [
        ["pages, which the service makes itself, and texts of templates", 1, ["index.html"]],
        ["hidden files", 1, ["upload/.htaccess"]],
        ["programs, settings and data of servers", 1, ["upload/run.exe"]],
    ]
    assert "<li>Left out, programs, settings and data of servers (1): <code>upload/run.exe</code></li>" in page
    assert "The package has no page templates, so the site will have no pages." in page
    assert "(1): <code>Channel 8: ChannelTemplate List</code>" in page


def test_what_was_looked_through_is_imported_with_its_pictures(highest, tmp_path):
    survey = do(upload(highest, package(tmp_path)))
    job = do(import_it(highest, survey, site_name="Port", site_dir="port"))
    assert (job.state, job.report["contents"], job.report["files"]) == ("done", 3, 1)
    site = Site.objects.get(pk=job.report["site_id"])
    assert (site.site_name, site.site_dir, site.settings["pageSize"]) == ("Port", "port", 20)
    assert Channel.objects.filter(site=site).count() == 2
    assert Content.objects.filter(site=site).count() == 3
    with default_storage.open(f"sites/{site.pk}/{PICTURE}") as file:
        assert file.read() == b"picture"
    assert MediaFile.objects.get(site=site).path == PICTURE
    default_storage.delete(f"sites/{site.pk}/{PICTURE}")
    entry = AuditEntry.objects.get(action="site.imported")
    assert (entry.actor_name, entry.details["source"]) == ("harriet", "T_Harbour.zip")
    assert folders.find_upload(job.parameters["package"]) is None
    told = highest.get(f"/admin/jobs/job/{job.pk}/change/").content.decode()
    assert f'/admin/cms_sites/site/{site.pk}/change/"' in told
    assert_notes(job.report, told)
    assert "upload/images/lost.png" in told


def with_templates(tmp_path):
    """A package with ids that are free, a template, and a file that pages load."""
    made = Template(
        channels={"1": feed(old_channel(7000007), [old_content(7000001)])},
        others={
            "SiteTemplateMetadata/Template.xml": feed(
                {}, [{"TemplateName": "Home", "TemplateType": "IndexPageTemplate"}]
            ),
            "T_home.html": "",
            "css/style.css": "p {}",
        },
    )
    return made.write_zip(tmp_path / "T_Harbour.zip").read_bytes()


@pytest.mark.parametrize("is_kept", [True, False])
def test_ids_of_a_package_are_kept_if_asked_for(highest, tmp_path, media_folder, is_kept):
    survey = do(upload(highest, with_templates(tmp_path)))
    assert (survey.report["templates"], survey.report["files"], survey.report["left_out"]) == (1, 1, 1)
    job = do(import_it(highest, survey, **({"keep_ids": "on"} if is_kept else {})))
    report = job.report
    assert (report["templates"], report["files"], report["site_id"] == 7000007) == (1, 1, is_kept)
    assert report["kept_ids"] == ({"channels": True, "contents": True} if is_kept else None)
    assert PageTemplate.objects.get().site_id == report["site_id"]
    assert default_storage.exists(f"sites/{report['site_id']}/css/style.css")
    told = highest.get(f"/admin/jobs/job/{job.pk}/change/").content.decode()
    assert ("The site and its channels have kept their IDs." in told) == is_kept


def test_ids_are_a_question_of_packages_only(highest, tmp_path):
    assert "keep_ids" not in highest.get(ADD).context["form"].fields
    survey = do(upload(highest, package(tmp_path)))
    assert "keep_ids" in highest.get(ADD, {"survey": survey.pk}, follow=True).context["form"].fields


@pytest.mark.parametrize("is_asked_for", [True, False])
def test_entries_of_forms_are_imported_only_if_asked_for(highest, tmp_path, is_asked_for):
    made = Template(
        others={
            "SiteTemplateMetadata/Input/7.xml": feed({"InputID": "7", "InputName": "Contact"}, [{"name": "Ada"}] * 2),
            "SiteTemplateMetadata/Input/7/Name.xml": feed({"AttributeName": "Name", "InputType": "Video"}),
        }
    )
    survey = do(upload(highest, made.write_zip(tmp_path / "T_Harbour.zip").read_bytes()))
    assert [survey.report[name] for name in ("forms", "form_fields", "entries")] == [1, 1, 2]
    page = highest.get(f"/admin/jobs/job/{survey.pk}/change/").content.decode()
    assert "The package has 2 entries that visitors sent by forms." in page
    assert "documents and pictures of up to 5 MB (1): <code>Contact: Name</code>" in page
    assert (Form.objects.count(), Entry.objects.count()) == (0, 0)
    job = do(import_it(highest, survey, **({"with_entries": "on"} if is_asked_for else {})))
    assert (Form.objects.get().site_id, Entry.objects.count()) == (job.report["site_id"], 2 * is_asked_for)
    page = highest.get(f"/admin/jobs/job/{job.pk}/change/").content.decode()
    assert ("entries of forms" in page) == is_asked_for


def test_entries_are_a_question_of_packages_that_have_some(highest, tmp_path):
    survey = do(upload(highest, package(tmp_path)))
    assert "with_entries" not in highest.get(ADD, {"survey": survey.pk}, follow=True).context["form"].fields


def test_another_file_is_chosen_where_the_steps_begin(highest, tmp_path):
    survey = do(upload(highest, package(tmp_path)))
    shown = highest.get(ADD, {"survey": survey.pk}, follow=True)
    assert [each["name"] for each in shown.context["steps"]] == ["template", "place", "people", "summary"]
    assert highest.get(ADD, {"step": shown.context["before"]})["Location"] == TEMPLATE
    assert highest.post(f"{ADD}?step=template")["Location"] == TEMPLATE


def test_the_way_on_stands_above_the_channels(highest, tmp_path):
    job = do(upload(highest, package(tmp_path)))
    told = highest.get(f"/admin/jobs/job/{job.pk}/change/").content.decode()
    assert told.index("Continue and import it") < told.index("Channels and their content items")


@pytest.mark.parametrize(("mark", "is_told"), [("@/upload/images/none.png", True), ("", False)])
def test_a_watermark_that_cannot_be_drawn_is_told_after_the_import(highest, tmp_path, mark, is_told):
    settings = json.dumps({"IsWaterMark": "True", "IsImageWaterMark": "True", "WaterMarkImagePath": mark})
    job = do(import_it(highest, do(upload(highest, package(tmp_path, SettingsXml=settings)))))
    assert job.state == "done"
    default_storage.delete(f"sites/{job.report['site_id']}/{PICTURE}")
    text = highest.get(f"/admin/jobs/job/{job.pk}/change/").content.decode()
    told = f"the site has no file {mark}. Change “Picture of the watermark” in its settings. Until then"
    assert (told in text, "cannot be drawn" in text) == (is_told, is_told)


def test_a_root_site_becomes_an_ordinary_one_where_there_is_one(highest, tmp_path):
    SiteFactory(is_root=True, site_dir="")
    survey = do(upload(highest, package(tmp_path, IsHeadquarters="True")))
    shown = highest.get(ADD, {"survey": survey.pk}, follow=True)
    assert shown.context["form"]["is_root"].value() is False


def test_a_taken_folder_is_told_as_soon_as_the_place_is_shown(highest, tmp_path):
    SiteFactory(site_dir="Harbour")
    survey = do(upload(highest, package(tmp_path)))
    assert "site_dir" in highest.get(ADD, {"survey": survey.pk}, follow=True).context["form"].errors


def test_a_wrong_package_is_told_with_its_file_and_element(highest, tmp_path):
    broken = Template(channels={"1": feed(old_channel(7), [old_content(1, AddDate="soon")])})
    job = do(upload(highest, broken.write_zip(tmp_path / "x.zip").read_bytes()))
    assert job.state == "failed"
    assert job.report["place"] == "T_Harbour/SiteTemplateMetadata/SiteContent/1.xml, entry 1, element AddDate"
    assert job.report["place"] in highest.get(f"/admin/jobs/job/{job.pk}/change/").content.decode()


def zipped(**members):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return held.getvalue()


@pytest.mark.parametrize("data", [b"", b"no zip", b"PK", zipped(a="x"), zipped(**{"../x": "y"})])
def test_what_is_no_site_template_is_refused_in_words(highest, data):
    answered = upload(highest, data)
    if answered.status_code == 302:
        job = do(answered)
        assert (job.state, bool(job.report["problem"])) == ("failed", True)
    else:
        assert "file" in answered.context["form"].errors
        assert Job.objects.count() == 0


def test_a_script_is_answered_with_an_address_or_a_sentence(highest, tmp_path):
    accepted = upload(highest, package(tmp_path), accept="application/json")
    assert accepted.json() == {"address": f"/admin/jobs/job/{Job.objects.get().pk}/change/"}
    refused = upload(highest, b"no zip", accept="application/json")
    assert (refused.status_code, refused.json()) == (400, {"message": "This is not a zip file."})


def test_a_file_over_the_limit_is_refused(highest, tmp_path, settings):
    settings.CMS_PACKAGE_MAX_BYTES = 100
    assert "file" in upload(highest, package(tmp_path)).context["form"].errors
    assert not list((settings.DATA_DIR / "jobs" / "uploads").glob("*")) if settings.DATA_DIR.exists() else True


@pytest.mark.parametrize("headers", [{}, {"Accept": "application/json"}])
def test_one_job_too_many_is_told_where_the_file_was_chosen_and_keeps_no_file(highest, tmp_path, settings, headers):
    for _each in range(enqueueing.MAX):
        upload(highest, package(tmp_path))
    uploads = settings.DATA_DIR / "jobs" / "uploads"
    kept = set(uploads.iterdir())
    refused = upload(highest, package(tmp_path), **headers)
    sentence = "You already have 3 jobs waiting or running. Try again when one of them has ended."
    if headers:
        assert (refused.status_code, refused.json()) == (400, {"message": sentence})
    else:
        assert refused.context["form"].errors == {"file": [sentence]}
    assert (Job.objects.count(), set(uploads.iterdir())) == (enqueueing.MAX, kept)


def test_an_upload_that_is_gone_is_asked_for_again(highest, tmp_path):
    survey = do(upload(highest, package(tmp_path)))
    asked = import_it(highest, survey)
    folders.remove_upload(job_of(asked).parameters["package"])
    assert do(asked).report["problem"] == "The uploaded file is no longer stored. Upload it again."
    assert highest.get(ADD, {"survey": survey.pk})["Location"] == TEMPLATE
    assert highest.get(ADD, {"survey": "x"})["Location"] == TEMPLATE


def test_pictures_of_an_import_that_fails_are_removed(highest, tmp_path, monkeypatch):
    survey = do(upload(highest, package(tmp_path)))
    asked = import_it(highest, survey)
    # An administrator who is appointed after the files are stored, and whose row is then refused.
    job = job_of(asked)
    job.parameters["people"] = ["no number"]
    job.save()
    noting = []
    note = folders.record_files
    monkeypatch.setattr(folders, "record_files", lambda job_id, names: (noting.append(names), note(job_id, names)))
    assert do(asked).state == "failed"
    assert Site.objects.count() == 0
    (noted,) = noting
    assert [name.partition("/upload/")[2] for name in noted] == ["images/2017/6/quay.jpg"]
    assert not default_storage.exists(noted[0])
    assert not folders.files_note(job.pk).exists()


def test_files_of_an_import_stay_where_it_was_stored_after_all(highest, tmp_path):
    job = do(import_it(highest, do(upload(highest, package(tmp_path)))))
    picture = f"sites/{job.report['site_id']}/{PICTURE}"
    Job.objects.filter(pk=job.pk).update(state="interrupted")
    running.remove_left_files()
    assert default_storage.exists(picture)
    assert not folders.files_note(job.pk).exists()
    default_storage.delete(picture)
