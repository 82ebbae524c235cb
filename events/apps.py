from django.apps import AppConfig

from cms_api.lib import triggers


class EventsConfig(AppConfig):
    name = "events"
    verbose_name = "Events"

    def ready(self) -> None:
        # Imported here because it needs loaded models.
        from events.expressions import EXPRESSIONS, TABLES

        triggers.register(self, tables=["events_event", *TABLES], expressions=EXPRESSIONS)
