"""`manage.py load_sample_site`: a new installation starts with a site to look at."""

from typing import Any

from django.core.management.base import BaseCommand

from contents.services.fields import describe_fields
from sites.models import Site
from transfer import sample_pictures
from transfer.importing import import_site
from transfer.placement import place_site
from transfer.sample import SampleSite


class Command(BaseCommand):
    help = "Loads the sample site into an installation that has no site; does nothing where there is one."

    def handle(self, **options: Any) -> None:
        if Site.objects.exists():
            self.stdout.write("There is a site already; the sample site was not loaded.")
            return
        sample = SampleSite()
        imported = import_site(sample, place_site(sample.site))
        describe_fields(imported.site_id, sample.custom_fields)
        sample_pictures.store(imported.site_id)
        counts = f"channels={len(imported.channels)} contents={imported.content_count}"
        self.stdout.write(f"siteId={imported.site_id} {counts}")
