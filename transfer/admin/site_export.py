from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.utils.crypto import get_random_string
from django.utils.translation import gettext

from channels_app.admin.channels import tell as tell_counts
from contents.lists.channel_stats import count_listed
from core.admin.error_messages import tell
from core.admin.views import render_page, seen_record
from core.jobs import enqueueing, folders
from core.jobs.models import Job
from core.lib.errors import ServiceError
from transfer.site_export import EXPORT_SITE


def export_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Tell what the file of the site will have; a POST starts the job."""
    source = seen_record(page, request, pk)
    if not page.has_add_permission(request):
        raise PermissionDenied
    if request.method == "POST":
        asked = {"source": pk, "source_name": source.site_name}
        token = request.POST.get("token", "")[:64] or get_random_string(32)
        try:
            job = enqueueing.enqueue(EXPORT_SITE.name, asked, token=token)
            return HttpResponseRedirect(job.get_absolute_url())
        except ServiceError as refusal:
            messages.error(request, tell(refusal))
    context = {
        "title": gettext("Export the site “%(name)s”") % {"name": source},
        "counted": tell_counts(source.channels.filter(trashed_at=None).count(), count_listed([pk]).get(pk, 0)),
        "token": get_random_string(32),
    }
    return render_page(page, request, "transfer/site_export.html", context)


def exported_view(page: Any, request: HttpRequest, pk: int) -> HttpResponseBase:
    """Send the file that a job has written, as long as it is there."""
    job = Job.objects.filter(pk=pk, kind=EXPORT_SITE.name, state=Job.State.DONE).first()
    if job is None or not page.has_add_permission(request):
        raise Http404
    path = folders.find_upload(job.report["token"])
    if path is None:
        messages.error(request, gettext("The file is no longer on this server. Export the site again."))
        return HttpResponseRedirect(job.get_absolute_url())
    return FileResponse(path.open("rb"), as_attachment=True, filename=f"site-{job.report['site_id']}.tar")
