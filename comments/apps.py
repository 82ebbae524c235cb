from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from core.lib import triggers


class CommentsConfig(AppConfig):
    name = "comments"
    verbose_name = _("Comments")

    def ready(self) -> None:
        triggers.register(self, tables=["comments_comment", "pages_contentsversion"])
