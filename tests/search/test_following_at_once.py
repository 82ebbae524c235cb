"""Changes, searches and several servers that follow the changes, at the same time."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError, connections

from events.numbering import number_new
from media_library.models import MediaFile
from media_library.searching import with_words
from search.following import follow
from search.models import SearchEntry
from tests.factories import SiteFactory

pytestmark = pytest.mark.django_db(transaction=True)
CHANGES = 60


def test_each_change_is_found_as_soon_as_it_is_stored():
    site = SiteFactory()
    follow()
    has_ended = threading.Event()

    def follow_on():
        try:
            while not has_ended.is_set():
                try:
                    number_new()
                    follow()
                except OperationalError:  # SQLite has one writer at a time
                    continue
        finally:
            connections.close_all()

    def write(number):
        """Return the searches that did not find what had just been stored."""
        file = MediaFile.objects.create(site=site, path=f"upload/{number}.bin", kind="other", bytes=1)
        wrong = []
        try:
            for count in range(CHANGES):
                words = [f"writer{number}x{count}x", f"writer{number}x{count - 1}x"]
                MediaFile.objects.filter(pk=file.pk).update(title=words[0])
                found = [with_words(MediaFile.objects.listed(), word).count() for word in words]
                if found != [1, 0]:
                    wrong.append((words[0], found))
        finally:
            connections.close_all()
        return wrong

    with ThreadPoolExecutor(4) as pool:
        followers = [pool.submit(follow_on) for _ in range(2)]
        try:
            writers = [pool.submit(write, number) for number in range(2)]
            assert [writer.result(120) for writer in writers] == [[], []]
        finally:
            has_ended.set()
        for follower in followers:
            follower.result(60)
    number_new()
    follow()
    assert SearchEntry.objects.filter(kind="media").count() == 2
