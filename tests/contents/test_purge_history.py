"""`manage.py purge history`: which changes go, and that what stays can still be told."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from contents.models import Content, ContentChange
from contents.storing import retention
from contents.storing.history import oldest_version, version_of
from core.audit.models import AuditEntry
from core.lib import clock
from tests.factories import ContentFactory

pytestmark = pytest.mark.django_db


def purge(*options):
    """What the command prints."""
    out = StringIO()
    call_command("purge", "history", *map(str, options), stdout=out, stderr=out)
    return out.getvalue().strip()


def content_of(*ages, **fields):
    """A content with a change for each of the ages in days, the oldest first; its title is its version."""
    made = ContentFactory(title=str(len(ages) + 1), version=len(ages) + 1, **fields)
    for version, days in enumerate(ages, start=2):
        ContentChange.objects.create(
            content=made,
            site_id=made.site_id,
            version=version,
            at=clock.now() - timedelta(days=days),
            actor_kind="command",
            before=f'{{"title":"{version - 1}"}}',
        )
    return made


def kept(content):
    return list(content.changes.order_by("version").values_list("version", flat=True))


def assert_told(content):
    """Every version that is kept is told as it was."""
    present = Content.objects.get(pk=content.pk)
    for version in range(oldest_version(present), present.version + 1):
        assert version_of(present, version)[0]["title"] == str(version)


def test_what_is_old_goes_and_the_rest_can_be_told(settings):
    settings.CMS_HISTORY_DAYS, settings.CMS_HISTORY_VERSIONS = 365, 0
    content, young = content_of(500, 400, 300, 1), content_of(1)
    assert purge().startswith("Purged: changes=2 before=")
    assert kept(content) == [4, 5]
    assert kept(young) == [2]
    assert_told(content)
    (entry,) = AuditEntry.objects.filter(action="content.history_purged")
    assert entry.details["changes"] == 2


def test_of_many_changes_the_latest_stay(settings):
    settings.CMS_HISTORY_DAYS, settings.CMS_HISTORY_VERSIONS = 0, 2
    content, other = content_of(5, 4, 3, 2, 1), content_of(2, 1)
    assert purge() == "Purged: changes=3 before=never keep=2"
    assert kept(content) == [5, 6]
    assert kept(other) == [2, 3]
    assert_told(content)


def test_both_bounds_hold_and_a_second_run_finds_nothing():
    content = content_of(500, 3, 2, 1)
    assert purge("--keep", 2, "--older-than", "400d", "--dry-run").startswith("Would be purged: changes=2 ")
    assert kept(content) == [2, 3, 4, 5]
    assert purge("--keep", 2, "--older-than", "400d").startswith("Purged: changes=2 ")
    assert kept(content) == [4, 5]
    assert purge("--keep", 2, "--older-than", "400d").startswith("Purged: changes=0 ")


def test_without_bounds_nothing_goes(settings):
    settings.CMS_HISTORY_DAYS = settings.CMS_HISTORY_VERSIONS = 0
    content = content_of(5000, 4000)
    assert purge() == "Purged: changes=0 before=never keep=all"
    assert kept(content) == [2, 3]


def test_one_site_alone_can_be_purged():
    content, other = content_of(500), content_of(500)
    purge("--site", content.site_id, "--older-than", "400d")
    assert (kept(content), kept(other)) == ([], [2])


def test_a_clock_that_went_back_leaves_no_gap():
    # The change of version 3 was made after that of version 2, by a clock that had been put back.
    content = content_of(399, 401, 398)
    purge("--older-than", "400d", "--keep", 100)
    assert kept(content) == [2, 3, 4]
    assert_told(content)


def test_an_interrupted_purge_leaves_no_gap_and_goes_on(monkeypatch):
    monkeypatch.setattr(retention, "BATCH", 1)
    content = content_of(500, 501, 499, 1)  # the clock went back once

    class Interrupted(Exception):
        pass

    def interrupt(number):
        raise Interrupted

    old = retention.OldHistory(clock.now() - timedelta(days=400))
    with pytest.raises(Interrupted):
        old.purge(interrupt)
    assert kept(content) == [3, 4, 5]
    assert_told(content)
    assert old.purge() == 2
    assert kept(content) == [5]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--older-than", "0"), "more than 0"),
        (("--older-than", "x"), "a duration"),
        (("--keep", "0"), "number from 1"),
        (("--keep", "9" * 30), "number from 1"),
        (("--site", "0"), "no site 0"),
    ],
)
def test_an_option_that_cannot_be_followed_is_refused(options, told):
    content = content_of(5000)
    with pytest.raises(CommandError, match=told):
        purge(*options)
    assert kept(content) == [2]


def test_an_age_beyond_the_calendar_purges_nothing():
    content = content_of(5000)
    purge("--older-than", "99999d", "--keep", 5)
    assert kept(content) == [2]
