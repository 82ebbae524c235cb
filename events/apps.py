from django.apps import AppConfig

from core.lib import triggers


class EventsConfig(AppConfig):
    name = "events"
    verbose_name = "Events"

    def ready(self) -> None:
        # Imported here because it needs loaded models.
        from events.expressions import EXPRESSIONS, TABLES
        from events.retention import expire_cursors

        triggers.register(
            self,
            tables=["events_event", *TABLES],
            columns={"events_event": "form_id"},
            expressions=EXPRESSIONS,
            when_lost=expire_cursors,
        )
