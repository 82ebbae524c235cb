from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from core.lib import triggers


class FormsConfig(AppConfig):
    name = "forms"
    verbose_name = _("Forms")

    def ready(self) -> None:
        triggers.register(self, tables=["forms_form", "forms_field", "forms_entry", "channels_app_treeversion"])
