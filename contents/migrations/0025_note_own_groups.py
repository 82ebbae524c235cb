from django.db import migrations, models

# A group that triggers made has neither, and has been counted since.
_NOTE = """
UPDATE contents_contentgroup SET is_own = true
WHERE description <> '' OR taxis <> 0
    OR NOT EXISTS (SELECT 1 FROM contents_listedcount n WHERE n.kind = 1 AND n.owner_id = contents_contentgroup.id)
"""


class Migration(migrations.Migration):
    dependencies = [("contents", "0024_fill_approved_versions")]

    # In one step: between two, triggers would add groups that the second takes for older ones.
    operations = [
        migrations.AddField(
            model_name="contentgroup",
            name="is_own",
            field=models.BooleanField(db_default=False, default=True, editable=False),
        ),
        migrations.RunSQL(_NOTE, migrations.RunSQL.noop),
    ]
