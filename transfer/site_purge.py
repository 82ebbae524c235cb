"""Permanent deletion of a site in the trash as a job, which continues what another one has begun."""

from collections import Counter

from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from contents.services.site_trash import finish_purge, purge_site
from core.jobs.kinds import JobFailed, JobKind, Report
from core.jobs.progress import Run
from forms.models import Entry
from forms.purging import batches
from transfer.new_site import is_highest


def delete_records(run: Run) -> Report:
    done: Counter[str] = Counter()

    def advance(step: str, number: int) -> None:
        done[step] += number
        run.tell(step, done[step], max(done[step], run.parameters.get(step, 0)))

    purged = purge_site(run.parameters["site_id"], advance)
    if purged is None:
        raise JobFailed(_("The site is not in the trash."))
    for number in batches(Entry.objects.filter(form__site=run.parameters["site_id"])):
        advance("entries", number)
    return {"purged": purged, "files": done["files"]}


def delete_site(run: Run) -> Report:
    purged, files = run.prepared["purged"], run.prepared["files"]
    finish_purge(run.parameters["site_id"], purged)
    return {"contents": purged.contents, "channels": purged.channels, "files": files}


PURGE_SITE = JobKind(
    name="transfer.purge_site",
    label=_("Permanently delete a site"),
    title=lambda asked: gettext("Permanent deletion of the site %(site)s") % {"site": asked["site_name"]},
    prepare=delete_records,
    do=delete_site,
    template="transfer/site_purge_report.html",
    is_open_to=is_highest,
    steps={
        "contents": _("The contents are being deleted."),
        "channels": _("The channels are being deleted."),
        "files": _("The files are being deleted."),
        "entries": _("The entries of forms are being deleted."),
    },
    again=lambda asked: reverse("admin:cms_sites_trashedsite_purge", args=[asked["site_id"]]),
)
