from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from contents.services.fields import describe_fields
from core.archive import media
from core.lib.media_storage import SITE_FILES
from media_library.services import record_files
from sites.models import Site
from transfer.importing import ImportedSite, import_site
from transfer.placement import place_site
from transfer.sample import SampleSite
from transfer.site_files import removing_strays


class Command(BaseCommand):
    help = "Loads the sample site. Does nothing if the installation already has a site."

    def handle(self, **options: Any) -> None:
        if Site.objects.exists():
            self.stdout.write("There is already a site; the sample site was not loaded.")
            return
        with removing_strays() as strays:
            imported = _load(SampleSite(), strays)
        counts = f"channels={len(imported.channels)} contents={imported.content_count}"
        self.stdout.write(f"siteId={imported.site_id} {counts}")


@transaction.atomic
def _load(sample: SampleSite, strays: list[str]) -> ImportedSite:
    """Store the files before the transaction ends: after a crash, the next start must load the whole site again."""
    imported = import_site(sample, place_site(sample.site))
    describe_fields(imported.site_id, sample.custom_fields)
    files = sample.files()
    for path, file in files.items():
        name = f"{SITE_FILES.folder}/{imported.site_id}/{path}"
        strays.append(name)
        media.store(name, [file.read_bytes()])
    record_files(Site.objects.get(pk=imported.site_id), files)
    return imported
