from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.crypto import get_random_string
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from channels_app.admin.channels import tell as tell_counts
from contents.lists.channel_stats import count_listed
from core.admin.error_messages import tell
from core.admin.views import render_page, seen_record
from core.jobs import enqueueing
from core.lib.errors import ServiceError
from transfer.admin.channels import copy_name
from transfer.admin.wizard_forms import PlaceForm
from transfer.new_site import NEW_SITE
from transfer.site_copy import COPY_SITE, free_folder


class CopySiteForm(PlaceForm):
    is_root = None  # type: ignore[assignment]
    with_contents = forms.BooleanField(
        label=_("With contents"),
        required=False,
        help_text=_("Also with the settings of the site and all uploaded files. The trash is not copied."),
    )


def copy_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Offer name and folder of the copy; a POST starts the job."""
    source = seen_record(page, request, pk)
    if not page.has_add_permission(request):
        raise PermissionDenied
    initial = {"site_name": copy_name(source.site_name), "site_dir": free_folder(source), "parent": source.parent_id}
    form = CopySiteForm(request.POST if request.method == "POST" else None, initial=initial | {"with_contents": True})
    if form.is_bound and form.is_valid():
        chosen = form.answers()
        kind, asked = NEW_SITE.name, {"begin": "copy", "copy_from": pk, "is_root": False, "people": []}
        if chosen.pop("with_contents"):
            kind, asked = COPY_SITE.name, {"source": pk, "source_name": source.site_name}
        token = request.POST.get("token", "")[:64] or get_random_string(32)
        try:
            return HttpResponseRedirect(enqueueing.enqueue(kind, asked | chosen, token=token).get_absolute_url())
        except ServiceError as refusal:
            messages.error(request, tell(refusal))
    context = {
        "title": gettext("Copy the site “%(name)s”") % {"name": source},
        "form": form,
        "counted": tell_counts(source.channels.filter(trashed_at=None).count(), count_listed([pk]).get(pk, 0)),
        "token": get_random_string(32),
    }
    return render_page(page, request, "transfer/site_copy.html", context)
