from django.apps import AppConfig


class TransferConfig(AppConfig):
    name = "transfer"
    verbose_name = "Import and export"

    def ready(self) -> None:
        # Imported here because they need loaded models.
        from core.jobs import kinds
        from transfer.channel_copy import COPY
        from transfer.entry_tables import IMPORT_ENTRIES
        from transfer.form_import import IMPORT_FORM
        from transfer.new_site import NEW_SITE, SURVEY
        from transfer.site_copy import COPY_SITE
        from transfer.site_export import EXPORT_SITE
        from transfer.site_purge import PURGE_SITE

        kinds.register(NEW_SITE)
        kinds.register(SURVEY)
        kinds.register(COPY)
        kinds.register(COPY_SITE)
        kinds.register(IMPORT_ENTRIES)
        kinds.register(IMPORT_FORM)
        kinds.register(EXPORT_SITE)
        kinds.register(PURGE_SITE)
