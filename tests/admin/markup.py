"""Finds in a page what its policy forbids: scripts, styles and event attributes within it, and what is elsewhere."""

from html.parser import HTMLParser

_ADDRESSES = {"src", "href", "action", "formaction", "data", "poster", "srcset"}


class Forbidden(HTMLParser):
    """The offences of one page, each with its line."""

    def __init__(self, text):
        super().__init__()
        self.offences, self._inside = [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self._inside = tag if tag in {"script", "style"} else None
        for name, value in attributes:
            if name == "style" or name.startswith("on"):
                self._note(f"{name} of {tag}")
            if name in _ADDRESSES and (value or "").strip().lower().startswith(
                ("javascript:", "http:", "https:", "//")
            ):
                self._note(f"{name} of {tag}: {value}")
        if tag == "style" or tag in {"object", "embed", "applet", "base"}:
            self._note(tag)

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside == "script" and data.strip():
            self._note("script without a file")

    def _note(self, what):
        self.offences.append(f"line {self.getpos()[0]}: {what}")


def offences(answer):
    """What the page must not hold; empty for a good one."""
    return Forbidden(answer.content.decode()).offences
