"""Counts what a piece of work costs a person: clicks and loaded pages. Typing and choosing a file cost nothing."""


class Counted:
    """A page that counts clicks and loads."""

    def __init__(self, page):
        self.page, self.clicks, self.loads = page, 0, 0
        page.on("load", self._load)

    def _load(self, _page):
        self.loads += 1

    def click(self, locator):
        self.clicks += 1
        locator.click()

    def choose(self, select, label):
        self.clicks += 1
        select.select_option(label=label)

    def check(self, clicks, loads):
        self.page.wait_for_load_state()
        assert (self.clicks, self.loads) <= (clicks, loads) and self.loads <= loads, (self.clicks, self.loads)
