"""Exports of a site as jobs: the file of `manage.py export_site`, which can be downloaded for a day."""

import os

from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core import audit
from core.archive.errors import ArchiveError
from core.jobs import folders
from core.jobs.kinds import JobFailed, JobKind, Report
from core.jobs.progress import Run
from sites.models import Site
from transfer.new_site import is_highest
from transfer.site_copy import Steps
from transfer.whole_site.checking import check
from transfer.whole_site.exporting import SiteWriter


def write_file(run: Run) -> Report:
    try:
        with folders.new_file() as (token, file):
            writer = SiteWriter(run.parameters["source"], file, Steps(run.tell, "reading"))
            writer.write()
            check(file, Steps(run.tell, "checking"), with_media=False)
            size = file.seek(0, os.SEEK_END)
    except ArchiveError as error:
        raise JobFailed(str(error)) from error
    figures = writer.manifest
    return {"token": token, "bytes": size, "rows": figures.rows, "files": figures.media.files}


def report(run: Run) -> Report:
    source = run.parameters["source"]
    written: Report = run.prepared
    counts = {name: written[name] for name in ("rows", "files")}
    audit.record("site.exported", Site.objects.filter(pk=source).first(), site_id=source, **counts)
    return written | {"site_id": source, "name": run.parameters["source_name"]}


EXPORT_SITE = JobKind(
    name="transfer.export_site",
    label=_("Export a site"),
    title=lambda asked: gettext("Export of the site %(site)s") % {"site": asked["source_name"]},
    prepare=write_file,
    do=report,
    template="transfer/site_export_report.html",
    is_open_to=is_highest,
    steps={"reading": _("The site is being read."), "checking": _("The file is being checked.")},
    again=lambda asked: reverse("admin:cms_sites_site_export", args=[asked["source"]]),
)
