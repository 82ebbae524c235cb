"""Where files are kept: a folder, or an S3-compatible object store, here a real one in a process of its own."""

import errno
import os
import re
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import time
from unittest import mock

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from accounts.models import User
from core.lib.media_storage import StorageUnavailable, read_media_url, read_storage
from tests.accounts.forms import FORM, file_part, form, keep_media_in, stored_files, upload
from tests.accounts.picture_files import opened, plain, saved
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import UserFactory
from tools.servers import ROOT

PNG = saved(plain(), "PNG")
BUCKET = "pictures"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing"}

# ---- The setting


def test_without_an_address_files_are_kept_in_the_folder(tmp_path):
    storage = read_storage("", tmp_path)
    assert storage["OPTIONS"] == {"location": str(tmp_path)}


def test_an_address_names_bucket_folder_and_options():
    query = "endpoint_url=https://store.example:9000&region_name=eu-1&addressing_style=path"
    storage = read_storage(f"s3://pictures/cms/media/?{query}", Path("/"))
    assert storage["BACKEND"] == "core.lib.object_store.ObjectStore"
    options = storage["OPTIONS"]
    assert (options["bucket_name"], options["location"]) == ("pictures", "cms/media")
    assert (options["endpoint_url"], options["region_name"]) == ("https://store.example:9000", "eu-1")
    assert options["client_config"].s3 == {"addressing_style": "path"}
    assert options["file_overwrite"] is False


def test_an_address_may_name_the_bucket_alone():
    options = read_storage("s3://pictures", Path("/"))["OPTIONS"]
    assert (options["bucket_name"], options["location"]) == ("pictures", "")
    assert not {"endpoint_url", "region_name", "timeout"} & options.keys()


@pytest.mark.parametrize(("query", "seconds"), [("", 3), ("?timeout=60", 60), ("?timeout=0.5", 0.5)])
def test_a_store_is_asked_once_and_has_three_seconds_or_what_the_address_says(query, seconds):
    patience = read_storage(f"s3://pictures{query}", Path("/"))["OPTIONS"]["client_config"]
    assert (patience.connect_timeout, patience.read_timeout) == (seconds, seconds)
    assert patience.retries["total_max_attempts"] == 1


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("/var/media", "must be empty or begin with s3://"),
        ("gs://bucket", "must be empty or begin with s3://"),
        ("s3:bucket", "must be empty or begin with s3://"),
        ("s3:///folder", "the name of a bucket"),
        ("s3://key:secret@bucket", "AWS_ACCESS_KEY_ID"),
        ("s3://bucket/a#b", "#"),
        ("s3://bucket?access_key=a", "has access_key in its query"),
        ("s3://bucket?secret_key=a", "has secret_key in its query"),
        ("s3://bucket?endpoint_url=https://a&endpoint_url=https://b", "once each"),
        ("s3://bucket?addressing_style=other", "one of auto, path, virtual"),
        ("s3://bucket?endpoint_url=store.example", "begins with https://"),
        *[(f"s3://bucket?timeout={wrong}", "timeout") for wrong in ("", "0", "61", "-1", "1e1", "inf", "nan", "٣")],
    ],
)
def test_any_other_address_is_refused_and_says_why(address, told):
    with pytest.raises(ImproperlyConfigured, match=r"^CMS_MEDIA_STORAGE ") as refused:
        read_storage(address, Path("/"))
    assert told in str(refused.value)
    assert "secret@" not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("", "media/"),
        ("https://cdn.example", "https://cdn.example/"),
        ("https://cdn.example/cms/", "https://cdn.example/cms/"),
    ],
)
def test_the_address_of_media_ends_with_a_slash(address, expected):
    assert read_media_url(address) == expected


@pytest.mark.parametrize("address", ["cdn.example", "/files/", "ftp://cdn.example/", "https:///x", "javascript:a"])
def test_an_address_of_media_that_is_none_is_refused(address):
    with pytest.raises(ImproperlyConfigured, match="CMS_MEDIA_URL"):
        read_media_url(address)


