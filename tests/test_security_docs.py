"""What docs/security.md says is so: its tests exist, answers have the headers, nothing else opens connections."""

import ast
import re
from pathlib import Path

import pytest

from tests.factories import SiteFactory
from tools.packages import PACKAGES

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
# What speaks HTTP, FTP or SMTP. Database and cache have protocols of their own, and addresses that are settings.
CLIENTS = {
    "aiohttp", "boto3", "botocore", "ftplib", "http.client", "httpx", "imaplib", "poplib", "requests", "sentry_sdk",
    "smtplib", "telnetlib", "urllib.request", "urllib3", "xmlrpc",
}  # fmt: skip
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@pytest.mark.parametrize("path", sorted({path for path, _ in NAMED}))
def test_a_test_that_the_page_names_exists(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    there = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert {name for file, name in NAMED if file == path} - there == set()


def test_each_of_the_ten_items_names_tests():
    sections = re.split(r"^### (API\d+) ", PAGE, flags=re.MULTILINE)
    named = {title: text.count("`tests/") for title, text in zip(sections[1::2], sections[2::2], strict=True)}
    assert list(named) == [f"API{number}" for number in range(1, 11)]
    assert all(named.values())


@pytest.mark.parametrize("page", ["SECURITY.md", "docs/security.md"])
def test_a_link_leads_to_a_file(page):
    path = ROOT / page
    links = re.findall(r"\]\(([^)#:]+)[^)]*\)", path.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/v1/ping", "/api/v1/nothing", "/api/v1/channels/1"])
def test_answers_of_the_api_have_the_headers(api, path):
    SiteFactory()
    answer = api.get(path)
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert answer.headers["X-Request-Id"]
    assert "Set-Cookie" not in answer.headers


def imported(tree):
    """The modules that a file imports, with those it imports by a text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
            yield from (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))


def opens_connections(path):
    names = set(imported(ast.parse(path.read_text(encoding="utf-8"))))
    return {client for client in CLIENTS if any(name == client or name.startswith(f"{client}.") for name in names)}


# module: what it speaks to, by an address out of the settings
ALLOWED = {
    "core/lib/media_storage.py": {"boto3", "botocore"},  # CMS_MEDIA_STORAGE
    "core/lib/object_store.py": {"botocore"},
    "core/lib/pinned_connection.py": {"http.client"},  # URLs of webhooks, sourceUrl and links, at checked addresses
    "core/mail/sending.py": {"smtplib"},  # CMS_EMAIL_URL
    "core/operation/logs/sentry.py": {"sentry_sdk"},  # CMS_SENTRY_DSN
    "migration/comparing.py": {"urllib.request"},  # `migrate_siteserver --compare URL`
}


def test_only_these_modules_open_connections():
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            if "node_modules" not in path.parts and (clients := opens_connections(path)):
                found[str(path.relative_to(ROOT))] = clients
    assert found == ALLOWED
