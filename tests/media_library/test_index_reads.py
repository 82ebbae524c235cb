"""Pages of a library are ranges of an index, at any size of the library."""

import pytest
from django.db import connection

from core.admin.places import EVERYWHERE, Places
from core.lib import clock
from media_library.branches import seen_files
from media_library.models import MediaFile

BRANCH = Places.of_rows([(1, 20)])


@pytest.mark.django_db
@pytest.mark.parametrize("places", [EVERYWHERE, BRANCH], ids=["everywhere", "a branch"])
@pytest.mark.parametrize(
    ("chosen", "indexes"),
    [
        ({}, {"media_file_newest"}),
        ({"kind": "image"}, {"media_file_of_kind"}),
        ({"folder": 7}, {"media_file_in_folder"}),
        # PostgreSQL takes either while the table is empty.
        ({"folder": None}, {"media_file_in_folder", "media_file_newest"}),
    ],
)
def test_a_page_begins_within_an_index(chosen, indexes, places):
    listed = MediaFile.objects.listed().filter(site=1, created_at__lt=clock.now(), **chosen)
    files = seen_files(listed, places)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
    plan = files.order_by("-created_at", "-pk")[:50].explain()
    assert any(index in plan for index in indexes)
    assert "site_id" in plan
    assert "sort" not in plan.lower() and "temp b-tree" not in plan.lower()
