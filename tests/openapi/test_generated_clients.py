"""Common generators make clients of the document: openapi-python-client, and openapi-typescript for `tsc --strict`."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.openapi.views import FILE
from tests.openapi.documents import operations
from tools.programs import SECONDS
from tools.servers import Installation

pytestmark = pytest.mark.large

TYPESCRIPT = Path(__file__).with_name("typescript")
# Reads whole records, and an error.
PROGRAM = """
import sys
from generated.api.contents import get_content, list_contents
from generated.client import Client
from generated.models import ContentListRequest, ErrorCode, Operator, Where

client = Client(sys.argv[1], headers={"X-SS-API-KEY": sys.argv[2]})
rules = [Where(column="title", operator=Operator.CONTAINS, value="harbour")]
listed = list_contents.sync(client=client, body=ContentListRequest(site_id=1, wheres=rules, per_page=1))
first = listed.contents[0]
assert "harbour" in first.title.casefold(), first.title
assert get_content.sync(first.site_id, first.channel_id, first.id, client=client).value.title == first.title
assert get_content.sync(1, 11, 999999, client=client).code is ErrorCode.CONTENT_NOT_FOUND
"""


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """The folder with the package that openapi-python-client has made, and what it has written besides."""
    folder = tmp_path_factory.mktemp("python")
    programs = Path(sys.executable).parent
    command = [programs / "openapi-python-client", "generate", "--meta", "none"]
    command += ["--path", FILE, "--output-path", folder / "generated"]
    # It formats the package with ruff, which it looks for in the path.
    environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS)
    return folder, done.stdout + done.stderr


@pytest.mark.large
def test_a_python_client_has_all_operations_without_a_warning(generated):
    folder, written = generated
    assert re.fullmatch(r"Generating \S+\s*", written), written
    made = {path.stem for path in (folder / "generated" / "api").glob("*/[!_]*.py")}
    assert {name.replace("_", "") for name in made} == {each["operationId"].lower() for _, _, each in operations()}


@pytest.mark.large
def test_a_python_client_reads_records_and_errors(generated, tmp_path):
    installation = Installation(tmp_path, sample_site=True)
    key = installation.manage("create_api_key", "generated", "--all-scopes")
    with installation.serve() as server:
        command = [sys.executable, "-c", PROGRAM, server.address, key]
        done = subprocess.run(command, cwd=generated[0], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr


@pytest.mark.large
def test_a_typescript_program_compiles_strictly(tmp_path):
    if shutil.which("npm") is None:
        assert os.environ.get("CI") != "true", "npm is not installed."
        pytest.skip("npm is not installed.")
    shutil.copytree(TYPESCRIPT, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
    for command in (
        "npm ci --ignore-scripts --no-audit --no-fund",
        f"node_modules/.bin/openapi-typescript {FILE} --output api.d.ts",
        "node_modules/.bin/tsc",
    ):
        done = subprocess.run(command.split(), cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stdout + done.stderr
