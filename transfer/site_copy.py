"""Copies of a whole site with its contents and files, by its archive."""

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from typing import BinaryIO, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from contents.models import Content
from contents.storing.history import COUNTERS
from core.archive import media
from core.archive.errors import ArchiveError
from core.jobs import folders
from core.jobs.kinds import JobFailed, JobKind, Report
from core.jobs.progress import Run
from forms.rights import copy_groups
from sites.models import Site, find_folder_owner
from transfer.new_site import is_highest
from transfer.placement import Placement, place_problems
from transfer.site_files import remove_strays
from transfer.whole_site import numbering
from transfer.whole_site.checking import Checked, check
from transfer.whole_site.exporting import SiteWriter
from transfer.whole_site.importing import import_site
from transfer.whole_site.numbering import Distances
from transfer.whole_site.tables import folder_of, is_file_of

# Two sites cannot have one address.
_OF_ITS_HOST = ("isSeparatedWeb", "separatedWebUrl", "isSeparatedAssets", "separatedAssetsUrl")
_MAX_FOLDER = 200


def free_folder(site: Site) -> str:
    """Return a folder for a copy of the site that no site has."""
    start = f"{site.site_dir[:_MAX_FOLDER] or 'site'}-copy"
    folders_of_copies = (start if number == 1 else f"{start}{number}" for number in count(1))
    return next(folder for folder in folders_of_copies if not find_folder_owner(folder))


class _Prepared(NamedTuple):
    file: BinaryIO
    checked: Checked
    reserved: Distances


class Steps:
    """Progress of an archive as a step of the job."""

    def __init__(self, tell: Callable[[str, int, int], object], step: str) -> None:
        self._tell, self._step = tell, step
        self._done = self._total = 0

    def begin(self, what: str, total: int | None = None) -> None:
        self._done, self._total = 0, total or 0
        self.advance(0)

    def advance(self, number: int) -> None:
        self._done += number
        self._tell(self._step, self._done, self._total)

    def end(self) -> None:
        pass


def read_site(run: Run) -> _Prepared:
    """Write the archive of the site to a file without a name, and reserve ids for the copy."""
    with ExitStack() as stack:
        file = stack.enter_context(tempfile.TemporaryFile(dir=folders.folder_of(run.job.pk)))
        try:
            SiteWriter(run.parameters["source"], file, Steps(run.tell, "reading"), with_trash=False).write()
            checked = check(file, Steps(run.tell, "checking"))
            reserved = numbering.reserve(checked)
        except ArchiveError as error:
            raise JobFailed(str(error)) from error
        stack.pop_all()
        return _Prepared(file, checked, reserved)


def store_site(run: Run) -> Report:
    asked = run.parameters
    file, checked, reserved = run.prepared
    with file:
        for problem in place_problems(asked["site_dir"], False, asked["parent_id"]).values():
            raise JobFailed(problem)
        placement = Placement(asked["site_dir"], False, asked["parent_id"], asked["site_name"])
        source = asked["source"]
        stored = [name for name in media.names(folder_of(source)) if is_file_of(source, name)]
        numbers = numbering.Numbering(checked, reserved)
        run.will_store([numbers.file(name) for name in stored])
        try:
            imported = import_site(
                file, checked, placement, Steps(run.tell, "storing"), asked["source_name"], reserved=reserved
            )
        except ArchiveError as error:
            raise JobFailed(str(error)) from error
    copy_groups(source, imported.site_id)
    site = Site.objects.get(pk=imported.site_id)
    for name in _OF_ITS_HOST:
        site.settings.pop(name, None)
    site.save()
    counters = {name: None if name == "last_hits_date" else 0 for name in COUNTERS}
    Content.objects.filter(site=site, hits__gt=0).update(**counters)
    return {
        "site_id": site.pk,
        "site_name": site.site_name,
        "channels": len(checked.channels),
        "contents": len(checked.contents),
        "templates": len(checked.templates),
        "files": checked.manifest.media.files,
        "begin": "empty",  # without a list of channels
    }


COPY_SITE = JobKind(
    name="transfer.copy_site",
    label=_("Copy a site"),
    title=lambda asked: gettext("Copy of the site %(site)s") % {"site": asked["source_name"]},
    prepare=read_site,
    do=store_site,
    template="transfer/new_site_report.html",
    is_open_to=is_highest,
    steps={
        "reading": _("The site is being read. Nothing is stored yet."),
        "checking": _("The copy is being checked. Nothing is stored yet."),
        "storing": _("The copy is being stored."),
    },
    again=lambda asked: reverse("admin:cms_sites_site_copy", args=[asked["source"]]),
    remove_files=remove_strays,
)
