"""What all tests share."""

from functools import cache

import httpx
import pytest

from tests.worlds import world

ALL_SCOPES = "Channels,Contents,Media,Forms,Administrators,Users,STL,SQL,System"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix):
    """As pytest-django calls what it does to the settings before it makes the test database."""
    # Imported here and below, since Django is not set up while this module is loaded.
    from tests.databases import write_without_waiting

    write_without_waiting()


@pytest.fixture(scope="session", autouse=True)
def tables_are_emptied():
    """Tests with transactions of their own end with tables emptied, instead of Django's flush.

    The triggers of the audit would refuse that one, and each would take as long as a migration. TestCase has another
    end, which rolls back.
    """
    from django.test import TransactionTestCase

    from tests.databases import empty_tables

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda case: empty_tables())
        yield


@pytest.fixture(scope="session", autouse=True)
def hits_are_left_out():
    """No thread stores the hits of a test, or a use of a rendition, while another one runs; their tests do it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pages.visits._batch.add", lambda *_visit: None)
        patch.setattr("media_library.renditions.usage.note", lambda _name: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def pages_may_stay_unrendered():
    """Requests that only look at what a view gives to its template do without the page: half of their time."""
    from django.contrib.messages import get_messages
    from django.template.response import TemplateResponse

    from tests.admin.pages.browsing import UNRENDERED

    rendered = TemplateResponse.rendered_content.fget

    def content(response):
        if UNRENDERED not in response._request.META:
            return rendered(response)
        list(get_messages(response._request))  # as a page shows them
        return ""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TemplateResponse, "rendered_content", property(content))
        yield


@pytest.fixture(scope="session", autouse=True)
def authorities_are_read_once():
    """HTTP clients share one TLS context; each would read all certificate authorities (50 ms), even for plain HTTP."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx._transports.default.create_ssl_context", cache(httpx.create_ssl_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def hashing_is_cheap():
    """Passwords are hashed by the same scheme at the least cost; tests/accounts/test_passwords.py uses the real one."""
    from argon2 import PasswordHasher, Type

    with pytest.MonkeyPatch.context() as patch:
        cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1, type=Type.ID)
        patch.setattr("accounts.hashers._ARGON2", cheap)
        yield


@pytest.fixture(autouse=True)
def keys_are_remembered(monkeypatch):
    """What is known of a key stays known, and its use is noted once, however slow the machine: statements are counted.

    Tests have numbers of keys in common with tests of before, whose uses must not count.
    """
    monkeypatch.setattr("apikeys.grants._SECONDS", 3600)
    monkeypatch.setattr("apikeys.grants._remembered", {})
    monkeypatch.setattr("apikeys.authentication._noted", {})


@pytest.fixture(scope="session")
def worlds_end(django_db_setup, django_db_blocker):
    """The last worlds are taken back before the test database is dropped."""
    from tests.worlds import leave

    yield
    with django_db_blocker.unblock():
        leave()


@pytest.fixture
def worlds(request, worlds_end, django_db_blocker):
    """Gives a test its objects of each of its worlds (tests/worlds.py)."""
    from tests.worlds import leave, open_worlds

    with django_db_blocker.unblock():
        if request.config.getoption("--cov-context", None):
            leave()  # what makes the worlds counts for each test (`make mutation`)
        return open_worlds(request)


@pytest.fixture
def _django_db_helper(worlds, _django_db_helper):
    """As pytest-django begins the transaction of a test, in those of its worlds."""
    return _django_db_helper


@pytest.fixture
def client_with_key(db):
    """Makes clients, each with a new key: `client_with_key(scopes="STL:read", site_ids="1")`."""
    from tests.clients import ApiClient
    from tests.factories import ApiKeyFactory

    def make(**fields):
        return ApiClient(ApiKeyFactory(**({"scopes": ALL_SCOPES} | fields)).token)

    return make


@world
def api_token():
    from tests.factories import ApiKeyFactory

    return ApiKeyFactory(scopes=ALL_SCOPES).token


@pytest.fixture
def api(api_token):
    """A client whose key has every scope and reaches every site."""
    from tests.clients import ApiClient

    return ApiClient(api_token)


@pytest.fixture
def stranger():
    """A client without a key."""
    from tests.clients import ApiClient

    return ApiClient()


@pytest.fixture
def font_folder(monkeypatch, tmp_path):
    """The only folder of fonts that Linux then has; nothing is in it yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    return tmp_path / "data" / "fonts"


@pytest.fixture(scope="session")
def installation(tmp_path_factory):
    """A data folder for real servers and commands, apart from the database of the other tests."""
    from tools.servers import Installation

    return Installation(tmp_path_factory.mktemp("installation"))


@pytest.fixture(scope="session")
def server(installation):
    """A real gunicorn with two workers; bodies may have 2 000 000 bytes."""
    with installation.serve(CMS_MAX_BODY_BYTES="2000000") as running:
        yield running


@pytest.fixture
def media_folder(settings, tmp_path_factory):
    """The folder of the media, which is that of the test alone; so is that of private files."""
    # Django is not set up while this module is loaded.
    from core.lib.media_storage import read_storage

    folder = tmp_path_factory.mktemp("media")
    private = settings.STORAGES["private"] | {"OPTIONS": {"location": str(tmp_path_factory.mktemp("private"))}}
    settings.STORAGES = settings.STORAGES | {"default": read_storage("", folder), "private": private}
    return folder


@pytest.fixture
def stopped_clock(monkeypatch):
    """The time of what is stored stands still, so that two runs of the same can be compared."""
    from datetime import datetime

    from core.lib import clock

    class Stopped(datetime):
        @classmethod
        def now(cls, zone=None):
            return cls(2026, 3, 1, 9, 30, tzinfo=zone)

    monkeypatch.setattr(clock, "datetime", Stopped)


@pytest.fixture
def autumn(monkeypatch):
    """Sets the time on the day when clocks go back at 03:00: `autumn("02:45")`; later `autumn("02:45", 1)`."""
    import time
    from datetime import datetime

    from core.lib import clock

    def move(text, fold=0):
        moment = datetime.fromisoformat(f"2026-10-25 {text}").replace(fold=fold)
        monkeypatch.setattr(clock, "now", lambda: moment)

    with monkeypatch.context() as zone:
        zone.setenv("TZ", "Europe/Berlin")
        time.tzset()
        move("01:00")
        yield move
    time.tzset()
