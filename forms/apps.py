from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_delete
from django.utils.translation import gettext_lazy as _

from core.lib import triggers


class FormsConfig(AppConfig):
    name = "forms"
    verbose_name = _("Forms")

    def ready(self) -> None:
        # Imported here because they need loaded models.
        from core.jobs import kinds
        from forms.form_deletion import DELETE_FORM_JOB

        kinds.register(DELETE_FORM_JOB)
        post_delete.connect(_forget, sender="forms.EntryFile", dispatch_uid="forms.files")
        triggers.register(self, tables=["forms_form", "forms_field", "forms_entry", "channels_app_treeversion"])


def _forget(instance: Any, **signal: object) -> None:
    from forms import entry_files

    entry_files.forget(instance)
