"""A text that differs if pages of a site may differ."""

from django.db.models import Sum

from channels_app.models import TreeVersion
from core.rest.conditional import tag_of
from pages.models import ContentsVersion
from sites.models import Site


def version_of(site: Site, *options: str) -> str:
    """Return the version of the release, the options, and everything but hits of the sites that the templates read."""
    sites = _sites_read_by(site)
    trees = TreeVersion.objects.filter(site__in=sites).order_by("site").values_list("site", "number")
    contents = ContentsVersion.objects.filter(site__in=sites).order_by("site").values("site")
    numbers = contents.annotate(sum=Sum("number")).values_list("site", "sum")
    return tag_of(*options, repr([*trees]), repr([*numbers]))


def _sites_read_by(site: Site) -> list[int]:
    """Return the site; with an element that lists sites, all that have templates."""
    if site.templates.filter(text__icontains="stl:site").exists():
        return list(Site.objects.filter(templates__isnull=False).distinct().order_by("pk").values_list("pk", flat=True))
    return [site.pk]
