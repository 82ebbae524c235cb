"""Follows the recipes of CONTRIBUTING.md in a copy of the project: the files that they name are all that must change.

A recipe begins with one edit, after which tests must fail. With its other edits, and after the commands that it names,
they must pass, and nothing may have changed but the files of the edits and what the commands write.
"""

import io
import os
import re
import subprocess
import sys
from hashlib import sha256
from shutil import copy2
from typing import NamedTuple

import pytest
from babel.messages.pofile import read_po

from tools.messages import as_text, locales, source
from tools.packages import ROOT

OPENAPI, REFERENCE, MESSAGES, TYPES = "make openapi", "make reference", "make messages", "npm run types"
MIGRATION = "manage.py makemigrations contents"
MADE = re.compile(
    r"docs/reference/.+|core/openapi/.+\.json|tools/openapi/examples\.json|cms_api/locale/.+|contents/migrations/.+"
    r"|client-ts/src/openapi\.ts"
)
CATALOGUES = {locale: source(locale).relative_to(ROOT) for locale in locales()}
_LEFT_OUT = {".pytest_cache", ".hypothesis", ".mypy_cache", ".ruff_cache", "__pycache__", "node_modules", "data"}


class Copy:
    """The files of the project that git has or would add, in a folder of their own."""

    def __init__(self, folder):
        self.folder = folder
        names = _run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], ROOT).splitlines()
        for path in (ROOT / name for name in names):
            if path.is_file():
                target = folder / path.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                copy2(path, target)
        (folder / "client-ts" / "node_modules").symlink_to(ROOT / "client-ts" / "node_modules")
        self._before = self._digests()

    def edit(self, edits):
        """Insert texts: file, the text before, the new one."""
        for name, before, new in edits:
            path = self.folder / name
            text = path.read_text(encoding="utf-8")
            assert text.count(before) == 1, (name, before)
            path.write_text(text.replace(before, before + new), encoding="utf-8")

    def make(self, command):
        if command == TYPES:
            _run(["npm", "run", "--silent", "types"], self.folder / "client-ts")
        elif command == MIGRATION:
            _run([sys.executable, *command.split()], self.folder)
        else:
            _run([sys.executable, "-m", f"tools.{command.removeprefix('make ')}"], self.folder)
        if command == MESSAGES:
            self._translate()

    def failure(self, tests):
        """What pytest prints if a test fails, else an empty text."""
        command = [sys.executable, "-m", "pytest", "-x", "-m", "not large", "--tb=short", *tests]
        done = subprocess.run(command, cwd=self.folder, env=_environment(), capture_output=True, text=True, check=False)
        assert done.returncode in {0, 1}, done.stdout + done.stderr
        return done.stdout if done.returncode else ""

    def changed(self):
        after = self._digests()
        return {name for name in after.keys() | self._before.keys() if after.get(name) != self._before.get(name)}

    def _translate(self):
        for locale, catalogue_path in CATALOGUES.items():
            path = self.folder / catalogue_path
            catalogue = read_po(io.BytesIO(path.read_bytes()), locale=locale)
            for message in catalogue:
                if message.id and not message.string:
                    message.string = "某"
            path.write_bytes(as_text(catalogue))
        _run([sys.executable, "-m", "tools.messages"], self.folder)

    def _digests(self):
        return {
            str(path.relative_to(self.folder)): sha256(path.read_bytes()).digest()
            for path in self.folder.rglob("*")
            if path.is_file() and _LEFT_OUT.isdisjoint(path.relative_to(self.folder).parts)
        }


