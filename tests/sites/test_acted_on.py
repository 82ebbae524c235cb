"""The help of a setting says that the service does not use it exactly where no code reads it."""

import ast
import re
from pathlib import Path

import pytest

import channels_app.attributes
import sites.attributes

ROOT = Path(__file__).resolve().parents[2]
# What hands settings on, checks them or asks for them, without doing anything by them.
_DECLARING = {
    "sites/attributes.py",
    "sites/admin/settings_form.py",
    "sites/admin/sites.py",
    "channels_app/attributes.py",
    "channels_app/admin/forms.py",
    "channels_app/admin/form_words.py",
}
# The names of members of uploads are put together of the kind of file and this.
_OF_UPLOADS = re.compile("^(is)?(image|video|file)(?=Upload)", re.IGNORECASE)
_KEPT = "Not used by this service"


def read_names():
    """The texts that stand in the code of the apps where settings could be read."""
    found = {
        node.value
        for app in ("sites", "media_library", "channels_app", "contents", "pages")
        for path in (ROOT / app).rglob("*.py")
        if path.relative_to(ROOT).as_posix() not in _DECLARING and "migrations" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    # Computed members follow from others, which are read where they are declared.
    declared = ast.walk(ast.parse((ROOT / "sites/attributes.py").read_text(encoding="utf-8")))
    subscripts = (node.slice for node in declared if isinstance(node, ast.Subscript))
    return found | {each.value for each in subscripts if isinstance(each, ast.Constant)}


@pytest.mark.parametrize("registry", [sites.attributes.REGISTRY, channels_app.attributes.REGISTRY])
def test_what_is_acted_on_is_what_the_code_reads(registry):
    read = read_names()
    acted_on = {each.name for each in registry if _KEPT not in each.help_text}
    assert {each.name for each in registry if {each.name, _OF_UPLOADS.sub("", each.name)} & read} == acted_on


def test_the_page_of_settings_sorts_by_the_same():
    registry = sites.attributes.REGISTRY
    assert {each.name for each in registry if each.name in sites.attributes.ACTED_ON} == {
        each.name for each in registry if _KEPT not in each.help_text
    }


@pytest.mark.parametrize("registry", [sites.attributes.REGISTRY, channels_app.attributes.REGISTRY])
def test_each_member_has_a_label_of_its_own(registry):
    labels = [attribute.label for attribute in registry]
    assert all(labels)
    assert len(set(labels)) == len(labels)
    # No name of a member taken apart: "Is separated web".
    assert not [label for label in labels if re.match("(Is|Config|Trans) ", label)]
