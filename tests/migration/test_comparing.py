"""--compare: responses of the original's API, here those of a small server, beside our own."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from channels_app.models import Channel
from contents.models import Content
from tests.migration.installations.small import API_KEY, small_tables
from tests.migration.installations.writers import write_backup_folder

pytestmark = pytest.mark.django_db(transaction=True)
SECRET = "vEnfkn16t8aeaZKG3a4Gl9UUlzf4vgqU9xwh8ZV5"


@contextmanager
def original(answer):
    """Serve the JSON that a function returns for a path, or nothing with status 404."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            found = answer(self.path.removeprefix("/api/"), self.headers["X-SS-API-KEY"])
            body = json.dumps(found or {"message": "not found"}).encode()
            self.send_response(200 if found else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments): ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/api"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def migrate(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    write_backup_folder(small_tables(), tmp_path / "backup")
    (tmp_path / "key").write_text(SECRET)

    def run(*arguments):
        common = ["--with-keys", "--secret-key-file", str(tmp_path / "key"), "--report", str(tmp_path / "report")]
        call_command("migrate_siteserver", str(tmp_path / "backup"), *common, *arguments)
        return json.loads((tmp_path / "report" / "report.json").read_text())

    return run


def test_members_that_differ_are_findings(migrate):
    migrate()
    places = Content.objects.live().values_list("site_id", "channel_id", "pk")
    paths = [f"v1/contents/{site_id}/{channel_id}/{pk}" for site_id, channel_id, pk in places]
    paths += [f"v1/channels/{site_id}/{pk}" for site_id, pk in Channel.objects.values_list("site_id", "pk")]
    ours = {path: Client().get(f"/api/{path}", headers={"X-SS-API-KEY": API_KEY}).json() for path in paths}
    renumbered = next(pk for pk in Content.objects.values_list("pk", flat=True) if pk > 100_000)
    asked = []

    def answer(path, key):
        asked.append(path)
        assert key == API_KEY
        found = ours.get(path) or ours.get(path.rpartition("/")[0] + f"/{renumbered}")
        return found and {"value": found["value"] | {"author": "Another"} if path.endswith("/2/1") else found["value"]}

    with original(answer) as address:
        report = migrate("--compare", address, "--key", API_KEY)
    assert "v1/contents/36/37/1" in asked  # by its id there
    (found,) = [each for each in report["findings"] if each["finding"] == "A response differs in author."]
    assert found["places"] == ["v1/contents/1/2/1: 'Another' there, '' here"]


def test_an_original_that_does_not_answer_is_told(migrate):
    with original(lambda path, key: None) as address:
        pass
    with pytest.raises(CommandError, match="does not answer as an API"):
        migrate("--compare", address, "--key", API_KEY)
    with pytest.raises(CommandError, match="begins with http"):
        migrate("--compare", "file:///etc/passwd", "--key", API_KEY)
