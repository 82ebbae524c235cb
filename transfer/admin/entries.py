"""The page of entries with the import of a table."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

from core.admin.error_messages import tell
from core.admin.large_forms import takes_files
from core.admin.numbers import read_number
from core.admin.views import render_page, route
from core.jobs import enqueueing, folders
from core.jobs.kinds import JobFailed
from core.jobs.models import Job
from core.lib.errors import ServiceError
from core.tables.reading import MAX_FILE_BYTES
from forms.admin.entries import EntryAdmin
from forms.admin.visitor_forms import entries_address
from forms.models import Entry, Form
from forms.rights import forms_for
from transfer.entry_tables import IMPORT_ENTRIES, SHORT, EntryTable, do_import

admin.site.unregister(Entry)
_MAX_NAME = 255


@admin.register(Entry)
class ImportableEntryAdmin(EntryAdmin):
    change_list_template = "transfer/entry_list.html"

    def get_urls(self) -> list[URLPattern]:
        found = route(self, "import/", "import", import_view)
        takes_files(MAX_FILE_BYTES)(found.callback)
        return [found, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        response: HttpResponse = super().changelist_view(request, extra_context)
        form = self.chosen_form(request)
        if form is not None and isinstance(response, TemplateResponse):
            response.context_data["may_import_entries"] = _may_import(request, form)  # type: ignore[index]
        return response


def _may_import(request: HttpRequest, form: Form) -> bool:
    return forms_for(request.user, "forms.change_entry").filter(pk=form.pk).exists()


class TableFile(forms.Form):
    file = forms.FileField(
        label=_("Table of entries"),
        help_text=_("CSV or XLSX. The headings are the labels or names of the fields; other columns are left out."),
        widget=forms.FileInput(attrs={"accept": ".csv,.xlsx"}),
    )


class Chosen(forms.Form):
    package = forms.RegexField("[0-9a-f]{32}", widget=forms.HiddenInput)
    file_name = forms.CharField(max_length=_MAX_NAME, widget=forms.HiddenInput)


def import_view(page: EntryAdmin, request: HttpRequest) -> HttpResponse:
    """Take the table, show what is in it, and import it on a second POST."""
    form = page.chosen_form(request)
    if form is None or not _may_import(request, form):
        raise Http404
    if "package" in request.POST:
        return _import(page, request, form)
    upload = TableFile(request.POST, request.FILES) if request.method == "POST" else TableFile()
    if not upload.is_bound or not upload.is_valid():
        return _show(page, request, form, upload)
    file = upload.cleaned_data["file"]
    try:
        if file.size > MAX_FILE_BYTES:
            raise ValidationError(_("The table is too large."))
        table = EntryTable(form, file.read())
        notes = [*table.entries()] and table.form_notes()
    except ValidationError as error:
        return _refused(page, request, form, error.messages)
    folders.remove_old_uploads()
    chosen = Chosen(initial={"package": folders.keep_upload(file), "file_name": (file.name or "")[:_MAX_NAME]})
    return _show(page, request, form, chosen, report={"entries": table.rows, "form_notes": notes})


def _import(page: EntryAdmin, request: HttpRequest, form: Form) -> HttpResponse:
    chosen = Chosen(request.POST)
    if not chosen.is_valid():
        return _show(page, request, form, TableFile())
    asked = {**chosen.cleaned_data, "form": form.pk}
    # The token of the upload makes a second click lead to the same job.
    ordered: dict[str, Any] = {"parameters": asked, "token": asked["package"], "site_id": form.site_id}
    try:
        job = Job.objects.filter(token=asked["package"], administrator_id=request.user.pk).first()
        if job is None and read_number(request.POST.get("entries")) in range(SHORT + 1):
            job = enqueueing.run_now(IMPORT_ENTRIES.name, do=lambda: do_import(asked), **ordered)
        job = job or enqueueing.enqueue(IMPORT_ENTRIES.name, **ordered)
    except JobFailed as failure:
        return _refused(page, request, form, [str(failure.reason)])
    except ServiceError as refusal:
        return _refused(page, request, form, [tell(refusal)])
    return HttpResponseRedirect(job.get_absolute_url())


def _refused(page: EntryAdmin, request: HttpRequest, form: Form, reasons: list[str]) -> HttpResponse:
    upload = TableFile({})
    upload.errors.clear()
    upload.add_error("file", reasons)
    return _show(page, request, form, upload)


def _show(page: EntryAdmin, request: HttpRequest, form: Form, page_form: Any, **context: Any) -> HttpResponse:
    shared = {"title": IMPORT_ENTRIES.label, "entry_form": form, "form": page_form}
    return render_page(
        page, request, "transfer/entry_import.html", shared | {"list_address": entries_address(form)} | context
    )
