"""The contracts of imports in setup.cfg cover the packages of the service."""

import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from core.rest.conditional import DECIDING
from tools.packages import PACKAGES, ROOT
from tools.programs import SECONDS

CONFIGURATION = ConfigParser()
CONFIGURATION.read(ROOT / "setup.cfg")


def listed(section, name):
    return {entry for line in CONFIGURATION[section][name].split("\n") for entry in line.replace("|", " ").split()}


@pytest.mark.parametrize(
    ("section", "name"), [("importlinter", "root_packages"), ("importlinter:contract:house", "layers")]
)
def test_a_new_package_has_its_place(section, name):
    assert listed(section, name) == set(PACKAGES)


def test_a_package_changes_etags_or_decides_no_response():
    assert set(PACKAGES) - set(DECIDING) == {"migration", "server", "transfer"}


def test_each_part_of_core_is_in_a_layer():
    parts = {path.stem for path in (ROOT / "core").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    layered = {each.split(".")[1] for each in listed("importlinter:contract:core", "layers")}
    # What Django loads, and apps that import from several layers and that only apps import.
    assert parts - layered == {
        "__init__",
        "apps",
        "registrations",
        "migrations",
        "templatetags",
        "mail",
        "notifications",
    }


@pytest.mark.large
def test_a_module_that_imports_upwards_breaks_a_contract(tmp_path):
    written = {
        "core/greeting.py": "from contents.models import Content",
        "core/lib/greeting.py": "import core.rest.json",
        "sites/greeting.py": "import cms_api.settings",
        "server/greeting.py": "from cms_api import urls",
        "contents/greeting.py": "from transfer import names",
        "apikeys/greeting.py": "import accounts.models",
        "sql_sandbox/greeting.py": "import django",
    }
    for package in PACKAGES:
        modules = (path for path in (ROOT / package).rglob("*.py") if "node_modules" not in path.parts)
        for path in modules:
            copy = tmp_path / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    shutil.copy(ROOT / "setup.cfg", tmp_path)
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=SECONDS).returncode == 0
    for name, line in written.items():
        (tmp_path / name).write_text(f"{line}\n", encoding="utf-8")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS)
    told = done.stdout.partition("Broken contracts")[2]
    modules = [name.removesuffix(".py").replace("/", ".") for name in written]
    assert [name for name in modules if f"{name} ->" not in told] == []