def started(code, tmp_path, **settings):
    """A process that loads the service and runs a line of Python."""
    environment = os.environ | {"CMS_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "cms_api.settings"} | settings
    command = [sys.executable, "-c", f"import django, sys; django.setup(); import cms_api.urls; {code}"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)


def test_the_service_does_not_start_with_a_wrong_address(tmp_path):
    failed = started("pass", tmp_path, CMS_MEDIA_STORAGE="s3://bucket?secret_key=a")
    assert failed.returncode != 0
    assert "ImproperlyConfigured: CMS_MEDIA_STORAGE has secret_key in its query" in failed.stderr


@pytest.mark.large
def test_libraries_of_object_stores_workbooks_and_ciphers_are_loaded_only_for_them(tmp_path):
    code = "print({'boto3', 'botocore', 'storages', 'openpyxl', 'Cryptodome'} & set(sys.modules))"
    assert started(code, tmp_path).stdout.strip() == "set()"


# ---- A folder


@pytest.fixture
def folder(settings, tmp_path):
    folder = tmp_path / "media"
    keep_media_in(settings, folder)
    return folder


def test_a_file_may_be_read_by_the_service_and_its_group_and_nobody_else(folder):
    default_storage.save("avatars/ab/a.png", ContentFile(b"picture"))
    path = folder / "avatars" / "ab" / "a.png"
    assert path.read_bytes() == b"picture"
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.parent.stat().st_mode & 0o007 == 0


def test_a_file_that_cannot_be_written_whole_leaves_nothing(folder):
    class Failing(ContentFile):
        def chunks(self, chunk_size=None):
            yield b"half"
            raise OSError("The disk is full.")

    with pytest.raises(OSError, match="full"):
        default_storage.save("avatars/ab/a.png", Failing(b"picture"))
    assert list((folder / "avatars" / "ab").iterdir()) == []


def test_a_file_is_renamed_and_replaces_another(folder):
    default_storage.save("sites/1/new.txt", ContentFile(b"new"))
    default_storage.save("sites/1/a/old.txt", ContentFile(b"old"))
    default_storage.move("sites/1/new.txt", "sites/1/a/old.txt")
    assert stored_files() == {"sites/1/a/old.txt"}
    assert (folder / "sites/1/a/old.txt").read_bytes() == b"new"
    with pytest.raises(FileNotFoundError):
        default_storage.move("sites/1/new.txt", "sites/1/b/c.txt")
    assert not (folder / "sites/1/b").exists()


def test_a_name_that_is_taken_is_not_given_again(folder):
    names = {default_storage.save("avatars/ab/a.png", ContentFile(text)) for text in (b"one", b"two")}
    assert len(names) == 2
    assert (folder / "avatars/ab/a.png").read_bytes() == b"one"


# ---- An object store


@contextmanager
def object_store():
    """The address of a store with an empty bucket, and what ends it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        found = (re.search(r"Running on (http://127\.0\.0\.1:\d+)", line) for line in process.stderr)
        url = next(filter(None, found))[1]
        bucket_of(url).create()
        yield url, lambda: stop(process)
    finally:
        stop(process)


def stop(process):
    process.kill()
    process.wait()
    process.stderr.close()


def bucket_of(url):
    import boto3

    session = boto3.Session("nobody", "nothing", region_name="us-east-1")
    return session.resource("s3", endpoint_url=url).Bucket(BUCKET)


def storage_address(url):
    return f"s3://{BUCKET}/cms?endpoint_url={url}&region_name=us-east-1&addressing_style=path"


@pytest.fixture(scope="session")
def running_store():
    with object_store() as (url, _):
        yield url


@pytest.fixture
def use(settings, monkeypatch):
    """Keeps files in the store of that address from now on."""
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)

    def use(url, more=""):
        keep_media_in(settings, None, storage_address(url) + more)

    return use


@pytest.fixture
def store(running_store, use):
    """An empty store in use."""
    bucket = bucket_of(running_store)
    bucket.objects.all().delete()
    use(running_store)
    return bucket


def keys(bucket):
    return {each.key for each in bucket.objects.all()}


@pytest.mark.django_db(transaction=True)
def test_a_picture_is_kept_in_the_store_and_served_from_it(api, store):
    user = UserFactory()
    url = upload(api, user.pk, file_part(PNG)).json()["value"]["avatarUrl"]
    name = User.objects.get(pk=user.pk).avatar_file
    assert url == f"http://testserver/media/{name}"
    assert keys(store) == {f"cms/{name}"}
    served = api.get(f"/media/{name}")
    assert opened(served.content).size == (40, 30)
    kept = store.Object(f"cms/{name}")
    assert kept.content_type == "image/png"
    assert kept.cache_control == served.headers["Cache-Control"]
    assert kept.get()["Body"].read() == served.content
    asked = api.generic("HEAD", f"/media/{name}")
    assert (asked.content, {**asked.headers, "X-Request-Id": ""}) == (b"", {**served.headers, "X-Request-Id": ""})


@pytest.mark.django_db(transaction=True)
def test_the_store_keeps_only_the_last_picture_of_a_user_and_none_of_one_who_is_gone(api, store):
    user = UserFactory()
    for _ in range(2):
        upload(api, user.pk, file_part(PNG))
    assert keys(store) == {f"cms/{User.objects.get(pk=user.pk).avatar_file}"}
    assert stored_files() == {User.objects.get(pk=user.pk).avatar_file}
    assert api.delete(f"/api/v1/users/{user.pk}").status_code == 200
    assert keys(store) == set()


def test_the_store_renames_a_file(store):
    for name in ("new.png", "old.png"):
        default_storage.save(f"sites/1/{name}", ContentFile(name.encode()))
    default_storage.move("sites/1/new.png", "sites/1/old.png")
    assert keys(store) == {"cms/sites/1/old.png"}
    renamed = store.Object("cms/sites/1/old.png")
    assert (renamed.get()["Body"].read(), renamed.content_type) == (b"new.png", "image/png")
    with pytest.raises(FileNotFoundError):
        default_storage.move("sites/1/new.png", "sites/1/b.png")


def test_the_store_lists_one_folder(store):
    for name in ("sites/1/a.png", "sites/1/b/c.png", "sites/11/d.png"):
        default_storage.save(name, ContentFile(b"x"))
    folders, files = default_storage.entries("sites/1")
    assert (folders, list(files)) == (["b"], ["a.png"])
    assert files["a.png"].size == 1
    assert 0 <= time() - files["a.png"].stored_at < 60
    assert default_storage.entries("sites/2") == ([], {})


def test_the_store_finds_names_in_another_letter_case(store):
    default_storage.save("sites/1/Js/HoverIntent.js", ContentFile(b"x"))
    assert default_storage.spelling_of("sites/1", "js/hoverintent.js") == "Js/HoverIntent.js"
    assert default_storage.spelling_of("sites/1", "js/none.js") is None
    assert default_storage.spelling_of("sites/2", "js/hoverintent.js") is None


def test_what_the_store_does_not_have_is_404(stranger, store):
    for name in ("avatars/ab/" + "a" * 30 + ".png", "avatars/../secret.png"):
        assert stranger.get(f"/media/{name}").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_store_that_is_gone_is_an_error_in_the_log_and_changes_nothing(api, use, caplog):
    with object_store() as (url, end):
        use(url)
        user = UserFactory()
        upload(api, user.pk, file_part(PNG))
        name = User.objects.get(pk=user.pk).avatar_file
        end()
        assert_error(upload(api, user.pk, file_part(PNG)), 503, "storage_unavailable")
        assert "Could not connect to the endpoint URL" in caplog.text
        assert User.objects.get(pk=user.pk).avatar_file == name
        failed = api.get(f"/media/{name}")
        assert failed.status_code == 503
        assert url.encode() not in failed.content
        # The user can go although the file cannot.
        assert api.delete(f"/api/v1/users/{user.pk}").status_code == 200
        assert f"The avatar {name} could not be deleted" in caplog.text
        assert "Traceback" not in caplog.text


@pytest.mark.parametrize("lacks", ["NoSuchBucket", "Unable to locate credentials"])
@pytest.mark.django_db(transaction=True)
def test_a_store_without_the_bucket_or_without_credentials_is_503(
    api, running_store, use, settings, monkeypatch, caplog, lacks
):
    user = UserFactory()
    use(running_store)
    if lacks == "NoSuchBucket":
        keep_media_in(settings, None, storage_address(running_store).replace(f"s3://{BUCKET}", "s3://missing"))
    else:
        for name in CREDENTIALS:
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    assert_error(upload(api, user.pk, file_part(PNG)), 503, "storage_unavailable")
    assert lacks in caplog.text
    assert "Traceback" not in caplog.text
    assert User.objects.get(pk=user.pk).avatar_file == ""


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_a_folder_that_cannot_be_written_is_503(api, folder, caplog):
    folder.mkdir(mode=0o500)
    assert_error(upload(api, UserFactory().pk, file_part(PNG)), 503, "storage_unavailable")
    assert "The media folder cannot be written" in caplog.text


def test_a_disk_that_fails_is_no_missing_storage_unless_it_says_so(folder, monkeypatch):
    for number, expected in (
        (errno.EROFS, StorageUnavailable),
        (errno.ESTALE, StorageUnavailable),
        (errno.ENOSPC, OSError),
    ):
        monkeypatch.setattr(os, "rename", mock.Mock(side_effect=OSError(number, "failed")))
        with pytest.raises(expected):
            default_storage.save("avatars/ab/a.png", ContentFile(b"picture"))


def test_the_type_of_a_file_follows_from_its_name_and_what_could_act_is_handed_out_to_be_kept(store):
    given = ContentFile(b"x")
    given.content_type = "text/html"
    for name, content in (("a/a.png", ContentFile(b"x")), ("a/a.pdf", ContentFile(b"x")), ("a/a.html", given)):
        default_storage.save(name, content)
    types = {key: store.Object(key).content_type for key in keys(store)}
    assert types == {
        "cms/a/a.png": "image/png",
        "cms/a/a.pdf": "application/pdf",
        "cms/a/a.html": "application/octet-stream",
    }
    assert store.Object("cms/a/a.html").content_disposition == "attachment"
    assert store.Object("cms/a/a.png").content_disposition is None


# ---- A store that does not answer

PATH = "/media/avatars/ab/" + "a" * 30 + ".png"


@pytest.fixture
def silent():
    """A socket that takes connections, and says nothing of its own accord."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(30)
        yield listening


def url_of(listening):
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


@contextmanager
def waiting(silent, act):
    """While two threads wait for what the store answers to the act; at the end it hangs up."""
    with ThreadPoolExecutor(2) as pool, ExitStack() as connections:
        acts = [pool.submit(act) for _ in range(2)]
        for _ in acts:
            connections.enter_context(silent.accept()[0])
        yield acts


def ask_while_answering(silent, answer):
    """What is served when the store answers so, and hangs up."""
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ApiClient("").get, PATH)
        with silent.accept()[0] as connection:
            connection.recv(65_536)
            connection.sendall(answer)
        return asked.result()


