"""A request leaves nothing behind that only the collector of garbage could free.

Measured in a process of its own, as the server runs: Django's test client makes circles itself.
"""

import json
import subprocess
import sys

import pytest

from tools.servers import ROOT

SCRIPT = """
import gc, io, json, sys
from cms_api.wsgi import application
from apikeys import grants

# A key is looked up once a second, and Django's select_related leaves a small circle each time.
grants._SECONDS = 3600

def request(token, method, path, body):
    environ = {
        "REQUEST_METHOD": method, "PATH_INFO": path.partition("?")[0],
        "QUERY_STRING": path.partition("?")[2], "CONTENT_LENGTH": str(len(body)),
        "HTTP_HOST": "localhost", "HTTP_X_SS_API_KEY": token, "REMOTE_ADDR": "127.0.0.1",
        "SERVER_NAME": "localhost", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.errors": sys.stderr, "wsgi.input": io.BytesIO(body.encode()), "wsgi.url_scheme": "http",
    }
    statuses = []
    answer = application(environ, lambda status, headers, error=None: statuses.append(status[:3]))
    list(answer)
    answer.close()
    return statuses[0]

found = []
for asked in json.loads(sys.argv[1]):
    request(*asked)  # whatever is made once
    gc.collect()
    gc.disable()
    found.append([request(*asked), gc.collect()])
    gc.enable()
print(json.dumps(found))
"""


@pytest.mark.large
def test_no_circle_is_left(installation):
    site = installation.create_site("Garbage")
    token = installation.manage("create_api_key", "garbage", "--all-scopes")
    requests = [
        (token, "GET", f"/api/v1/channels/{site}/{site}", ""),
        (token, "POST", "/api/v1/contents", f'{{"siteId": {site}}}'),
        (token, "POST", f"/api/v1/contents/{site}/{site}", '{"title": "x"}'),
        (token, "GET", f"/api/v1/contents/{site}/{site}/0", ""),
        (token, "GET", "/api/v1/stl/sites", ""),
        ("", "GET", "/api/v1/stl/sites", ""),
        (token, "GET", "/api/v1/users?keyword=x&isChecked=true", ""),
        (token, "POST", "/api/v1/users", '{"userName": "garbage", "password": "weak"}'),
        ("", "POST", "/api/v1/users/actions/login", '{"account": "garbage", "password": "wrong"}'),
    ]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(requests)],
        cwd=ROOT,
        env=installation.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        [status, 0] for status in ("200", "200", "200", "404", "200", "401", "200", "400", "400")
    ]
