"""The pages for newcomers while the database is away: a real server, on a port where nothing listens."""

import re
import socket

import pytest

from tests.start_page.conftest import write
from tools.servers import Installation

pytestmark = pytest.mark.large
SIGNED_IN = {"Cookie": "cms_session=abcdefghijklmnopqrstuvwxyz123456"}


@pytest.fixture(scope="session")
def without_database(tmp_path_factory):
    """A server with a small site of documentation, and without its database."""
    documentation = tmp_path_factory.mktemp("documentation")
    (documentation / "reference").mkdir()
    write(documentation)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    installation = Installation(tmp_path_factory.mktemp("without_database"), administrator=False)
    settings = {
        "CMS_DATABASE_URL": f"postgres://cms@127.0.0.1:{port}/cms",
        "CMS_WORKERS": "1",
        "CMS_TEST_DOCUMENTATION": str(documentation),
        "DJANGO_SETTINGS_MODULE": "tests.browser.documentation_settings",
    }
    with installation.serve(**settings) as server:
        yield server


@pytest.mark.parametrize("headers", [{}, SIGNED_IN], ids=["stranger", "signed in"])
def test_the_start_page_says_that_the_service_is_not_ready(without_database, headers):
    answer = without_database.request("GET", "/", headers=headers)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "The service is not ready." in page
    assert re.findall(r'<li><a href="([^"]+)"', page) == ["/api/docs/", "/admin/", "/docs/"]


@pytest.mark.parametrize("headers", [{}, SIGNED_IN], ids=["stranger", "signed in"])
@pytest.mark.parametrize(
    "place", ["/api/docs/", "/api/v1/openapi.json", "/docs/", "/docs/reference/", "/docs/style.css"]
)
def test_what_needs_no_database_is_there(without_database, place, headers):
    assert without_database.request("GET", place, headers=headers).status_code == 200


def test_what_may_be_a_file_of_a_site_is_not_said_to_be_missing(without_database):
    answer = without_database.request("GET", "/docs/upload/plan.txt")
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0


def test_nobody_signs_in_meanwhile(without_database):
    assert without_database.request("GET", "/admin/", headers=SIGNED_IN).status_code == 503