def assert_asked_later(response):
    assert response.status_code == 503
    assert response.headers["Retry-After"] == "1"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content == b"The file cannot be read now; ask again later.\n"


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.django_db(transaction=True)
def test_a_store_that_does_not_answer_is_503_and_a_line_in_the_log(api, use, caplog, is_there):
    user = UserFactory()
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        if is_there:
            listening.listen()
        use(url_of(listening), "&timeout=0.1")
        assert_asked_later(api.get(PATH))
        message = assert_error(upload(api, user.pk, file_part(PNG)), 503, "storage_unavailable")["message"]
    assert "nothing was changed" in message
    assert User.objects.get(pk=user.pk).avatar_file == ""
    told = [record for record in caplog.records if record.name == "core.lib.object_store"]
    assert len(told) == 2
    assert "Traceback" not in caplog.text


def test_few_threads_wait_for_the_store_and_others_are_refused_at_once(stranger, silent, use):
    use(url_of(silent), "&timeout=60")
    with waiting(silent, lambda: ApiClient("").get(PATH)) as acts:
        assert_asked_later(stranger.get(PATH))
        assert stranger.get("/media/avatars/default.png").status_code == 200
        silent.setblocking(False)
        with pytest.raises(BlockingIOError):
            silent.accept()
    for act in acts:
        assert_asked_later(act.result())


