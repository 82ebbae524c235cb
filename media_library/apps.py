from django.apps import AppConfig

from core.lib import triggers


class MediaLibraryConfig(AppConfig):
    name = "media_library"
    verbose_name = "Media"

    def ready(self) -> None:
        # Imported here because they need loaded models.
        from media_library.filling import begin_again
        from media_library.use_sources import EXPRESSIONS, TABLES

        triggers.register(
            self,
            tables=TABLES,
            expressions=EXPRESSIONS,
            repair="check_media_uses --repair",
            when_lost=begin_again,
        )
