"""Reads the fields that a browser posts from an untouched form, according to the HTML standard."""

import re
from datetime import datetime
from html.parser import HTMLParser

_SENT_BY_SCRIPTS = {"submit", "button", "reset", "image", "file"}
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?")


def posted_by(response):
    """The fields of the page's largest form that is posted, by name: a list of texts each."""
    # The parser reads every line end as LF.
    text = re.sub("\r\n?", "\n", response.content.decode())
    page = _Page()
    page.feed(text)
    page.close()
    found = {}
    for name, value in max(page.forms, key=len):
        # Forms are sent with CRLF.
        found.setdefault(name, []).append(value.replace("\n", "\r\n"))
    return found


class _Page(HTMLParser):
    """Collects the successful controls of each form."""

    def __init__(self):
        super().__init__()
        self.forms, self._form, self._select, self._text = [], None, None, None

    def handle_starttag(self, tag, attributes):
        given = {name: value or "" for name, value in attributes}
        if tag == "form" and given.get("method", "").lower() == "post":
            self._form = []
            self.forms.append(self._form)
        elif self._form is None:
            return
        elif tag == "input" and given.get("name") and "disabled" not in given:
            self._add_input(given)
        elif tag == "textarea":
            self._text = (given.get("name"), [])
        elif tag == "select":
            self._select = (given, [])
        elif tag == "option" and self._select:
            self._select[1].append(given)

    def handle_data(self, data):
        if self._text:
            self._text[1].append(data)

    def handle_endtag(self, tag):
        if tag == "form":
            self._form = None
        elif tag == "textarea" and self._text:
            name, parts = self._text
            self._form.append((name, "".join(parts).removeprefix("\n")))
            self._text = None
        elif tag == "select" and self._select:
            self._form += _of_select(*self._select)
            self._select = None

    def _add_input(self, given):
        kind, value = given.get("type", "text").lower(), given.get("value", "")
        if kind in _SENT_BY_SCRIPTS:
            return
        if kind in {"checkbox", "radio"}:
            if "checked" in given:
                self._form.append((given["name"], given.get("value", "on")))
            return
        self._form.append((given["name"], _sanitised(kind, value)))


def _of_select(given, options):
    chosen = [option for option in options if "selected" in option]
    if "multiple" not in given:
        chosen = chosen[-1:] or [option for option in options if "disabled" not in option][:1]
    return [(given["name"], option.get("value", "")) for option in chosen if "disabled" not in option]


def _sanitised(kind, value):
    if kind == "hidden":
        return value
    value = value.replace("\n", "")
    if kind in {"url", "email"}:
        return value.strip(" \t\n\f\r")
    if kind == "number":
        return value if _NUMBER.fullmatch(value) else ""
    if kind in {"date", "datetime-local"}:
        return _shortest(kind, value)
    return value


def _shortest(kind, value):
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return ""
    if kind == "date":
        return moment.date().isoformat()
    return moment.isoformat("T", "seconds" if moment.second else "minutes")
