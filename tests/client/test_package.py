"""The distribution: built from the folder, and imported where there is nothing of the project."""

import importlib.util
import os
import subprocess
import sys
from email.parser import Parser
from zipfile import ZipFile

import cms_client
import pytest

from tools.servers import ROOT

FOLDER = ROOT / "client"
USE = """
import cms_client, inspect
assert cms_client.__file__.startswith({root!r}), cms_client.__file__
print(cms_client.Client("http://127.0.0.1:1", "key"))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, made without network where its builder is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    offline = ["--no-build-isolation"] if importlib.util.find_spec("flit_core") else []
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", *offline, "--wheel-dir", folder, FOLDER]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode and not offline:
        pytest.skip(f"flit_core is neither installed nor to be had: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return next(folder.glob("cms_api_client-*.whl"))


@pytest.mark.large
def test_the_wheel_says_what_it_is(wheel):
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = [name for name in names if name.endswith("/METADATA")]
        told = Parser().parsestr(archive.read(metadata).decode())
    assert (told["Name"], told["Version"]) == ("cms-api-client", cms_client.__version__)
    assert told["Requires-Python"] == ">=3.11"
    assert [each.split()[0] for each in told.get_all("Requires-Dist")] == ["httpx"]
    assert "cms_client/py.typed" in names
    assert any(name.endswith("LICENSE") for name in names)
    assert {name for name in names if name.startswith("cms_client/")} == {
        path.relative_to(FOLDER / "src").as_posix()
        for path in (FOLDER / "src" / "cms_client").iterdir()
        if path.suffix in {".py", ".typed"}
    }


@pytest.mark.large
def test_it_is_installed_and_imported_apart_from_the_project(wheel, tmp_path):
    place = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", place], check=True, timeout=120)
    python = place / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(install, check=True, timeout=120)
    # httpx of this environment, since its own would come by network.
    httpx = str(ROOT / next(iter(importlib.util.find_spec("httpx").submodule_search_locations)) / "..")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [python, "-c", f"import sys; sys.path.append({httpx!r})\n" + USE.format(root=str(place))],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "Client('http://127.0.0.1:1/api/v1')"


def test_its_licence_is_the_projects():
    assert (FOLDER / "LICENSE").read_text(encoding="utf-8") == (ROOT / "LICENSE").read_text(encoding="utf-8")
