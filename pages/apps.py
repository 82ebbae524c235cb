from collections.abc import Callable
from secrets import randbelow

from django.apps import AppConfig
from django.core.checks import register

from core.lib import triggers

_NUMBERS = 9007199254740991  # as in the triggers
_TABLES = [
    *(
        "pages_template",
        "pages_contentsversion",
        "pages_formeraddress",
        "channels_app_channel",
        "cms_sites_site",
        "cms_sites_fielddefinition",
        "contents_content",
    ),
    *("contents_contentbody", "contents_contentpicture", "contents_contentgroup", "contents_contenttag"),
    *("contents_customfield", "media_library_mediafile"),
]


class PagesConfig(AppConfig):
    name = "pages"
    verbose_name = "Pages"

    def ready(self) -> None:
        # Imported here because they need loaded models.
        from contents.storing.history import contents_changing
        from pages import address_changes
        from pages.checks import check_site_hosts
        from sites.page_changes import watches

        triggers.register(self, tables=_TABLES, expressions=_EXPRESSIONS, when_lost=_renew_all)
        contents_changing.connect(address_changes.remember_contents, dispatch_uid="pages.address_changes")
        watches.append(address_changes.remember_pages)
        register(check_site_hosts, "start", deploy=True)


def _shown(row: str) -> str:
    """Return the columns of a content that a page may show, all but its hits."""
    from contents.models import Content  # models are loaded later than this module

    columns = [str(field.column) for field in Content._meta.concrete_fields]
    return ", ".join(f"{row}.{column}" for column in columns if "hits" not in column)


def _renew(row: str) -> str:
    """Return SQLite's statement that renews the number of the row's site."""
    return _renewal(f"SELECT {row}.site_id AS site_id")


def _renew_of_content(row: str) -> str:
    """Return SQLite's statement that renews the number of the site of the row's content, if that is approved."""
    chosen = f"id = {row}.content_id AND is_checked AND trashed_at IS NULL"
    return _renewal(f"SELECT site_id FROM contents_content WHERE {chosen}")


def _renew_of_site(row: str) -> str:
    return _renewal(f"SELECT {row}.id AS site_id")


def _begin(_row: str) -> str:
    """Return SQLite's statement that gives a number to sites without one."""
    chosen = "id NOT IN (SELECT site_id FROM pages_contentsversion)"
    return _renewal(f"SELECT id AS site_id FROM cms_sites_site WHERE {chosen}")


def _renewal(sites: str) -> str:
    return (
        "INSERT INTO pages_contentsversion (id, site_id, number) "
        f"SELECT site_id, site_id, abs(random() % 9007199254740991) FROM ({sites}) WHERE TRUE "
        "ON CONFLICT (id) DO UPDATE SET number = excluded.number"
    )


_EXPRESSIONS: dict[str, Callable[[str], str]] = {
    "shown": _shown,
    "renew": _renew,
    "renew_of_content": _renew_of_content,
}
_EXPRESSIONS |= {"renew_of_site": _renew_of_site, "begin": _begin}


def _renew_all() -> str:
    """Renew all numbers: pages may have been cached while they did not change."""
    from pages.models import ContentsVersion

    for version in ContentsVersion.objects.all():
        ContentsVersion.objects.filter(pk=version.pk).update(number=randbelow(_NUMBERS))
    return ""
