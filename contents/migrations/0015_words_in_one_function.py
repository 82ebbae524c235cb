"""Does nothing: contents/sql/postgresql.sql makes the function of words, which this migration did."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("contents", "0001_initial"),
    ]

    operations = []
