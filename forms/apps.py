from typing import Any

from corsheaders.signals import check_request_enabled
from django.apps import AppConfig
from django.db.models.signals import post_delete
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from core.lib import triggers

# Pages on every host, in sandboxes and from disks send forms; none of these endpoints looks at cookies.
_OF_PAGES = ("/api/ss.form/", "/api/form/", "/api/stl/", "/api/sys/stl/", "/api/v1/forms/actions/")
_EXACTLY = {"/api/form", "/api/v1/forms", "/api/v1/forms/styles"}


def takes_any_origin(request: HttpRequest, **_sent: Any) -> bool:
    return request.path_info.startswith(_OF_PAGES) or request.path_info in _EXACTLY


class FormsConfig(AppConfig):
    name = "forms"
    verbose_name = _("Forms")

    def ready(self) -> None:
        # Imported here because they need loaded models.
        from core.jobs import kinds
        from forms.form_deletion import DELETE_FORM_JOB

        check_request_enabled.connect(takes_any_origin, dispatch_uid="forms")
        kinds.register(DELETE_FORM_JOB)
        post_delete.connect(_forget, sender="forms.EntryFile", dispatch_uid="forms.files")
        triggers.register(self, tables=["forms_form", "forms_field", "forms_entry", "channels_app_treeversion"])


def _forget(instance: Any, **signal: object) -> None:
    from forms import entry_files

    entry_files.forget(instance)
