"""The service runs without tests, tools and what only the development installs."""

import ast
import re
from importlib.metadata import packages_distributions

import pytest

from tools.dependency_audit import pins
from tools.packages import PACKAGES, ROOT

INSTALLED = {
    name
    for file in ("requirements.txt", "requirements-migration.txt")
    for name, _ in pins((ROOT / file).read_text(encoding="utf-8"))
}
OF_DEVELOPMENT = {"tests", "tools", "benchmarks"} | {
    module
    for module, distributions in packages_distributions().items()
    if INSTALLED.isdisjoint(re.sub(r"[-_.]+", "-", each).lower() for each in distributions)
}
FILES = [
    ROOT / "manage.py",
    *ROOT.glob("deploy/*.py"),
    *(each for name in PACKAGES for each in ROOT.glob(f"{name}/**/*.py")),
]


def strangers(text):
    """The modules of the development that a source imports, or names as a text."""
    return [name for name in _names(ast.parse(text)) if name.partition(".")[0] in OF_DEVELOPMENT]


def _names(tree):
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from (each.name for each in node.names)
            case ast.ImportFrom(module=str(name), level=0):
                yield name
            case ast.Constant(value=str(name)) if re.fullmatch(r"\w+(\.\w+)+", name):
                yield name


def test_the_service_imports_nothing_of_the_development():
    found = {path.relative_to(ROOT).as_posix(): strangers(path.read_text(encoding="utf-8")) for path in FILES}
    assert len(found) > 500
    assert {path: names for path, names in found.items() if names} == {}


def test_tools_import_nothing_of_tests():
    found = {name for path in ROOT.glob("tools/**/*.py") for name in strangers(path.read_text(encoding="utf-8"))}
    assert "tools.packages" in found
    assert [name for name in found if name.partition(".")[0] == "tests"] == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import tests", "tests"),
        ("from tools.packages import ROOT", "tools.packages"),
        ("def late():\n    import drf_spectacular.openapi", "drf_spectacular.openapi"),
        ("import_module('tools.openapi')", "tools.openapi"),
    ],
)
def test_an_import_of_the_development_is_found(text, name):
    assert strangers(text) == [name]


@pytest.mark.parametrize(
    "text", ["import django, sites", "from . import tools", "'tools'", "import drf_spectacular_sidecar"]
)
def test_other_names_are_not(text):
    assert strangers(text) == []
