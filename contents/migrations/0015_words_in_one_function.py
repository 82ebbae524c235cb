"""Does nothing: contents/sql/postgresql.sql makes the function of words, which this migration did."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("contents", "0014_unfinished"),
    ]

    operations = []
