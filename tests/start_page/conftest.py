"""What tests of the pages for newcomers share."""

import pytest
from django.urls import get_script_prefix, set_script_prefix

from core.operation import health


@pytest.fixture(autouse=True)
def found_anew(monkeypatch):
    """Each page looks for itself how the server is, and has time for it on a machine that is busy with other tests."""
    monkeypatch.setattr(health, "KEPT", 0.0)
    monkeypatch.setattr(health, "PATIENCE", 30.0)
    health.forget()
    yield
    health.forget()


@pytest.fixture
def built(settings, tmp_path):
    """A small site of documentation in the place of the built one; the folder."""
    settings.DOCUMENTATION_ROOT = tmp_path / "site"
    (settings.DOCUMENTATION_ROOT / "reference").mkdir(parents=True)
    write(settings.DOCUMENTATION_ROOT)
    return settings.DOCUMENTATION_ROOT


def write(folder):
    page = "<!doctype html><html lang=en><script>begin()</script><p>Harbour</p></html>"
    (folder / "index.html").write_text(page)
    (folder / "reference" / "index.html").write_text("<p>Reference</p>")
    (folder / "style.css").write_text("p {}")
    (folder / "search.js").write_text("search()")
    (folder / "map.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (folder / "search_index.json").write_text("{}")
    (folder / ".hidden").write_text("hidden")


@pytest.fixture
def not_built(settings, tmp_path):
    """No documentation."""
    settings.DOCUMENTATION_ROOT = tmp_path / "nowhere"


@pytest.fixture
def below_prefix():
    """The service below `/cms/` of its host, as the server tells Django with each request."""
    before = get_script_prefix()
    set_script_prefix("/cms/")
    yield {"SCRIPT_NAME": "/cms"}
    set_script_prefix(before)
