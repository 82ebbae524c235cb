from django.apps import AppConfig, apps
from django.db.backends.signals import connection_created
from django.db.models.signals import post_delete, post_save
from django.utils.translation import gettext_lazy as _

from core.lib import triggers


class ContentsConfig(AppConfig):
    name = "contents"
    verbose_name = "Contents"

    def ready(self) -> None:
        # Imported here because they need loaded models.
        from contents import notifications
        from contents.lists import channel_stats, derived_tables
        from contents.models import Content, ContentDraft
        from contents.navigation import sql
        from contents.rules import sqlite_functions
        from contents.services import approved
        from contents.storing.history import unapproved_changing
        from core.jobs import kinds
        from core.tables.views import import_kind

        apps.get_app_config("channels_app").contents = channel_stats  # type: ignore[attr-defined]
        kinds.register(import_kind("contents.import", _("Import of content items"), Content))
        unapproved_changing.connect(approved.after_changes, dispatch_uid="contents.approved")
        post_delete.connect(approved.drop_of_draft, sender=ContentDraft, dispatch_uid="contents.approved")
        post_save.connect(notifications.notify_of_draft, sender=ContentDraft, dispatch_uid="contents.notifications")
        triggers.register(
            self,
            tables=["contents_content", "contents_listedcontent", "contents_listedcount", "contents_contentschedule"],
            expressions=derived_tables.EXPRESSIONS,
            repair="check_lists --repair",
        )
        connection_created.connect(sql.add_functions)
        connection_created.connect(sqlite_functions.add_functions)
