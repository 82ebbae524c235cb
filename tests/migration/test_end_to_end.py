"""A real installation after a migration: an unchanged client, people who sign in, and addresses of pages."""

import hashlib

import httpx
import pytest
from cms_client import Client

from tests.migration.installations.small import API_KEY, PASSWORD, small_tables
from tests.migration.installations.writers import write_backup_folder, write_mysql
from tests.migration.test_files import make_installation
from tools.servers import Installation

pytestmark = pytest.mark.large


@pytest.fixture(params=["backup folder", "MariaDB"])
def source(request, tmp_path):
    tables = small_tables()
    if request.param == "backup folder":
        write_backup_folder(tables, tmp_path / "backup")
        return str(tmp_path / "backup")
    server = request.getfixturevalue("mariadb")
    write_mysql(tables, server.url("whole"))
    request.addfinalizer(lambda: server.execute("DROP DATABASE whole"))
    return server.reading_url("whole")


def test_clients_people_and_visitors_go_on(source, tmp_path):
    files = make_installation(tmp_path / "siteserver")
    (tmp_path / "key").write_text("vEnfkn16t8aeaZKG3a4Gl9UUlzf4vgqU9xwh8ZV5")
    installation = Installation(tmp_path / "data")
    options = ["--files", str(files), "--with-keys", "--secret-key-file", str(tmp_path / "key")]
    assert "contents: 8 new, 2 left out" in installation.manage("migrate_siteserver", source, *options)
    with installation.serve() as server:
        with Client(server.address, API_KEY) as client:
            assert client.contents.get(1, 2, 1)["title"] == "年度报告"
            made = client.contents.create(36, 37, {"title": "After the migration"})
            assert client.contents.get(36, 37, made["id"])["title"] == "After the migration"
            assert httpx.get(f"{server.address}/api/v1/users", headers={"X-SS-API-KEY": API_KEY}).status_code == 401
        md5 = hashlib.md5(PASSWORD.encode()).hexdigest()
        for kind, account, password in (("administrators", "admin", md5), ("users", "member1", PASSWORD)):
            login = {"account": account, "password": password}
            answer = httpx.post(f"{server.address}/api/v1/{kind}/actions/login", json=login)
            assert answer.json()["value"]["userName"] == account
        old = httpx.get(f"{server.address}/news/cn/1.html")
        assert old.status_code == 301
        assert "同号的另一篇" in httpx.get(f"{server.address}{old.headers['Location']}").text
        assert httpx.get(f"{server.address}/upload/images/2019/3/1.jpg").text == "picture"
    assert "contents: 8 unchanged, 2 left out" in installation.manage("migrate_siteserver", source, *options)
