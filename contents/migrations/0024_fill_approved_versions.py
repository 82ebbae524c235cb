from django.db import migrations
from django.db.models import OuterRef, Subquery


def fill(apps, schema_editor):
    """Count the present version as approved: of the draft of a public content, of the content without one."""
    schedules = apps.get_model("contents", "ContentSchedule").objects.filter(publish_at__isnull=False)
    drafts = apps.get_model("contents", "ContentDraft").objects.filter(pk=OuterRef("pk"), content__is_checked=True)
    contents = apps.get_model("contents", "Content").objects.filter(pk=OuterRef("pk"))
    schedules.update(approved_draft=Subquery(drafts.values("version")))
    schedules.filter(approved_draft=None).update(approved_version=Subquery(contents.values("version")))


class Migration(migrations.Migration):
    dependencies = [("contents", "0023_approved_versions")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
