from django.apps import AppConfig

from core.lib import triggers


class SearchConfig(AppConfig):
    name = "search"

    def ready(self) -> None:
        triggers.register(self, tables=["search_searchentry"], sqlite_tables=["search_words"], repair="rebuild_search")
