"""Which files a page links to."""

import pytest

from pages.export.links import Links


@pytest.mark.parametrize("html,found", [
    ('<a href="/museum/a.html#x">', {"/a.html"}),
    ("<a class=x HREF = '../b.html?c=1'>", {"/b.html"}),
    ("<img src=c%20d.png>", {"/channels/c d.png"}),
    ('<a href="/museum/e&amp;f.html"><a href="/museum/e&amp;f.html">', {"/e&f.html"}),
    ('<a href="/museum/"><a href="/museum/folder/">', {"/index.html", "/folder/index.html"}),
    ('<img srcset="/museum/1.png 1x, /museum/2.png 2x">', {"/1.png", "/2.png"}),
    ('<p style="background: url(\'../g.png\')"><style>p { background: url(../h.png) }</style>', {"/g.png", "/h.png"}),
    ('<script src="/museum/s.js">document.write("<a href=/museum/no.html>")</script>', {"/s.js"}),
    ('<!-- <a href="/museum/no.html"> -->', set()),
    ('<a href="//other.example/museum/x.html"><a href="https://other.example/museum/x.html">', set()),
    ('<a href="/other/x.html"><a href="/museumx/x.html"><a href="/museum/../x.html">', set()),
    ('<a href="#top"><a href="?page=2"><a href=""><a href="mailto:a@b"><a href="javascript:void(0)">', set()),
    ('<a href="https://[::1/museum/x.html"><a href="{content.url}">', set()),
])  # fmt: skip
def test_links_of_a_page(html, found):
    assert Links("/museum").of_page(html, "/channels/5.html") == found


def test_links_to_the_own_host_of_a_site():
    links = Links("https://museum.example")
    assert links.of_page('<a href="https://museum.example/a.html"><a href="/b.html">', "/index.html") == {
        "/a.html",
        "/b.html",
    }


def test_links_of_a_style_sheet():
    text = "@import url(x.css); @font-face { src: url( \"../f.woff?#iefix\" ) } p { background: url('data:,x') }"
    assert Links("/museum").of_style_sheet(text, "/css/main.css") == {"/css/x.css", "/f.woff"}
