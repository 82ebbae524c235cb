"""How well searches rank: a set of contents, and queries with the contents that a person would want first.

To see the queries that do not have theirs first: pytest -s tests/search/test_labelled.py
"""

import csv
from datetime import timedelta
from pathlib import Path
from statistics import mean

import pytest
from django.utils import timezone

from contents.models import Content
from events.numbering import number_new
from search import following
from tests.contents.asking import query as ask
from tests.factories import ChannelFactory, ContentFactory

pytestmark = pytest.mark.django_db
FOLDER = Path(__file__).parent / "labelled"
GOAL = 0.85  # mean of 1 / place of the first wanted content
MOST = 20


def rows_of(name):
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture
def keys():
    """The keys of the contents by their ids."""
    channel, now, found = ChannelFactory(), timezone.now(), {}
    for row in rows_of("contents.tsv"):
        age = timedelta(days=int(row["days"]))
        shown = {name: row[name] for name in ("title", "author", "tags")}
        body = f"<p>{row['body']}</p>"
        made = ContentFactory(channel=channel, is_checked=True, add_date=now - age, content=body, **shown)
        found[made.pk] = row["key"]
    number_new()
    following.follow()
    return found


def test_wanted_contents_come_first(api, keys):
    site_id = Content.objects.values_list("site", flat=True)[0]
    values = []
    for row in rows_of("queries.tsv"):
        response = ask(api, "/api/v1/search", q=row["query"], siteId=site_id, top=MOST, fields="id")
        found = [keys[each["content"]["id"]] for each in response.json()["value"]]
        place = min((found.index(key) + 1 for key in row["wanted"].split() if key in found), default=None)
        values.append(1 / place if place else 0)
        if place != 1:
            print(f"{row['query']}: at {place}; first {', '.join(found[:3]) or 'nothing'}")
    print(f"Mean reciprocal rank of {len(values)} queries: {mean(values):.3f}")
    assert mean(values) >= GOAL
