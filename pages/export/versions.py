"""A text that differs if pages of a site may differ."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from django.db.models import QuerySet

from channels_app.models import TreeVersion
from cms_api.rest.conditional import tag_of
from contents.models import Content, ContentBody, ContentPicture
from sites.models import Site

# Pages show them as they were when the page was last rendered.
_COUNTED = {"hits", "hits_by_day", "hits_by_week", "hits_by_month", "last_hits_date"}
_AT_A_TIME = 1000


def version_of(site: Site, *options: str) -> str:
    """Return the version of the release, the options, and everything of the sites that the templates read.

    Reads all contents of the site: for a million, about as long as rendering some thousand pages takes.
    """
    digest = sha256()
    for row in _rows(_sites_read_by(site)):
        digest.update(repr(row).encode())
    return tag_of(*options, digest.hexdigest())


def _sites_read_by(site: Site) -> list[int]:
    """Return the site; with an element that lists sites, all that have templates."""
    if site.templates.filter(text__icontains="stl:site").exists():
        return list(Site.objects.filter(templates__isnull=False).distinct().order_by("pk").values_list("pk", flat=True))
    return [site.pk]


def _rows(site_ids: list[int]) -> Iterator[Any]:
    yield from TreeVersion.objects.filter(site__in=site_ids).order_by("site").values_list("site", "number")
    contents = Content.objects.filter(site__in=site_ids)
    yield from _values(contents, (field.attname for field in Content._meta.concrete_fields))
    yield from _values(ContentBody.objects.filter(content__site__in=site_ids), ("content_id", "text"))
    pictures = ContentPicture.objects.filter(content__site__in=site_ids)
    yield from _values(pictures, (field.attname for field in ContentPicture._meta.concrete_fields))


def _values(rows: QuerySet[Any], names: Iterable[str]) -> Iterator[Any]:
    return rows.order_by("pk").values_list(*[name for name in names if name not in _COUNTED]).iterator(_AT_A_TIME)