def test_after_a_failure_the_store_is_asked_again(silent, use):
    use(url_of(silent), "&timeout=60")
    with waiting(silent, lambda: ApiClient("").get(PATH)):
        pass
    served = ask_while_answering(silent, b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\npicture")
    assert (served.status_code, served.content) == (200, b"picture")


@pytest.mark.parametrize(("status", "served"), [(500, 503), (502, 503), (503, 503), (404, 404), (403, 503)])
def test_a_store_that_answers_with_a_failure_of_its_own_is_503(silent, use, status, served):
    use(url_of(silent), "&timeout=60")
    answer = f"HTTP/1.1 {status} Harbour\r\nContent-Length: 0\r\n\r\n".encode()
    assert ask_while_answering(silent, answer).status_code == served


def test_a_file_that_breaks_off_is_503(silent, use):
    use(url_of(silent), "&timeout=60")
    assert_asked_later(ask_while_answering(silent, b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npic"))


@pytest.mark.django_db(transaction=True)
def test_few_threads_write_to_the_store_and_others_are_refused_and_change_nothing(api, silent, use, caplog):
    use(url_of(silent), "&timeout=60")
    user, leaving = UserFactory(), UserFactory(avatar_file=PATH.removeprefix("/media/"))
    with waiting(silent, lambda: default_storage.save("a.png", ContentFile(b"x"))) as acts:
        refused = upload(api, user.pk, file_part(PNG))
        assert_error(refused, 429, "busy")
        assert refused.headers["Retry-After"] == "1"
        assert api.delete(f"/api/v1/users/{leaving.pk}").status_code == 200
    assert f"The avatar {leaving.avatar_file} could not be deleted" in caplog.text
    assert User.objects.get(pk=user.pk).avatar_file == ""
    assert {type(act.exception()) for act in acts} == {StorageUnavailable}


# ---- A real server


@pytest.fixture(scope="session")
def serving(installation, running_store):
    """A server that keeps pictures in the store, the headers with its key, and the path of a user's avatar."""
    token = installation.manage("create_api_key", "pictures", "--scope", "Users")
    settings = {"CMS_MEDIA_STORAGE": storage_address(running_store), "CMS_AVATAR_MAX_BYTES": "100000"} | CREDENTIALS
    with installation.serve(**settings) as server, server.client(token) as client:
        user = client.users.create({"userName": "pictured", "password": "harbour1"})
        yield server, {"X-SS-API-KEY": token, "Content-Type": FORM}, f"/api/v1/users/{user['id']}/avatar"


@pytest.mark.large
@pytest.mark.parametrize("chunked", [False, True])
def test_a_real_server_takes_pictures_and_serves_them(serving, chunked):
    server, headers, path = serving
    body = form(file_part(PNG))
    answer = server.request("POST", path, [body[:100], body[100:]] if chunked else body, headers)
    url = answer.json()["value"]["avatarUrl"]
    assert server.request("GET", path).json()["value"] == url
    served = server.request("GET", url[url.index("/media/") :])
    assert (served.status_code, opened(served.content).size) == (200, (40, 30))
    asked = server.request("HEAD", url[url.index("/media/") :])
    assert (asked.status_code, asked.content) == (200, b"")
    assert asked.headers["Content-Length"] == served.headers["Content-Length"]
    assert "body bytes on a no-body response" not in server.log


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(("size", "code"), [(100_001, "file_too_large"), (20_000_000, "body_too_large")])
def test_a_real_server_answers_a_client_that_sends_too_much(serving, size, code, chunked):
    server, headers, path = serving
    body = form(file_part(bytes(size)))
    parts = [body[start : start + 65_536] for start in range(0, len(body), 65_536)]
    answer = server.request("POST", path, parts if chunked else body, headers | {"Connection": "close"})
    assert_error(answer, 413, code)
    assert server.request("GET", "/api/v1/ping").content == b"pong"
