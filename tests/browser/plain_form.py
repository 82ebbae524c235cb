"""A form with the editor and the frame's script, under the policy of the desk's pages; no server stands behind it."""

# ruff: noqa: E501 - what a browser reads stands in one piece

from contextlib import contextmanager
from urllib.parse import urlsplit

from tools.servers import ROOT

_STATIC = ROOT / "core" / "admin" / "static" / "cms_admin"
_FORM = """<!doctype html><html lang="en"><head><link rel="stylesheet" href="/admin.css"></head><body><main><form method="post">
<input type="hidden" name="csrfmiddlewaretoken" value="x"><label for="title">Title</label><input id="title" name="title">
<div class="editor" data-editor data-words="{}" data-site-root="/media/sites/1/" data-draft="1:content-1">
<textarea name="body">&lt;p&gt;Tide&lt;/p&gt;</textarea></div></form></main><div id="frame-words" data-user="1"></div><script src="/frame.js"></script><script src="/editor.js"></script></body></html>"""
_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'"


@contextmanager
def plain_form(browser):
    """The page. No text may make it complain in the console."""
    context, complaints = browser.new_context(base_url="http://desk.example"), []
    context.on("console", lambda told: complaints.append(told.text) if told.type == "error" else None)
    context.on("weberror", lambda told: complaints.append(str(told.error)))
    context.route("**/*", _answer)
    try:
        yield opened(context)
    finally:
        context.close()
    assert complaints == []


def opened(context):
    """A new window with the form."""
    page = context.new_page()
    page.goto("/")
    page.wait_for_selector(".editor-toolbar")
    return page


def _answer(route):
    path = urlsplit(route.request.url).path
    if path == "/":
        route.fulfill(body=_FORM, content_type="text/html", headers={"Content-Security-Policy": _POLICY})
    elif path in ("/frame.js", "/editor.js", "/admin.css"):
        folder = _STATIC if path == "/admin.css" else _STATIC / "editor"
        route.fulfill(path=folder / path[1:])
    else:  # pictures and films of the site
        route.fulfill(status=204)
