from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management.base import BaseCommand

from cms_api.lib.media_storage import SITE_FILES
from contents.services.fields import describe_fields
from sites.models import Site
from transfer.importing import import_site
from transfer.placement import place_site
from transfer.sample import SampleSite


class Command(BaseCommand):
    help = "Loads the sample site. Does nothing if the installation already has a site."

    def handle(self, **options: Any) -> None:
        if Site.objects.exists():
            self.stdout.write("There is already a site; the sample site was not loaded.")
            return
        sample = SampleSite()
        imported = import_site(sample, place_site(sample.site))
        describe_fields(imported.site_id, sample.custom_fields)
        for path, picture in sample.pictures().items():
            name = f"{SITE_FILES.folder}/{imported.site_id}/{path}"
            if not default_storage.exists(name):
                default_storage.save(name, ContentFile(picture.read_bytes()))
        counts = f"channels={len(imported.channels)} contents={imported.content_count}"
        self.stdout.write(f"siteId={imported.site_id} {counts}")
