"""The zip of a single form, read for a site and stored there."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from channels_app.services import lock_tree
from core import audit
from core.admin.places import places_of
from core.jobs import folders
from core.jobs.kinds import JobFailed, JobKind, Report
from core.jobs.progress import Run
from forms.models import Form
from sites.models import Site
from transfer.form_files import FormZip
from transfer.form_records import named_apart
from transfer.form_writers import store_form
from transfer.new_site import in_words
from transfer.notes import form_notes
from transfer.package import FormRecord, PackageError, filled

MAX_BYTES = 16 * 1024**2
SHORT = 1000  # entries that are stored within the request
NUMBER_TAKEN = gettext_noop("Addresses of SiteServer with the number of this form lead to another form of the site")


class Imported(NamedTuple):
    form: Form
    entries: int


def record_for(package: FormZip, site_id: int) -> FormRecord:
    """Return the form with a name that is free in the site, and the differences as notes of the package.

    Raises PackageError if the site has the form already: what was changed here wins.
    """
    record, forms = package.record, Form.objects.filter(site_id=site_id)
    fields = record.fields
    same = forms.filter(origin=fields["origin"], origin_id=fields["origin_id"]).first()
    if same is not None:
        if same.folded_name == fields["name"].casefold():
            told = _("The site already has this form, “%(name)s”. To import it again, delete that form first.")
            raise PackageError(filled(told, name=same.name))
        package.forms.tell(NUMBER_TAKEN, same.name)
        record = replace(record, fields=fields | {"origin": Form.Origin.OWN.value, "origin_id": None})
    (record,) = named_apart([record], package.forms.tell, forms.values_list("folded_name", flat=True))
    return record


@transaction.atomic
def import_form(package: FormZip, site_id: int, source: str, *, with_entries: bool) -> Imported:
    """Store the form and, only if asked for, its entries. Raises PackageError."""
    lock_tree(site_id)
    form, entries = store_form(site_id, record_for(package, site_id), with_entries=with_entries)
    counts: dict[str, Any] = {"entries": entries} if entries else {}
    audit.record("form.created", form, site_id=site_id, source=source, **counts)
    return Imported(form, entries)


def describe(package: FormZip, site_id: int) -> Report:
    """Return what the package would become. Raises PackageError."""
    record = record_for(package, site_id)
    inputs = [(each["label"], each["kind"]) for each in record.inputs]
    entries = sum(1 for _entry in record.entries())
    return {
        "name": record.fields["name"],
        "inputs": inputs,
        "entries": entries,
        "form_notes": form_notes(package.forms),
    }


def open_form(path: Path, name: str) -> FormZip:
    """Raises PackageError."""
    return FormZip(path, name, ZoneInfo(settings.TIME_ZONE))


def do_import(asked: Mapping[str, Any]) -> Report:
    """Raises JobFailed."""
    path = folders.find_upload(asked["package"])
    if path is None:
        raise JobFailed(_("The uploaded file is no longer stored. Upload it again."))
    if not Site.objects.filter(pk=asked["site"], trashed_at=None).exists():
        raise JobFailed(_("The site no longer exists."))
    with in_words(), open_form(path, asked["file_name"]) as package:
        form, entries = import_form(package, asked["site"], asked["file_name"], with_entries=asked["with_entries"])
        notes = form_notes(package.forms)
    folders.remove_upload(asked["package"])
    return {
        "form": form.pk,
        "name": form.name,
        "fields": form.fields.count(),
        "entries": entries,
        "form_notes": notes,
    }


def _do(run: Run) -> Report:
    return do_import(run.parameters)


IMPORT_FORM = JobKind(
    name="transfer.import_form",
    label=_("Import a form"),
    title=lambda asked: gettext("Import of the form in %(file)s") % {"file": asked["file_name"]},
    do=_do,
    template="transfer/form_import_report.html",
    is_open_to=lambda user: bool(places_of(user, "forms.add_form")),
    again=lambda asked: f"{reverse('admin:forms_form_import')}?site={asked['site']}",
)
