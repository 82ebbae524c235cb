from django.apps import AppConfig

from cms_api.lib import triggers

_TABLES = [
    *("pages_template", "pages_contentsversion", "cms_sites_site", "cms_sites_fielddefinition", "contents_content"),
    *("contents_contentbody", "contents_contentpicture", "contents_contentgroup", "contents_contenttag"),
    "contents_customfield",
]


class PagesConfig(AppConfig):
    name = "pages"
    verbose_name = "Pages"

    def ready(self) -> None:
        triggers.register(self, tables=_TABLES, expressions={"shown": _shown})


def _shown(row: str) -> str:
    """Return the columns of a content that a page may show, all but its hits."""
    from contents.models import Content  # models are loaded later than this module

    columns = [str(field.column) for field in Content._meta.concrete_fields]
    return ", ".join(f"{row}.{column}" for column in columns if "hits" not in column)
