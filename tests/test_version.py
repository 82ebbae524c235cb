"""The version is stated once, in core/__init__.py, and shown everywhere else."""

import json
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from django.core.management import call_command

from core import __version__

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("argument", ["version", "--version"])
def test_the_command_prints_it(argument):
    done = subprocess.run([sys.executable, "manage.py", argument], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"{__version__}\n"


@pytest.mark.django_db
def test_doctor_begins_with_it(capsys):
    with suppress(SystemExit):  # 1 if something is wrong
        call_command("doctor")
    assert capsys.readouterr().out.startswith(f"Version {__version__}\n")


def test_the_document_has_it():
    document = json.loads((ROOT / "core/openapi/openapi.json").read_text(encoding="utf-8"))
    assert document["info"]["version"] == __version__


@pytest.mark.django_db
def test_the_start_page_shows_it(client):
    assert f"Version {__version__}" in client.get("/", headers={"Accept-Language": "en"}).content.decode()


def test_the_clients_and_the_changelog_have_the_same():
    client_module = (ROOT / "client/src/cms_client/__init__.py").read_text(encoding="utf-8")
    assert f'__version__ = "{__version__}"' in client_module
    for file in ("package.json", "package-lock.json"):
        assert json.loads((ROOT / "client-ts" / file).read_text(encoding="utf-8"))["version"] == __version__
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(__version__)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE)
