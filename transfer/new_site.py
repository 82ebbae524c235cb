from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from operator import attrgetter
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import IntegrityError
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from channels_app.management.commands.create_site import HOME
from core.admin.error_messages import tell
from core.admin.ranks import Rank, rank_of
from core.jobs import folders
from core.jobs.kinds import JobFailed, JobKind, Report, in_every_language, said
from core.jobs.models import Job
from core.jobs.progress import Run
from forms.rights import copy_groups
from sites.models import Site
from sites.watermark_checks import mark_problem
from transfer.importing import ImportedSite, import_site
from transfer.notes import MAX_NAMED, notes_of
from transfer.outline import CopiedTree, OutlinePackage, read_outline
from transfer.package import ChannelRecord, PackageError, SitePackage
from transfer.placement import Placement, place_problems
from transfer.site_files import remove_strays
from transfer.site_template import SiteTemplate
from transfer.survey import MAX_CHANNELS, survey

Tell = Callable[[str, int, int], object]


def is_highest(administrator: Any) -> bool:
    return rank_of(administrator) is Rank.HIGHEST


def candidates() -> QuerySet[Any]:
    """Administrators who may be assigned a site: not those who see all, or who would lose rights from groups."""
    has_sites_or_nothing = ~Q(site_id_collection="") | Q(groups=None)
    found = get_user_model().objects.filter(has_sites_or_nothing, is_superuser=False, is_locked_out=False)
    return found.order_by("user_name").distinct()


def make_site(run: Run) -> Report:
    asked = run.parameters
    for problem in place_problems(asked["site_dir"], asked["is_root"], asked["parent_id"]).values():
        raise JobFailed(problem)
    placement = Placement(asked["site_dir"], asked["is_root"], asked["parent_id"], asked["site_name"])
    with _opened(asked) as package, in_words():
        total, done, files = sum(channel.content_num for channel in package.channels()), 0, 0
        missing = _missing(asked)
        notes: Report = {}

        def count(written: int) -> None:
            nonlocal done
            done += written
            run.tell("contents", done, max(total, done))

        keep_ids = isinstance(package, SiteTemplate) and asked.get("keep_ids", False)
        with_entries = asked.get("with_entries", False)
        imported = import_site(
            Watched(package, run.tell), placement, count, keep_ids=keep_ids, with_entries=with_entries
        )
        if isinstance(package, SiteTemplate):
            found = package.stored_files()
            files, notes = found.store(imported.site_id, run.tell, run.will_store), notes_of(package, found)
        elif isinstance(package, CopiedTree):
            files = package.files.store(imported.site_id, run.tell, run.will_store)
            missing = _named(package.files.missing)
            copy_groups(asked["copy_from"], imported.site_id)
    for administrator in candidates().filter(pk__in=asked["people"]).order_by("pk"):
        administrator.look_after(imported.site_id)
    folders.remove_upload(asked.get("package", ""))
    undrawable = mark_problem(Site.objects.get(pk=imported.site_id))
    watermark = in_every_language({"watermark": said(tell, undrawable)}) if undrawable else {}
    return {"files": files, **watermark, **missing, **_report(imported, asked), **notes}


def survey_template(run: Run) -> Report:
    with _opened(run.parameters | {"begin": "template"}) as package, in_words():
        return survey(package, run.tell)


class Watched:
    """A package that reports progress while its channels are read first, when they are written."""

    def __init__(self, package: SitePackage, tell: Tell) -> None:
        self.name, self.site, self.contents = package.name, package.site, package.contents
        self._package, self._tell = package, tell
        self._read = 0

    def channels(self) -> Iterator[ChannelRecord]:
        self._read += 1
        for number, channel in enumerate(self._package.channels()):
            if self._read == 1:
                self._tell("channels", number, 0)
            yield channel


@contextmanager
def _opened(asked: dict[str, Any]) -> Iterator[Any]:
    begin = asked["begin"]
    if begin == "copy":
        source = Site.objects.filter(pk=asked["copy_from"]).first()
        if source is None:
            raise JobFailed(_("The site whose channels were to be copied no longer exists."))
        yield CopiedTree(source, asked["site_name"])
    elif begin == "template":
        path = folders.find_upload(asked["package"])
        if path is None:
            raise JobFailed(_("The uploaded file is no longer stored. Upload it again."))
        with in_words(), SiteTemplate(path, ZoneInfo(settings.TIME_ZONE)) as template:
            template.name = asked["file_name"]
            yield template
    else:
        yield OutlinePackage(asked["site_name"], read_outline(asked.get("outline", "")), asked.get("home_name", HOME))


@contextmanager
def in_words() -> Iterator[None]:
    try:
        yield
    except PackageError as error:
        place = ", ".join(part for part in (error.file, error.element) if part)
        raise JobFailed(said(attrgetter("reason"), error), place) from error
    except IntegrityError as error:
        # A concurrent change took the place after the check.
        raise JobFailed(_("Another user has just changed the sites. Try again.")) from error


def _title(asked: Mapping[str, Any]) -> str:
    if asked["begin"] != "template":
        return gettext("New site %(site)s") % {"site": asked["site_name"]}
    return gettext("Import of %(file)s as the new site %(site)s") % {
        "file": asked["file_name"],
        "site": asked["site_name"],
    }


def _missing(asked: dict[str, Any]) -> Report:
    job = Job.objects.filter(pk=asked.get("survey") or 0, kind=SURVEY.name).first()
    return {name: job.report[name] for name in ("missing", "missing_named")} if job else {}


def _named(missing: Collection[str]) -> Report:
    return {"missing": len(missing), "missing_named": sorted(missing)[:MAX_NAMED]}


def _report(imported: ImportedSite, asked: dict[str, Any]) -> Report:
    rows = [[each.depth, each.channel_name, each.content_count] for each in imported.channels[:MAX_CHANNELS]]
    return {
        "site_id": imported.site_id,
        "site_name": asked["site_name"],
        "channels": len(imported.channels),
        "contents": imported.content_count,
        "rows": rows,
        "more": max(0, len(imported.channels) - MAX_CHANNELS),
        "begin": asked["begin"],
        "templates": imported.template_count,
        "with_entries": imported.entry_count,
        "kept_ids": asdict(imported.kept_ids) if asked.get("keep_ids") else None,
    }


NEW_SITE = JobKind(
    name="transfer.new_site",
    label=_("New site"),
    title=_title,
    do=make_site,
    template="transfer/new_site_report.html",
    is_open_to=is_highest,
    steps={
        "channels": _("The channels are being created."),
        "contents": _("The content items are being stored."),
        "files": _("The pictures and files are being stored."),
    },
    remove_files=remove_strays,
)
SURVEY = JobKind(
    name="transfer.survey",
    label=_("Check a site template"),
    title=lambda asked: gettext("Check %(file)s") % {"file": asked["file_name"]},
    again=lambda asked: reverse("admin:cms_sites_site_template"),
    do=survey_template,
    template="transfer/survey_report.html",
    is_open_to=is_highest,
    steps={"reading": _("The content items are being read. Nothing is stored yet.")},
)
