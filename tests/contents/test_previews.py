"""`POST /contents/{siteId}/{channelId}/{id}/preview`: a link that works as long as its key could make it."""

from datetime import timedelta

import pytest

from apikeys.models import ApiKey
from core.audit.models import AuditEntry
from core.lib import clock
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import AdministratorFactory, ApiKeyFactory, ContentFactory, SiteFactory
from tests.wire.addresses import single

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.fixture
def content():
    return ContentFactory(title="Plans", is_checked=False)


@pytest.fixture
def key(content):
    owner = AdministratorFactory(is_superuser=False, site_id_collection=f"{content.site_id}")
    return ApiKeyFactory(administrator=owner, scopes="Contents:write")


def share(token, content):
    return ApiClient(token).post(f"{single(content)}/preview", {})


def read(token):
    return ApiClient().get(f"/api/v1/previews/{token}")


def lock_owner(key):
    key.administrator.is_locked_out = True
    key.administrator.save()


def take_site_of_owner(key):
    key.administrator.site_id_collection = str(SiteFactory().pk)
    key.administrator.save()


def take_site(key):
    key.change({"site_ids": str(SiteFactory().pk)})


def take_scope(key):
    key.change({"scopes": "Contents:read,STL:write"})


def expire(key):
    ApiKey.objects.filter(pk=key.pk).update(expires_at=clock.now() - timedelta(seconds=1))


def discard(key):
    key.revoke()
    key.discard()


ENDS = [lock_owner, take_site_of_owner, take_site, take_scope, expire, discard, ApiKey.revoke, ApiKey.reset]


@pytest.mark.parametrize("end", ENDS)
def test_it_ends_with_the_rights_of_its_key(key, content, end):
    made = share(key.token, content).json()["value"]
    assert read(made["token"]).json()["value"]["title"] == "Plans"
    assert ApiClient().get(made["url"]).status_code == 200
    end(key)
    for response in (read(made["token"]), ApiClient().get(made["url"])):
        assert assert_error(response, 404)["code"] == "preview_ended"


def test_it_stays_while_its_key_is_renewed_with_an_overlap(key, content):
    made = share(key.token, content).json()["value"]
    key.rotate(timedelta(hours=2))
    assert read(made["token"]).status_code == 200
    key.end_overlap()
    assert_error(read(made["token"]), 404)


def test_it_is_recorded_and_needs_the_right_to_write(key, content):
    reader = ApiKeyFactory(scopes="Contents:read")
    assert_error(share(reader.token, content), 401)
    assert not AuditEntry.objects.filter(action="content.preview_shared").exists()
    share(key.token, content)
    entry = AuditEntry.objects.get(action="content.preview_shared")
    assert (entry.key_id, entry.object_id, entry.details) == (key.pk, str(content.pk), {"seconds": 3600})
