from django.apps import AppConfig

from cms_api.lib import triggers


class PagesConfig(AppConfig):
    name = "pages"
    verbose_name = "Pages"

    def ready(self) -> None:
        triggers.register(self, tables=["pages_template", "cms_sites_fielddefinition"])
