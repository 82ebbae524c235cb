"""Imports of tables as jobs."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db import IntegrityError, models
from django.http import Http404
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from cms_api.admin.refusals import tell as tell_refusal
from cms_api.jobs.kinds import JobFailed, Kind, Report
from cms_api.jobs.run import Run
from cms_api.jobs.words import said
from cms_api.lib.errors import ServiceError
from cms_api.models import KeptTable
from cms_api.tables.resource import CHECKING
from cms_api.tables.storing import STORING, FileGone, NotStored
from cms_api.tables.views import Planned, Tables, asked_by


def import_kind(name: str, label: str | Promise, model: type[models.Model]) -> Kind:
    """The kind of job that imports tables of records of the model, whose page has Tables."""

    def tables() -> Tables:
        return admin.site.get_model_admin(model).tables  # type: ignore[attr-defined,no-any-return]

    def preview(parameters: Mapping[str, Any]) -> str:
        kept_id = parameters["kept"]
        return tables().preview_address(kept_id) if KeptTable.objects.filter(pk=kept_id).exists() else ""

    def plan(run: Run) -> Planned:
        administrator = get_user_model().objects.get(pk=run.job.administrator_id or 0)
        own = KeptTable.objects.filter(administrator_id=administrator.pk, kind=tables().kept_kind)
        kept = own.filter(pk=run.parameters["kept"]).first()
        if kept is None:
            raise JobFailed(said(str, FileGone()))
        with _in_words():
            return tables().plan_import(asked_by(administrator), kept, run.parameters["leaves_out"], run.tell)

    def finish(run: Run) -> Report:
        with _in_words():
            return tables().finish_import(run.prepared, run.tell)

    return Kind(
        name=name,
        label=label,
        title=lambda parameters: _title(label, parameters),
        prepare=plan,
        do=finish,
        template="cms_admin/tables/report.html",
        is_open_to=lambda administrator: tables().may_import(asked_by(administrator)),
        steps={
            CHECKING: gettext_lazy("The rows are being looked at again. Nothing is stored yet."),
            STORING: gettext_lazy("The rows are being stored."),
        },
        again=preview,
    )


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except NotStored as error:
        raise JobFailed(said(str, error), said(attrgetter("place"), error)) from error
    except ServiceError as refusal:
        raise JobFailed(said(tell_refusal, refusal)) from refusal
    except IntegrityError as error:
        raise JobFailed(gettext_lazy("Somebody else has changed the same at this moment. Ask for it again.")) from error
    except Http404 as error:
        raise JobFailed(gettext_lazy("The channel, or the right to import here, is not there any more.")) from error


def _title(label: str | Promise, parameters: Mapping[str, Any]) -> str:
    file, site = parameters["file_name"], parameters["site_name"]
    return _("Import of %(file)s into %(site)s") % {"file": file, "site": site} if site else f"{label}: {file}"
