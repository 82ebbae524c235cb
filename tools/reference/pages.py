"""The pages of docs/reference, each with the function that writes it."""

from functools import partial

from tools.reference.codes_page import codes_page
from tools.reference.commands_page import commands_page
from tools.reference.markdown import ROOT
from tools.reference.resources import api_page, resource_page
from tools.reference.schemas import DOCUMENT, slug
from tools.reference.settings_page import settings_page
from tools.reference.templates_page import templates_page

FOLDER = ROOT / "docs" / "reference"
PAGES = {
    "api.md": api_page,
    **{f"{slug(tag['name'])}.md": partial(resource_page, tag) for tag in DOCUMENT["tags"]},
    "templates.md": templates_page,
    "settings.md": settings_page,
    "codes.md": codes_page,
    "commands.md": commands_page,
}
