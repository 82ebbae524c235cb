import random

from django.db import migrations


def fill(apps, schema_editor):
    """Sites that are there already get a number; new ones get theirs from a trigger."""
    site, version = apps.get_model("cms_sites", "Site"), apps.get_model("channels_app", "TreeVersion")
    numbers = (version(site_id=pk, number=random.getrandbits(53)) for pk in site.objects.values_list("pk", flat=True))
    version.objects.bulk_create(numbers, ignore_conflicts=True)


class Migration(migrations.Migration):

    dependencies = [
        ("channels_app", "0002_tree_version"),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
