"""`POST /contents`: a list that takes too long is refused, and the next one is answered."""

import pytest
from django.db import connection

from contents.models import Content, ContentBody
from tests.assertions import assert_error
from tests.contents.asking import ask, found, read, titles
from tests.factories import ChannelFactory, ContentFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db(transaction=True)

SLOW = {"wheres": [{"column": "content", "operator": "Like", "value": "%a%b%c%d%"}] * 10}


@world
def shelf():
    """Contents enough to keep an engine busy for longer than a millisecond."""
    channel = ChannelFactory()
    made = Content.objects.bulk_create(Content(channel=channel, site=channel.site, title="a") for _ in range(3000))
    ContentBody.objects.bulk_create(ContentBody(content=content, text="abc" * 300) for content in made)
    return channel.site


def test_a_slow_list_is_400_and_the_connection_works_afterwards(api, shelf, settings):
    settings.CMS_STATEMENT_SECONDS = 0.001
    for _ in range(3):
        body = assert_error(ask(api, shelf, **SLOW), 400, "query_too_slow")
        assert "0.001 seconds" in body["message"]
    assert connection.is_usable()
    # What an index answers has no limit.
    assert read(api, shelf)["totalCount"] == 3000
    settings.CMS_STATEMENT_SECONDS = 60
    assert read(api, shelf, **SLOW)["totalCount"] == 0
    assert Content.objects.filter(title="a").update(title="b") == 3000


@pytest.mark.parametrize("seconds", [0, 0.0001])
def test_no_time_is_not_taken_for_no_limit(api, shelf, settings, seconds):
    settings.CMS_STATEMENT_SECONDS = seconds
    assert_error(ask(api, shelf, **SLOW), 400, "query_too_slow")


def test_the_limit_ends_with_its_list(api, shelf, settings):
    settings.CMS_STATEMENT_SECONDS = 60
    assert titles(api, shelf, wheres=[{"column": "title", "value": "b"}]) == []
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SHOW statement_timeout")
            assert cursor.fetchone() == ("0",)
        # Longer than the limit of the next test's lists, and ended by nobody.
        cursor.execute(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT MAX(i) FROM n"
        )
        assert cursor.fetchone() == (200000,)


# One text, within which SQLite looks at no clock: a long part, and one with gaps.
HARD = ["%" + "a" * 250 + "b%", "%" + "a_" * 120 + "b%", "%" + "é" * 250 + "b%"]


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL goes through patterns by itself")
@pytest.mark.parametrize("pattern", HARD)
@pytest.mark.parametrize("letter", ["a", "é"])
def test_a_pattern_is_left_within_a_single_long_text(api, settings, pattern, letter):
    site = ContentFactory(content=letter * 2_000_000).site
    rule = {"column": "content", "operator": "Like", "value": pattern}
    settings.CMS_STATEMENT_SECONDS = 0
    assert_error(ask(api, site, wheres=[rule]), 400, "query_too_slow")
    settings.CMS_STATEMENT_SECONDS = 60
    assert titles(api, site, wheres=[rule]) == []


@pytest.mark.parametrize("pattern", ["%aab%", "%a_b%", "a%b", "%AAB"])
@pytest.mark.parametrize("length", [10, 100_000])
def test_a_pattern_means_the_same_in_short_and_in_long_texts(api, pattern, length):
    contents = [ContentFactory(content="a" * length + "b", title="a")]
    contents.append(ContentFactory(channel=contents[0].channel, content="a" * length + "c", title="b"))
    assert found(api, contents[0].site, ("content", "Like", pattern)) == "a"
    assert found(api, contents[0].site, ("content", "NotLike", pattern)) == "b"
