"""Sites with templates."""

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from pages.models import Template, TemplateKind
from tests.factories import SiteFactory


def make_template(site, kind, **fields):
    return Template.objects.create(site=site, kind=kind, **{"name": kind.value, **fields})


def make_site(**fields):
    """A site with a default template of each kind that makes pages of records."""
    site = SiteFactory(**fields)
    for kind in (TemplateKind.INDEX, TemplateKind.CHANNEL, TemplateKind.CONTENT):
        path = "index.html" if kind == TemplateKind.INDEX else ""
        make_template(site, kind, is_default=True, page_path=path)
    return site


def store(site, path, content=b"stored"):
    return default_storage.save(f"sites/{site.pk}/{path}", ContentFile(content))
