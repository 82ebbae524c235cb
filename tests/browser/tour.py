"""Takes the pictures of docs/pictures: `make pictures`. Each is looked at before it is committed."""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser.conftest import LANGUAGES, Desk, launch
from tests.servers import Installation

DESKTOP, PHONE = (1280, 800), (390, 844)
# name of the picture: language, colour scheme, size, page
PICTURES = {
    "sign-in": ("zh-hans", "light", DESKTOP, None),
    "start": ("en", "light", DESKTOP, "/admin/"),
    "start-dark": ("zh-hans", "dark", DESKTOP, "/admin/"),
    "start-phone": ("zh-hans", "light", PHONE, "/admin/"),
    "key": ("en", "light", DESKTOP, "/admin/apikeys/apikey/1/change/"),
    "key-form": ("zh-hans", "light", DESKTOP, "/admin/apikeys/apikey/add/"),
    "operations": ("en", "dark", DESKTOP, "/admin/apikeys/apikey/1/operations/"),
    "contents": ("zh-hans", "light", DESKTOP, "/admin/contents/content/?site__id__exact=1"),
    "restart": ("en", "light", DESKTOP, "/admin/cms_api/node/"),
    "audit": ("zh-hans", "light", DESKTOP, "/admin/cms_api/auditentry/"),
}


def take(browser, desk, language, colours, size, place):
    """The picture of a page, as an image."""
    width, height = size
    context = browser.new_context(
        base_url=desk.address,
        locale=LANGUAGES[language],
        color_scheme=colours,
        viewport={"width": width, "height": height},
    )
    page = context.new_page()
    page.goto("/admin/")
    if place:
        page.fill("#id_username", desk.name)
        page.fill("#id_password", desk.password)
        page.press("#id_password", "Enter")
        page.wait_for_url("**/admin/")
        page.goto(place)
    page.wait_for_load_state("networkidle")
    taken = page.screenshot()
    context.close()
    return Image.open(io.BytesIO(taken))


def main(folder):
    """Take every picture into the folder."""
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        installation = Installation(Path(data), administrator=False)
        printed = installation.manage("first_start")
        browser = launch(playwright)
        with installation.serve() as server:
            desk = Desk(installation, server, printed)
            for name, options in PICTURES.items():
                take(browser, desk, *options).save(folder / f"{name}.webp", quality=80)
        browser.close()


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    main(target)
