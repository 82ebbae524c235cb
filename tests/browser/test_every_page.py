"""Every page that links lead to has no barrier that axe finds at three widths in both colour schemes, fits the window
at 400 % zoom, loads little, and logs nothing to the console.
"""

import re
from collections import deque
from urllib.parse import urljoin, urlsplit

import pytest

from tests.browser.accessibility import barriers

MAX_BYTES = 300_000  # of a first visit, with everything that the page loads
# What answers with a file or leads out of the back end.
_NO_PAGES = re.compile(
    r"/(?:export|body|visit|logout|language|media|preview)/|\.(?:csv|xlsx|json|jsonl)\b|^/(?!admin/)"
)
_MAX_PAGES = 200
# So high that no bar at its foot covers what one would scroll to.
HEIGHT = 6000
WIDTHS = [1280, 820, 390]
SCHEMES = ["light", "dark"]
# A window of 1280 pixels at 200 % and at 400 % (WCAG 2.2, 1.4.10).
ZOOMED = [640, 320]
_TOO_WIDE = """() => {
    const root = document.documentElement;
    return root.scrollWidth > root.clientWidth ? `${root.scrollWidth - root.clientWidth} px too wide` : "";
}"""
# Links differ in these and lead to pages that are alike.
_NUMBERS = re.compile(r"\d+")


def shape(address):
    """What pages of one kind have in common: the path with numbers left out, and the names in the query."""
    parts = urlsplit(address)
    names = sorted({each.partition("=")[0] for each in parts.query.split("&")} - {""})
    return _NUMBERS.sub("N", parts.path), tuple(name for name in names if name in {"channel", "kind", "step"})


class Walk:
    """A signed-in page that goes wherever links lead, one page of each kind."""

    def __init__(self, page):
        self._page, self.found, self.complaints = page, {}, []
        self._bytes, self._is_searched = 0, False
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        page.on("console", self._hear)
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        network.send("Network.setCacheDisabled", {"cacheDisabled": True})
        network.on("Network.loadingFinished", self._count)

    def _count(self, event):
        self._bytes += event["encodedDataLength"]

    def _hear(self, message):
        # While axe looks for barriers it tries styles that our policy refuses.
        if message.type == "error" and not self._is_searched:
            self.complaints.append(f"{self._page.url}: {message.text}")

    def go(self, start):
        waiting, seen = deque([start]), {shape(start)}
        while waiting and len(self.found) < _MAX_PAGES:
            address = waiting.popleft()
            for link in self._visit(address):
                if shape(link) not in seen:
                    seen.add(shape(link))
                    waiting.append(link)
        return self.found

    def _visit(self, address):
        self._bytes = 0
        answer = self._page.goto(address, wait_until="networkidle")
        assert answer.status == 200, f"{address}: {answer.status}"
        self.found[address] = (self._bytes, self._search())
        links = self._page.eval_on_selector_all("a[href]", "links => links.map(link => link.getAttribute('href'))")
        for link in links:
            absolute = urljoin(answer.url, link)
            if urlsplit(absolute).netloc != urlsplit(answer.url).netloc:
                continue
            local = urlsplit(absolute)._replace(scheme="", netloc="", fragment="").geturl()
            if not _NO_PAGES.search(local):
                yield local

    def _search(self):
        """Return the faults of the page, each with the widths and colour schemes that show it."""
        self._is_searched = True
        wrong = {}
        for width in WIDTHS:
            self._page.set_viewport_size({"width": width, "height": HEIGHT})
            for scheme in SCHEMES:
                self._page.emulate_media(color_scheme=scheme)
                # All that colours change is the contrast.
                for barrier in barriers(self._page, of_colours=scheme != SCHEMES[0]):
                    wrong.setdefault(barrier, []).append(f"{width} {scheme}")
        for width in ZOOMED:
            self._page.set_viewport_size({"width": width, "height": HEIGHT})
            if too_wide := self._page.evaluate(_TOO_WIDE):
                wrong[too_wide] = [str(width)]
        self._page.set_viewport_size({"width": WIDTHS[0], "height": HEIGHT})
        self._is_searched = False
        return wrong


@pytest.mark.large
@pytest.mark.parametrize("locale", ["en-US", "zh-CN", "de-DE"])
def test_every_page_is_open_to_all_and_light(chromium, desk, sign_in, locale):
    # Without `visit`, which hears what axe causes.
    window = {"width": WIDTHS[0], "height": HEIGHT}
    context = chromium.new_context(base_url=desk.address, locale=locale, viewport=window)
    page = context.new_page()
    sign_in(page)
    walk = Walk(page)
    found = walk.go("/admin/")
    context.close()
    assert len(found) > 30
    assert walk.complaints == []
    assert {address: wrong for address, (_, wrong) in found.items() if wrong} == {}
    assert {address: size for address, (size, _) in found.items() if size > MAX_BYTES} == {}


def test_a_barrier_is_found(chromium, desk, sign_in):
    context = chromium.new_context(base_url=desk.address, locale="en-US")
    page = context.new_page()
    sign_in(page)
    page.goto("/admin/")
    page.evaluate("document.querySelector('h1').insertAdjacentHTML('afterend', '<button></button>')")
    found = barriers(page)
    context.close()
    assert [wrong.split(":")[0] for wrong in found] == ["button-name"]
