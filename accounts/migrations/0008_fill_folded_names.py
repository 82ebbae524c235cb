import sys
from zlib import crc32

from django.db import migrations
from django.db.models import Count

from core.lib.bulk import update_columns
from core.lib.folding import doubled, fold

TEXTS = ("user_name", "display_name", "email", "mobile")
UNIQUE = ("user_name", "email", "mobile")
AT_ONCE = 1000


def fill(apps, editor):
    for name in ("Administrator", "User"):
        rows = apps.get_model("accounts", name)._base_manager.using(editor.connection.alias)
        last = 0
        while batch := list(rows.filter(pk__gt=last).order_by("pk").only("pk", *TEXTS)[:AT_ONCE]):
            last = batch[-1].pk
            for row in batch:
                texts = [getattr(row, column) for column in TEXTS]
                for column, text in zip(TEXTS, texts, strict=True):
                    setattr(row, f"folded_{column}", fold(text))
                row.folding_stamp = crc32("\0".join(texts).encode("utf-8", "surrogatepass")) - 2**31
            update_columns(batch, ["folding_stamp", *(f"folded_{column}" for column in TEXTS)])
        for column in UNIQUE:
            part_twins(rows, name, column)


def part_twins(rows, name, column):
    """Leave a name to the account that has had it for longest, and find the others by their exact names alone."""
    folded = f"folded_{column}"
    shared = rows.exclude(**{folded: ""}).values(folded).annotate(number=Count("pk")).filter(number__gt=1)
    for form in list(shared.order_by(folded).values_list(folded, flat=True)):
        (first, own), *others = rows.filter(**{folded: form}).order_by("pk").values_list("pk", column)
        for pk, text in others:
            rows.filter(pk=pk).update(**{folded: doubled(text)})
            sys.stdout.write(
                f"\n    {name} {pk} has nearly the same {column.replace('_', ' ')} as {name.lower()} {first} ({own}) "
                f"and signs in by the exact text only: {text}. Rename one, then run: manage.py check_accounts --repair"
            )


class Migration(migrations.Migration):
    # In batches, so that people can sign in while it runs.
    atomic = False
    dependencies = [("accounts", "0007_folded_names")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=True)]
