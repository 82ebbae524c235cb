"""Which pages there are, each with what makes it."""

from tests.reference.codes_page import codes_page
from tests.reference.commands_page import commands_page
from tests.reference.endpoints_page import endpoints_page
from tests.reference.markdown import ROOT
from tests.reference.settings_page import settings_page

FOLDER = ROOT / "docs" / "reference"
PAGES = {
    "endpoints.md": endpoints_page,
    "settings.md": settings_page,
    "codes.md": codes_page,
    "commands.md": commands_page,
}
