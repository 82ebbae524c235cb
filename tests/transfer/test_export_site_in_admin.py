"""Exports of a site, ordered in the list of sites and downloaded from the page of the job."""

import os
import time

import pytest
from django.core.management import call_command

from core.audit.models import AuditEntry
from core.jobs import folders, running
from core.jobs.progress import Run
from sites.models import Site
from tests.admin.pages.browsing import place, told
from tests.factories import AdministratorFactory, SiteFactory
from tests.transfer.wizard import browser_of, do, job_of, token_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("one_at_a_time")]
PAGE = "cms_sites_site"


def order(browser, site):
    address = place(PAGE, "export", site.pk)
    return browser.post(address, {"token": token_of(browser.get(address))})


def files():
    return [path for path in (folders.folder_of(0).parent / "uploads").iterdir() if path.is_file()]


def test_the_file_of_a_site_is_downloaded_and_imported(highest, museum, tmp_path):
    job = do(order(highest, museum))
    assert (job.state, job.report["files"]) == ("done", 4)
    assert AuditEntry.objects.get(action="site.exported").details["files"] == 4
    address = place(PAGE, "exported", job.pk)
    assert address in highest.get(job.get_absolute_url()).content.decode()
    answer = highest.get(address)
    assert answer["Content-Disposition"] == f'attachment; filename="site-{museum.pk}.tar"'
    file = tmp_path / "museum.tar"
    file.write_bytes(b"".join(answer.streaming_content))
    assert file.stat().st_size == job.report["bytes"]
    call_command("import_site", str(file), "--site-dir", "again")
    made = Site.objects.get(site_dir="again")
    for records in ("channels", "contents"):
        assert getattr(made, records).count() == getattr(museum, records).count()


def test_a_file_that_has_been_removed_is_told_of(highest, museum):
    job = do(order(highest, museum))
    (path,) = files()
    old = time.time() - 25 * 60 * 60
    os.utime(path, (old, old))
    folders.remove_old_uploads()
    answer = highest.get(place(PAGE, "exported", job.pk))
    assert answer.url == job.get_absolute_url()
    assert told(highest.get(answer.url)) == ["The file is no longer on this server. Export the site again."]


def test_only_the_highest_rank_exports_and_downloads(highest, museum):
    job = do(order(highest, museum))
    person = browser_of(AdministratorFactory(is_superuser=False, site_id_collection=str(museum.pk)))
    assert person.get(place(PAGE, "export", museum.pk)).status_code == 403
    assert person.get(place(PAGE, "exported", job.pk)).status_code == 404
    answer = highest.get(place(PAGE, "exported", job.pk))
    answer.close()
    assert answer.status_code == 200
    assert highest.get(place(PAGE, "exported", job_of(order(highest, SiteFactory())).pk)).status_code == 404  # not done


def test_an_export_that_is_stopped_leaves_no_file(highest, museum, monkeypatch):
    job, told_so_far = job_of(order(highest, museum)), Run.tell

    def stop(run, reached, done=0, total=0):
        run._beat.is_to_stop = done > 5  # as its thread sees it, on a connection of its own
        told_so_far(run, reached, done, total)

    monkeypatch.setattr(Run, "tell", stop)
    running.run(job.pk)
    job.refresh_from_db()
    assert (job.state, files()) == ("cancelled", [])
