from django.apps import AppConfig
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
        triggers.register(self, tables=["forms_form", "forms_field", "forms_entry", "channels_app_treeversion"])
