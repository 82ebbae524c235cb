"""The people and the key of a whole installation, of either version."""

import pytest

from accounts.models import Administrator
from migration import records
from migration.keys import migrate_keys
from migration.people.administrators import migrate_administrators
from migration.people.members import migrate_members
from migration.people.roles import migrate_roles
from tests.accounts.signing_in import log_in
from tests.clients import ApiClient
from tests.factories import ContentFactory
from tests.migration.installations.encryption import SECRET_KEY
from tests.migration.installations.small import API_KEY, PASSWORD, small_tables
from tests.migration.installations.version7 import as_version7
from tests.wire.addresses import single


@pytest.mark.parametrize("version", [lambda tables: tables, as_version7], ids=["6", "7"])
def test_people_sign_in_and_clients_go_on(migration, stranger, version):
    content = ContentFactory()
    records.store("siteserver_site", [(36, content.site_id, "")])
    moving = migration()
    moving.tables = {name: list(table.rows) for name, table in version(small_tables()).items()}
    moving.run(
        *(migrate_administrators, migrate_roles, migrate_members, migrate_keys), with_keys=True, secret_key=SECRET_KEY
    )
    for kind, name in (("administrators", "admin"), ("administrators", "editor"), ("users", "member1")):
        assert log_in(stranger, kind, name, PASSWORD).status_code == 200
    ranks = Administrator.objects.order_by("pk").values_list("is_superuser", "site_id_collection")
    assert list(ranks) == [(True, ""), (False, str(content.site_id))]
    assert ApiClient(API_KEY).get(single(content)).status_code == 200