def _run(command, folder):
    done = subprocess.run(command, cwd=folder, env=_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _environment():
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV", "CMS_"))}


class Recipe(NamedTuple):
    """Of a recipe: edits as `Copy.edit` takes them, the first one apart; the commands; tests that notice."""

    first: tuple[str, str, str]
    others: list[tuple[str, str, str]]
    commands: list[str]
    tests: list[str]


RECIPES = {
    "A setting": Recipe(
        (
            "cms_api/environment.py",
            '    "Access to the service": {\n',
            '        "CMS_EXAMPLE_SECONDS": Setting(int, 5, "Seconds of an example.", least=1, most=60),\n',
        ),
        [],
        [REFERENCE],
        [
            "tests/test_settings.py::test_every_number_has_a_range_or_a_reason_for_having_no_upper_end",
            "tests/reference",
        ],
    ),
    "An endpoint": Recipe(
        (
            "contents/urls.py",
            '    path("sites/<id:site_id>/fields", fields.FieldsView.as_view()),\n',
            '    path("sites/<id:site_id>/fields/names", fields.FieldNamesView.as_view()),\n',
        ),
        [
            (
                "contents/api/fields.py",
                '_COLUMNS = ("id", "name", "label", "kind", "choices", "help_text", "taxis", "is_offered")\n',
                "\n\n"
                "class FieldNamesView(ApiView):\n"
                '    required_scope = "Contents"\n\n'
                "    def get(self, request: Request, site_id: int) -> Response:\n"
                "        require_site(site_id)\n"
                "        names = describable_fields(site_id).values_list('name', flat=True)\n"
                "        return Response(list(names))\n",
            ),
            (
                "contents/api/fields.py",
                "from rest_framework.request import Request\n",
                "from rest_framework.response import Response\n",
            ),
            (
                "contents/registrations.py",
                '    ("GET", "/sites/{siteId}/fields"): _("lists the custom fields of the contents of a site"),\n',
                '    ("GET", "/sites/{siteId}/fields/names"): _("lists the names of custom fields of an example"),\n',
            ),
            (
                "contents/openapi/fields.py",
                "OPERATIONS = (\n",
                "    Described(\n"
                '        method="GET",\n'
                '        path="/sites/{siteId}/fields/names",\n'
                '        id="listFieldNames",\n'
                "        tag=TAG,\n"
                '        description="Lists the names of the custom fields of the site.",\n'
                '        success="The names.",\n'
                '        answer=value_of(list_of(_TEXT), "The names of the custom fields."),\n'
                "        parameters=(SITE_ID,),\n"
                '        codes={404: ("site_not_found",)},\n'
                "    ),\n",
            ),
            (
                "tools/openapi/scenario.py",
                '    Step("listFields", "of_site", "The custom fields of the site", path={"siteId": 1}),\n',
                '    Step("listFieldNames", "of_site", "The names of the custom fields", path={"siteId": 1}),\n',
            ),
            (
                "contents/openapi/fields.py",
                "from core.openapi.describing import Described, Schema, list_of, paged_list_of, record, ref",
                ", value_of",
            ),
        ],
        [OPENAPI, REFERENCE, MESSAGES, TYPES],
        ["tests/openapi", "tests/reference", "tests/test_error_codes.py", "tests/admin/test_messages.py"],
    ),
    "A field of contents": Recipe(
        (
            "contents/models.py",
            '    source = models.CharField(_("source"), max_length=255, blank=True)\n',
            '    example = models.CharField(_("example"), max_length=255, blank=True, default="", db_default="")\n',
        ),
        [
            (
                "contents/wire/serializers.py",
                'help_text="Source, such as a newspaper. Default: empty.")\n',
                "    example = TextField(\n"
                '        max_length=255, required=False, help_text="Example for the readers. Default: empty."\n'
                "    )\n",
            ),
            ("client/src/cms_client/records.py", "    source: str\n", "    example: str\n"),
            ("contents/admin/writing/form.py", '    *("author", "source"', ', "example"'),
            ("contents/admin/writing/form.py", '    "origin": ("author", "source"', ', "example"'),
            ("contents/admin/contents.py", '(_("Origin"), {"fields": ["author", "source"', ', "example"'),
            ("contents/admin/tables.py", 'BODY, "author", "source"', ', "example"'),
            ("contents/admin/preview.py", '_MEMBERS = ("title", "sub_title", "author", "source"', ', "example"'),
            (
                "cms_api/sql_endpoint/catalogue.py",
                '        _text("Source", "source", "Source"),\n',
                '        _text("Example", "example", "Example"),\n',
            ),
            (
                "pages/engine/entities.py",
                '            "source": _("The source."),\n',
                '            "example": _("The example."),\n',
            ),
            (
                "pages/engine/elements/values.py",
                '"lastEditDate", "tags", "author", "source", "addUserName"',
                ', "example"',
            ),
            (
                "transfer/names.py",
                '    ("source", read_encoded, "Source"),\n',
                '    ("example", read_encoded, "Example"),\n',
            ),
            # Tests that compare whole records.
            (
                "tests/contents/test_member_surfaces.py",
                '"subTitle", "summary", "content", "author", "source"',
                ', "example"',
            ),
            ("tests/contents/test_get_content.py", '            "source": "",\n', '            "example": "",\n'),
            (
                "tests/contents/test_list_contents.py",
                '                "source": "Source",\n',
                '                "example": "",\n',
            ),
            ("tests/transfer/test_export_site.py", '"video_url file_url summary author source', " example"),
        ],
        [MIGRATION, OPENAPI, REFERENCE, MESSAGES, TYPES],
        [
            *("tests/contents/test_member_surfaces.py", "tests/contents/test_get_content.py"),
            *(
                "tests/contents/test_list_contents.py",
                "tests/client/test_records.py",
                "tests/openapi",
                "tests/reference",
            ),
            *("tests/transfer/test_export_site.py", "tests/admin/test_messages.py", "tests/test_migrations.py"),
        ],
    ),
    "A column of a list in the admin": Recipe(
        (
            "sites/admin/sites.py",
            '    list_display = ["site_name", "web_address", "is_root", "id"]\n',
            "\n"
            '    @admin.display(description=_("example"))\n'
            "    def example(self, site: Site) -> str:\n"
            "        return site.site_dir\n\n",
        ),
        [("sites/admin/sites.py", '    list_display = ["site_name", "web_address", "is_root", "id"', ', "example"')],
        [MESSAGES],
        ["tests/admin/test_messages.py", "tests/admin/test_pages.py"],
    ),
}


@pytest.mark.parametrize("name", RECIPES)
def test_what_a_recipe_names_is_all_that_has_to_change(tmp_path, name):
    recipe, copy = RECIPES[name], Copy(tmp_path / "copy")
    words = _paragraph(name)
    copy.edit([recipe.first])
    assert copy.failure(recipe.tests)
    copy.edit(recipe.others)
    for command in recipe.commands:
        assert command in words
        copy.make(command)
    if failure := copy.failure(recipe.tests):
        pytest.fail(failure, pytrace=False)
    edited = {file for file, _before, _new in [recipe.first, *recipe.others]}
    assert {file for file in copy.changed() if not MADE.fullmatch(file)} == edited


def _paragraph(name):
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return re.search(rf"\*\*{name}\.\*\*(.+?)\n\n", contributing, re.DOTALL)[1]
