"""The lines of the README run as they are printed, in their order, against a real server."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import Installation
from tests.transfer.packages import Template

ROOT = Path(__file__).resolve().parent.parent
REAL_TEMPLATE = ROOT.parent / "shared" / "site-templates" / "T_aeson"
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST_STEPS = README.split("\n## First steps\n", 1)[1].split("\n## ", 1)[0]
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", FIRST_STEPS, re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="the lines need curl")


@pytest.fixture
def template(tmp_path):
    """A site template: a real one where it is at hand."""
    if REAL_TEMPLATE.is_dir():
        return REAL_TEMPLATE
    return Template().write_folder(tmp_path / "T_mysite")


def test_the_first_steps_run_as_printed(tmp_path, template):
    installation = Installation(tmp_path / "data")
    installation.manage("load_sample_site")
    key = installation.manage("create_api_key", "sample", "--all-scopes")
    with installation.serve() as server:
        for block in BLOCKS:
            script = as_script(block, key, server.port, template)
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script],
                cwd=ROOT,
                env=installation.environment,
                capture_output=True,
                text=True,
                timeout=60,
            )
            assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
            check_answers(block, done.stdout)


def check_answers(block, output):
    """Each line of the block but the ping has an object for an answer, and what pages are made of is not empty."""
    commands = [command for command in block.split("curl ")[1:] if "/ping" not in command]
    answers = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    assert len(answers) == len(commands)
    for command, answer in zip(commands, answers, strict=True):
        # What an imported site has depends on the template.
        if "/stl/" in command and "siteId=25" not in command:
            assert answer["value"], command
        if "/sqlContents" in command:
            assert all(answer["value"]), command


def as_script(block, key, port, template):
    """The block with what differs here put in; an error status of curl ends it."""
    return f"KEY={key}\n" + (
        block.replace("KEY=ssk1_…\n", "")
        .replace("127.0.0.1:8000", f"127.0.0.1:{port}")
        .replace("path/to/T_mysite", str(template))
        .replace(".venv/bin/python", sys.executable)
        .replace("curl ", "curl --silent --show-error --fail-with-body --write-out '\\n' ")
    )
