"""Other accounts of the machine cannot read the data folder."""

import os
import stat
from pathlib import Path

import pytest

from core.lib.environment import read_data_folder
from tools.servers import Installation


@pytest.fixture
def common_umask():
    """The one that lets everybody read new files."""
    former = os.umask(0o022)
    yield
    os.umask(former)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.large
def test_all_that_the_service_writes_is_for_its_owner_alone(tmp_path, common_umask):
    folder = tmp_path / "data"
    installation = Installation(folder, administrator=False)
    installation.manage("migrate", "--verbosity", "0")
    with installation.serve() as server:
        assert server.request("GET", "/api/v1/ping").status_code == 200
        server.request("GET", "/")  # opens a connection that stays, and with it SQLite's other files
        names = {path.name for path in folder.iterdir()}
        assert {"db.sqlite3", "db.sqlite3-wal", "db.sqlite3-shm", "secret_key", "password_pepper"} <= names
        readable = [path for path in folder.iterdir() if mode(path) & 0o077 and path.name not in ("media", "static")]
    assert mode(folder) == 0o700
    assert readable == []


@pytest.mark.parametrize(("given", "kept"), [(0o755, 0o700), (0o750, 0o750), (0o710, 0o710)])
def test_an_existing_folder_is_tightened_at_start(tmp_path, given, kept):
    for name in ("db.sqlite3", "db.sqlite3-wal", "secret_key"):
        (tmp_path / name).touch(mode=0o644)
    for name in ("media", "jobs"):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o750)
    tmp_path.chmod(given)
    assert read_data_folder("CMS_DATA_DIR", Path("/"), str(tmp_path)) == tmp_path
    assert mode(tmp_path) == kept
    assert mode(tmp_path / "media") == 0o750  # a proxy in the group of the service may serve it
    private = [path for path in tmp_path.iterdir() if path.name != "media"]
    assert [path.name for path in private if mode(path) & 0o077] == []
