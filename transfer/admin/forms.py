"""The page of forms with the import of a form from a zip."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

from core.admin.error_messages import tell
from core.admin.large_forms import takes_files
from core.admin.numbers import read_number
from core.admin.views import address_of, page_of, render_page, route
from core.jobs import enqueueing, folders
from core.jobs.kinds import JobFailed
from core.jobs.models import Job
from core.lib.errors import ServiceError
from forms.admin.visitor_forms import FormAdmin
from forms.models import Entry, Field, Form
from sites.admin.choosing import choose_site, seen_site, site_choices
from sites.admin.site_filter import SiteFilter
from sites.models import Site
from transfer.form_import import IMPORT_FORM, MAX_BYTES, SHORT, describe, do_import, open_form
from transfer.package import PackageError

admin.site.unregister(Form)
_MAX_NAME = 255


@admin.register(Form)
class ImportableFormAdmin(FormAdmin):
    change_list_template = "transfer/form_list.html"

    def get_urls(self) -> list[URLPattern]:
        found = route(self, "import/", "import", import_view)
        takes_files(MAX_BYTES)(found.callback)
        return [found, *super().get_urls()]


class FormFile(forms.Form):
    file = forms.FileField(
        label=_("Zip file of a form"),
        help_text=_("As exported by SiteServer CMS 6 or 7. It can have up to 16 MB."),
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )


class Chosen(forms.Form):
    package = forms.RegexField("[0-9a-f]{32}", widget=forms.HiddenInput)
    file_name = forms.CharField(max_length=_MAX_NAME, widget=forms.HiddenInput)
    with_entries = forms.BooleanField(
        label=_("With entries"),
        required=False,
        help_text=_("These entries are personal data: import them only if you still have a reason to keep them."),
    )


def import_view(page: Any, request: HttpRequest) -> HttpResponse:
    """Take the file, show what is in it, and import it on a second POST."""
    if not page.has_add_permission(request):
        raise Http404
    places = page.places(request.user, "add").whole_sites
    if not request.GET.get("site"):
        return choose_site(page, request, IMPORT_FORM.label, "site", site_choices(request, places))
    site = seen_site(request, read_number(request.GET["site"]) or 0, places)
    if "package" in request.POST:
        return _import(page, request, site)
    upload = FormFile(request.POST, request.FILES) if request.method == "POST" else FormFile()
    if not upload.is_bound or not upload.is_valid():
        return _show(page, request, site, upload)
    file = upload.cleaned_data["file"]
    folders.remove_old_uploads()
    token = folders.keep_upload(file)
    chosen = Chosen(initial={"package": token, "file_name": (file.name or "")[:_MAX_NAME]})
    return _preview(page, request, site, chosen, token)


def _import(page: Any, request: HttpRequest, site: Site) -> HttpResponse:
    form = Chosen(request.POST)
    if not form.is_valid():
        return _show(page, request, site, FormFile())
    asked = {**form.cleaned_data, "site": site.pk}
    asked["with_entries"] &= _may_import_entries(page, request, site)
    # The token of the upload makes a second click lead to the same job.
    ordered: dict[str, Any] = {"parameters": asked, "token": asked["package"], "site_id": site.pk}
    try:
        job = Job.objects.filter(token=asked["package"], administrator_id=request.user.pk).first()
        if job is None and read_number(request.POST.get("entries")) in range(SHORT + 1):
            job = enqueueing.run_now(IMPORT_FORM.name, do=lambda: do_import(asked), **ordered)
        job = job or enqueueing.enqueue(IMPORT_FORM.name, **ordered)
    except JobFailed as failure:
        return _refused(page, request, site, f"{failure.place}: {failure.reason}" if failure.place else failure.reason)
    except ServiceError as refusal:
        return _refused(page, request, site, tell(refusal))
    return HttpResponseRedirect(job.get_absolute_url())


def _preview(page: Any, request: HttpRequest, site: Site, chosen: Chosen, token: str) -> HttpResponse:
    path = folders.find_upload(token)
    try:
        if path is None:
            raise PackageError(_("The uploaded file is no longer stored. Upload it again."))
        with open_form(path, chosen.initial["file_name"]) as package:
            described = describe(package, site.pk)
    except PackageError as error:
        folders.remove_upload(token)
        return _refused(page, request, site, str(error))
    if not described["entries"] or not _may_import_entries(page, request, site):
        del chosen.fields["with_entries"]
    kinds = dict(Field.Kind.choices)
    described["inputs"] = [(label, kinds[kind]) for label, kind in described["inputs"]]
    return _show(page, request, site, chosen, report=described)


def _refused(page: Any, request: HttpRequest, site: Site, reason: Any) -> HttpResponse:
    upload = FormFile({})
    upload.errors.clear()
    upload.add_error("file", str(reason))
    return _show(page, request, site, upload)


def _may_import_entries(page: Any, request: HttpRequest, site: Site) -> bool:
    pages: Any = page_of(page.admin_site, request, Entry)
    return pages is not None and pages.seen_places(request.user).covers_site(site.pk)


def _show(page: Any, request: HttpRequest, site: Site, form: Any, **context: Any) -> HttpResponse:
    listed = f"{address_of(page)}?{SiteFilter.parameter_name}={site.pk}"
    shared = {"title": IMPORT_FORM.label, "site": site, "form": form, "list_address": listed}
    return render_page(page, request, "transfer/form_import.html", shared | context)
