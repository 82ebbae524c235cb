"""The back end in Chromium, as its tests and the tour drive it."""

import base64
import os
import re
import shutil
from functools import wraps

from playwright.sync_api import Locator, Page, expect

LANGUAGES = {"en": "en-US", "zh-hans": "zh-CN"}  # of the back end, and of the browser's requests to it
SECONDS = 60  # until an element that does not appear is missed
expect.set_options(timeout=SECONDS * 1000)


def _with_its_page(action):
    """The action, which returns when its page has loaded; by default it waits only for the first byte."""

    @wraps(action)
    def acting(self, *arguments, **options):
        done = action(self, *arguments, **options)
        page = self if isinstance(self, Page) else self.page
        if not page.is_closed():
            page.wait_for_load_state("domcontentloaded")
        return done

    return acting


for _kind in (Page, Locator):
    for _name in ("click", "press"):
        setattr(_kind, _name, _with_its_page(getattr(_kind, _name)))


def launch(playwright):
    """A browser without windows; None where there is none."""
    path = os.environ.get("CMS_TEST_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    # Chromium refuses its own sandbox to the account that CI runs under.
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    return path and playwright.chromium.launch(executable_path=path, args=options)


class Desk:
    """A served installation, as after `make run`, and its output."""

    def __init__(self, installation, server, printed):
        self.installation, self.server = installation, server
        self.address = server.address
        self.name, self.password = re.search(r"^Sign-in: +(\S+) / (\S+)$", printed, re.MULTILINE).groups()


def drop(page, selector, *files):
    """Drop files there; each is a name, a type and bytes."""
    page.evaluate(
        """([selector, files]) => {
            const data = new DataTransfer();
            for (const [name, type, text] of files) {
                const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
                data.items.add(new File([bytes], name, { type }));
            }
            const target = document.querySelector(selector);
            const box = target.getBoundingClientRect();
            const place = { clientX: box.left + 20, clientY: box.top + 20, bubbles: true, cancelable: true };
            target.dispatchEvent(new DragEvent("dragover", { dataTransfer: data, ...place }));
            target.dispatchEvent(new DragEvent("drop", { dataTransfer: data, ...place }));
        }""",
        [selector, [[name, kind, base64.b64encode(data).decode()] for name, kind, data in files]],
    )
