"""Files that are in an S3-compatible object store are kept, and brought back, like those of a folder."""

import io

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from tests.accounts.forms import keep_media_in, stored, stored_files
from tests.accounts.test_media_storage import CREDENTIALS, object_store, storage_address

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.large]
FILES = {"sites/1/upload/film.mp4": b"film" * 1_000_000, "avatars/ab/one.png": b"picture", "empty.txt": b""}


@pytest.fixture
def store(settings, tmp_path, monkeypatch):
    """A store with the files; calling it ends it."""
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    with object_store() as (url, end):
        keep_media_in(settings, tmp_path, storage_address(url))
        for name, content in FILES.items():
            default_storage.save(name, ContentFile(content))
        yield end


def run(*arguments):
    out = io.StringIO()
    call_command(*map(str, arguments), stdout=out)
    return out.getvalue()


def test_files_come_back(store, tmp_path):
    path = tmp_path / "backup.tar"
    assert " files=3 " in run("backup", path)
    for name in FILES:
        default_storage.delete(name)
    default_storage.save("avatars/ab/later.png", ContentFile(b"later"))
    assert " files=3 " in run("restore", path, "--replace", "--no-input")
    assert stored_files() == {*FILES, "avatars/ab/later.png"}
    assert {name: stored(name) for name in FILES} == FILES


def test_from_a_store_to_a_folder(store, tmp_path, settings):
    run("backup", tmp_path / "backup.tar")
    keep_media_in(settings, tmp_path / "media")
    assert " files=3 " in run("restore", tmp_path / "backup.tar", "--replace", "--no-input")
    assert {name: stored(name) for name in FILES} == FILES


def test_a_store_that_does_not_answer_leaves_no_half_of_a_backup(store, tmp_path):
    store()
    with pytest.raises(CommandError, match="A file cannot be read or written"):
        run("backup", tmp_path / "backup.tar")
    assert not list(tmp_path.glob("*.tar")) + list(tmp_path.glob(".*.tar*"))
