"""No value of a page runs a script: pages with thousands of hostile values, as Chromium reads them."""

# ruff: noqa: E501 - the script is one piece

import pytest

from tests.pages.hostile import (
    PLACES,
    TEXTS,
    pages_of_authors,
    pages_of_visitors,
    pages_without_encoding,
    show,
)

# Parses each page, runs whatever in it is code, and returns the numbers of the pages that called `ran`.
# Loading thousands of pages would take an hour.
_RUN = """(pages) => {
  const hits = [];
  let n = -1;
  window.ran = () => { hits.push(n); return 1; };
  window.f = () => 0;
  const run = (code) => { try { new Function(code).call(window); } catch (e) {} };
  const address = (value) => { let url; try { url = new URL(value, "http://h.test/p/x.html"); } catch (e) { return; }
     if (url.protocol === "javascript:" || url.protocol === "vbscript:") { try { run(decodeURIComponent(url.href.replace(/^[a-z]+:/, ""))); } catch (e) { run(unescape(url.href.replace(/^[a-z]+:/, ""))); } }
     if (/^data:[^,]*(html|svg|xml|javascript)[^,]*,/.test(url.href)) hits.push(n); };
  const resource = (value) => { try { const url = new URL(value, "http://h.test/p/x.html"); if (url.host !== "h.test" ) hits.push(n); } catch (e) {} };
  const check = (html, depth) => { if (depth > 4) return; const doc = new DOMParser().parseFromString(html, "text/html"); walk(doc, depth); };
  const NAMES = new Set("href src action formaction xlink:href poster data background to from by values cite".split(" "));
  const walk = (doc, depth) => { for (const e of doc.querySelectorAll("*")) {
     for (const a of e.attributes) { const name = a.name.toLowerCase();
        if (name.startsWith("on")) run(a.value);
        else if (name === "srcdoc") check(a.value, depth + 1);
        else if (NAMES.has(name)) { address(a.value); if (name === "src" && e.localName === "script") resource(a.value); }
        if (name === "content" && /refresh/i.test(e.getAttribute("http-equiv") || "")) { const u = a.value.match(/^\\s*[\\d.]*\\s*[;,]?\\s*(?:url\\s*=\\s*)?["']?(.*)/is); if (u) address(u[1]); } }
     if (e.localName === "script") { const t = (e.getAttribute("type") || "").trim().toLowerCase(); if (/^$|javascript|module/.test(t)) run(e.textContent); }
     if (e.localName === "template") walk(e.content, depth); } };
  pages.forEach((html, i) => { n = i; check(html, 0); });
  return [...new Set(hits)];
}"""
# Text in these is never more than text.
_HARMLESS = {"<xmp>@</xmp>", "<iframe>@</iframe>", "<noembed>@</noembed>"}
# An address of an author may be on another host.
_OTHER_HOSTS = "<script src='@'></script>"


@pytest.fixture(scope="module")
def page(chromium):
    page = chromium.new_page()
    page.route("**/*", lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto("http://127.0.0.1/")
    yield page
    page.close()


def places_that_run(page, cases):
    cases = list(cases)
    return {cases[number][:2] for number in page.evaluate(_RUN, [html for *_, html in cases])}


def test_what_a_visitor_writes_runs_nowhere(page):
    assert places_that_run(page, pages_of_visitors()) == set()


def test_what_an_author_writes_runs_nowhere(page):
    found = places_that_run(page, pages_of_authors())
    assert {place for place, _ in found} <= {_OTHER_HOSTS}
    assert all(payload.startswith("//") or payload == "script:ran()" for _, payload in found)


def test_without_encoding_it_would_run_everywhere(page):
    found = {place for place, _ in places_that_run(page, pages_without_encoding())}
    assert {*PLACES, *TEXTS} - found == _HARMLESS


# Templates with the value of a visitor, and one that ran before.
RAN = [
    ("<a href=\"javascript:f('{request.q}')\">x</a>", "');ran()//"),
    ("<stl:a href=\"javascript:f('{request.q}')\">x</stl:a>", "');ran()//"),
    ("<a onclick=f('{request.q}')>x</a>", "');ran()//"),
    ("<a onclick=f({request.q})>x</a>", "ran()"),
    ('<iframe srcdoc="<p>{request.q}</p>"></iframe><a>x</a>', "<script>parent.ran()</script>"),
    ("<script>var b={request.q};</script><a>x</a>", "ran()"),
]


@pytest.mark.parametrize(("template", "value"), RAN)
def test_a_page_is_loaded_and_clicked(page, template, value):
    before = "<script>window.ran = () => { window.hasRun = true; }; window.f = () => 0;</script>"
    for html, has_run in ((show(template, q=value), False), (template.replace("{request.q}", value), True)):
        page.evaluate("window.hasRun = false")
        page.set_content(before + html.replace("stl:a", "a"))
        page.locator("a").click()
        page.wait_for_timeout(100)
        assert page.evaluate("!!window.hasRun") is has_run
