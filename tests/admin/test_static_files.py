"""Style sheets and scripts: every node serves those of its code, and of other releases during an update."""

import json
import os
import re
from contextlib import closing
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.http import Http404, HttpResponse
from django.test import RequestFactory

from cms_api.checks import check_static_files
from core.admin import static_files
from tools.packages import PACKAGES, ROOT

OLD, NEW = "a { color: red }", "a { color: blue }"


class Release:
    """Code with a script and a style sheet that refers to it."""

    def __init__(self, folder):
        self.style = folder / "frame.css"
        (folder / "mark.svg").write_text("<svg/>")
        self.deploy(OLD)

    def deploy(self, text):
        """Install a style sheet that is older than all that was ever collected, as unpacked archives are."""
        self.style.write_text(f'{text} b {{ background: url("mark.svg") }}')
        os.utime(self.style, (1_000_000_000, 1_000_000_000))


@pytest.fixture
def release(settings, tmp_path):
    for name in ("code", "static"):
        (tmp_path / name).mkdir()
    settings.STATICFILES_DIRS, settings.STATIC_ROOT = [tmp_path / "code"], tmp_path / "static"
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    return Release(tmp_path / "code")


def collect():
    static_files.collect_if_needed()
    return staticfiles_storage.stored_name("frame.css")


def node():
    """A node that starts now."""

    def no_file(_request):
        raise Http404

    return static_files.StaticFilesMiddleware(no_file)


def ask(node, name, **headers):
    try:
        response = node(RequestFactory().get(f"/static/{name}", headers=headers))
    except Http404:
        return HttpResponse(status=404)
    with closing(response):
        return HttpResponse(response.getvalue(), status=response.status_code, headers=dict(response.headers))


def test_files_are_collected_once_and_again_when_the_code_differs(release, settings):
    assert not static_files.is_collected()
    old = collect()
    assert re.fullmatch(r"frame\.[0-9a-f]{12}\.css", old)
    assert static_files.is_collected() and check_static_files() == []
    collected_at = (settings.STATIC_ROOT / old).stat().st_ino
    assert collect() == old and (settings.STATIC_ROOT / old).stat().st_ino == collected_at
    release.deploy(NEW)
    (warning,) = check_static_files()
    assert warning.msg == "The style sheets and scripts of this code have not been collected."
    new = collect()
    assert new != old and check_static_files() == []
    assert [OLD in (settings.STATIC_ROOT / name).read_text() for name in (old, new)] == [True, False]
    assert not list(settings.STATIC_ROOT.parent.glob(".static-*"))


@pytest.mark.parametrize("harm", ["manifest", "hashed", "half"])
def test_what_a_killed_process_left_is_collected_again(release, settings, harm):
    name = {"manifest": "staticfiles.json", "hashed": collect(), "half": "staticfiles.json"}[harm]
    collect()
    if harm == "half":
        (settings.STATIC_ROOT / name).write_text('{"paths": {')
    else:
        (settings.STATIC_ROOT / name).unlink()
    assert not static_files.is_collected()
    assert re.fullmatch(r"frame\.[0-9a-f]{12}\.css", collect())
    assert static_files.is_collected()


def test_files_seem_collected_only_once_pages_have_them(release, settings, monkeypatch):
    collect()
    release.deploy(NEW)
    real, seen = Path.replace, []

    def replace(path, target):
        moved = real(path, target)
        if target.name.startswith(("frame.", "staticfiles.")):
            named = json.loads((settings.STATIC_ROOT / "staticfiles.json").read_text())["paths"]["frame.css"]
            seen.append((static_files.is_collected(), NEW in (settings.STATIC_ROOT / named).read_text()))
        return moved

    monkeypatch.setattr(Path, "replace", replace)
    collect()
    assert (False, False) in seen and (True, True) in seen and (True, False) not in seen


def test_the_command_collects_files_that_are_older_than_those_collected_last(release):
    call_command("collectstatic", interactive=False, verbosity=0)
    release.deploy(NEW)
    call_command("collectstatic", interactive=False, verbosity=0)
    assert static_files.is_collected()


@pytest.mark.django_db
def test_files_collected_since_the_start_are_served(release):
    old, running = collect(), node()
    release.deploy(NEW)
    new = collect()
    assert [NEW in ask(running, name).text for name in (old, new)] == [False, True]
    assert ask(running, new).headers["Cache-Control"].startswith("max-age=")
    assert [NEW in ask(node(), name).text for name in (old, new)] == [False, True]
    assert ask(running, new, **{"Accept-Encoding": "gzip"}).status_code == 200


@pytest.mark.django_db
def test_a_hash_of_another_release_is_answered_with_the_own_file_and_not_kept(release):
    collect()
    answer = ask(node(), "frame.0123456789ab.css")
    assert answer.status_code == 200 and OLD in answer.text
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("name", [
    "none.css",
    "none.0123456789ab.css",
    "frame.0123456789.css",
    "../code/frame.css",
    "x/../frame.css",
    "",
    "\0",
    "a" * 5000,
    "frame.css/",
])  # fmt: skip
def test_other_files_are_not_found(release, name):
    collect()
    assert ask(node(), name).status_code == 404


def test_each_file_that_a_template_names_is_there():
    named = re.compile(r"""{%\s*static\s+["']([^"']+)["']""")
    templates = [path for package in PACKAGES for path in (ROOT / package).rglob("*.html")]
    wanted = {name for path in templates for name in named.findall(path.read_text(encoding="utf-8"))}
    assert len(wanted) > 10
    assert sorted(name for name in wanted if finders.find(name) is None) == []
