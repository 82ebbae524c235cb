"""Cleaning of markup: what editors make stays, what acts goes, and what is clean stays clean."""

import re
from collections import Counter
from contextlib import suppress
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.lib import markup_nesting
from core.lib.errors import InvalidInput
from core.lib.markup import clean_body as clean
from core.lib.markup import clean_line
from core.lib.markup_nesting import _TOKEN

KEPT = [
    "<p>你好，“世界” &amp; more</p>",
    '<h2 id="a" class="x y" data-kind="z">t</h2>',
    '<p style="text-align:center;color:#f00;font-size:1.5em">t</p>',
    '<p style="color:rgb(1, 2, 3);background-color:rgba(0, 0, 0, 0.5)">t</p>',
    '<section style="background-image:url(&quot;https://a.example/b.png&quot;)">t</section>',
    '<figure class="image"><img src="@/upload/images/2026/11/a.jpg" alt="Harbour" width="800" height="600">'
    "<figcaption>t</figcaption></figure>",
    '<video src="@/upload/videos/a.mp4" poster="a.jpg" controls=""></video>',
    '<video controls=""><source src="a.webm" type="video/webm"><track src="a.vtt" kind="captions"></video>',
    '<audio src="/a.mp3" controls="" loop=""></audio>',
    '<a href="https://example.com/?a=1&amp;b=2" target="_blank" rel="noopener">t</a>',
    '<a href="mailto:a@example.com">m</a><a href="tel:+861012345678">p</a><a href="#top">u</a><a name="x">n</a>',
    '<table border="1" cellpadding="2" style="width:100%"><caption>c</caption><colgroup><col width="20"></colgroup>'
    '<thead><tr><th scope="col" colspan="2">h</th></tr></thead><tbody><tr><td rowspan="2" bgcolor="red" align="left">'
    "x</td></tr></tbody></table>",
    '<ul><li>a<ol start="3"><li>b</li></ol></li></ul><dl><dt>t</dt><dd>d</dd></dl>',
    '<p><font color="red" face="SimSun" size="4">t</font><u>u</u><s>s</s><sub>1</sub><sup>2</sup><mark>m</mark></p>',
    "<blockquote><p>q</p></blockquote><pre><code>x &lt; y</code></pre><hr><ruby>汉<rt>hàn</rt></ruby>",
    '<picture><source srcset="a.webp 1x, b.webp 2x"><img src="a.jpg" loading="lazy"></picture>',
    '[SITESERVER_PAGE]<details open=""><summary>s</summary>t</details>',
]

# Ours: ways to make a body act, or lead elsewhere, that have been tried on other services.
ATTACKS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//x.example/a.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<script/x>alert(1)</script >",
    "<img src=x onerror=alert(1)>",
    '<img/src="x"/onerror="alert(1)">',
    "<img src=x:x onerror\n=\nalert(1)//>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x></svg>",
    '<svg><a xlink:href="javascript:alert(1)"><text y="9">x</text></a></svg>',
    "<svg><use href=\"data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'/>#x\"></use></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>',
    '<title><p title="</title><img src=x onerror=alert(1)>"></title>',
    '<textarea><p title="</textarea><img src=x onerror=alert(1)>"></textarea>',
    '<noembed><img title="</noembed><img src=x onerror=alert(1)>"></noembed>',
    '<iframe><img title="</iframe><img src=x onerror=alert(1)>"></iframe>',
    "<iframe src=javascript:alert(1)></iframe>",
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<iframe src="https://a.example/" srcdoc="<script>alert(1)</script>" onload="alert(1)"></iframe>',
    "<iframe src=//a.example/></iframe><iframe src=/admin/></iframe><iframe src=http://a.example/></iframe>",
    '<iframe src="https:/\\a.example"></iframe><iframe src="https://"></iframe><iframe src="https://[x"></iframe>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href=" java\tscript:alert(1)">x</a>',
    '<a href="&#106;avascript&colon;alert(1)">x</a>',
    '<a href="\x01javascript:alert(1)">x</a>',
    '<a href="JaVaScRiPt:alert(1)">x</a>',
    '<a href="vbscript:x">x</a><a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href="blob:https://a.example/x">x</a><a href="file:///etc/passwd">x</a>',
    '<a href="#" ping="https://a.example/" onclick=alert(1)>x</a>',
    '<img srcset="a.jpg 1x, javascript:alert(1) 2x">',
    '<video src="javascript:alert(1)" poster="javascript:alert(1)"></video>',
    '<video><source onerror="alert(1)" src="x"></video><audio src=x onerror=alert(1)>',
    '<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)"><applet code=x></applet>',
    '<form action="https://a.example/"><input name=password><button formaction="javascript:alert(1)">x</button></form>',
    "<isindex type=image src=1 onerror=alert(1)><keygen autofocus onfocus=alert(1)>",
    "<select autofocus onfocus=alert(1)><option>x</select><input autofocus onfocus=alert(1)>",
    '<meta http-equiv="refresh" content="0;url=https://a.example/"><base href="https://a.example/">',
    '<link rel=stylesheet href="https://a.example/a.css"><style>@import "https://a.example/a.css"; *{}</style>',
    '<p style="background:url(javascript:alert(1))">x</p><p style="width:expression(alert(1))">x</p>',
    '<p style="behavior:url(x.htc);-moz-binding:url(x.xml#a)">x</p>',
    '<p style="position:fixed;top:0;left:0;z-index:9999;width:100%;height:100%">x</p>',
    '<p style="background:u\\72l(\\6a avascript:alert(1))">x</p><p style="co/**/lor:red;x:/*">x</p>',
    "<marquee onstart=alert(1)>x</marquee><body onload=alert(1)><frameset onload=alert(1)>",
    "<details open ontoggle=alert(1)><summary>x</summary></details>",
    "<template><script>alert(1)</script></template><slot onslotchange=alert(1)>",
    "<p/onmouseover=alert(1)//>x</p><div onpointerrawupdate=alert(1)>x</div>",
    "<!--><img src=x onerror=alert(1)>--><!--[if gte IE 4]><script>alert(1)</script><![endif]-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]><?xml-stylesheet href='javascript:alert(1)'?>",
    "<p title='\"><img src=x onerror=alert(1)>'>x</p>",
    '<a\0 href="java\0script:alert(1)">x</a>',
    "<scr\0ipt>alert(1)</scr\0ipt>",
    "<table><td background=javascript:alert(1)>x<table background='javascript:alert(1)'>",
    "<custom-element onclick=alert(1)>x</custom-element><o:p onclick=alert(1)>x</o:p>",
    '<stl:sqlContents queryString="select 1"></stl:sqlContents>',
]
_TAG = re.compile(r"""<([a-zA-Z][^\s/>]*)((?:\s+[^\s=>"]+(?:="[^"]*")?)*)\s*/?>""")


def dangers(text):
    """What of a cleaned text could act, found without the cleaner."""
    for name, attributes in _TAG.findall(text):
        if name in {"script", "style", "form", "input", "object", "embed", "base", "meta", "link", "svg", "math"}:
            yield name
        for attribute, value in re.findall(r'\s([^\s=>"]+)="([^"]*)"', attributes):
            address = re.sub(r"[\s\x00-\x20]", "", value.lower())
            if attribute.startswith("on") or attribute in {"srcdoc", "formaction", "ping", "action"}:
                yield attribute
            if attribute not in {"alt", "title"} and ("javascript:" in address or "vbscript:" in address):
                yield value
            if attribute == "style" and re.search(r"position|z-index|expression|behavior|binding", value):
                yield value
        if name == "iframe" and not re.search(r' src="https://[a-z]', attributes):
            yield attributes
        if name == "iframe" and 'sandbox="allow-scripts' not in attributes:
            yield attributes


@pytest.mark.parametrize("text", KEPT)
def test_what_editors_make_stays_as_it_is(text):
    cleaned = clean(text)
    assert (cleaned.text, list(cleaned.removed)) == (text, [])


@pytest.mark.parametrize("text", ATTACKS)
def test_what_acts_goes_and_does_not_come_back(text):
    cleaned = clean(f"<p>before</p>{text}<p>after</p>").text
    assert list(dangers(cleaned)) == []
    assert clean(cleaned).text == cleaned
    assert "<p>before</p>" in cleaned


def test_the_search_for_dangers_finds_them():
    assert [
        text for text in ATTACKS[:7] if not list(dangers(re.sub(r"/(?=\w)", " ", text).replace("=x", '="x"')))
    ] != ATTACKS[:7]
    assert list(dangers('<img src="x" onerror="a">')) == ["onerror"]
    assert list(dangers('<a href="java\tscript:x">')) == ["java\tscript:x"]
    assert list(dangers("<script>")) == ["script"]


@pytest.mark.parametrize(
    ("text", "removed"),
    [
        ("<p onclick=x>a</p><script>b</script><script>c</script>", ["script", "onclick"]),
        ('<p style="position:fixed;color:red">a</p>', ["style: position"]),
        ('<form action="/x"><input name="a"></form>', ["form", "input"]),
        ('<a href="javascript:x">a</a>', ["href"]),
        ('<P STYLE="Color:Red">one once = two</P>', []),
        ('<p title="a=b">on x = y</p>', []),
    ],
)
def test_what_was_taken_out_is_named(text, removed):
    assert list(clean(text).removed) == removed


@pytest.mark.parametrize(
    "text", ['<img src="data:image/png;base64,AA">', "<img src= 'DATA:image/png,x'>", "<img src=data:,x>"]
)
def test_a_picture_in_the_text_itself_is_refused(text):
    with pytest.raises(InvalidInput) as caught:
        clean(text)
    assert caught.value.code == "data_picture"


@pytest.mark.parametrize(
    "element", ["div", "b", "b a=1", "table><tr><td", "ul><li", "blockquote", "svg", "x-y", "div></x", "rt", "li><dd"]
)
def test_elements_in_too_many_others_are_refused_before_they_cost_time(element):
    with pytest.raises(InvalidInput) as caught:
        clean(f"<{element}>" * 20_000)
    assert caught.value.code == "nested_too_deeply"


@pytest.mark.parametrize(
    "text",
    [
        "<div><!--</div>-->" * 300,
        '<div title="</div>">' * 300,
        "<div><title></div></title>" * 300,
        "<li></x><dd>" * 300,
        "<div><script><!--<script></script></div>--></script>" * 300,
        "<p>" + "".join(f"<font color={number}>" for number in range(150)) + "</p>" + "<p>x" * 9000,
        "<table>" + "<li>x" * 30_000,
        "<p " + " ".join(f"a{number}=x" for number in range(2000)) + ">",
        "&am " * 100_001,
    ],
)
def test_what_only_seems_to_be_closed_is_refused_and_so_is_what_the_parser_would_double(text):
    with pytest.raises(InvalidInput) as caught:
        clean(text)
    assert caught.value.code == "nested_too_deeply"


def test_a_long_value_does_not_count_as_many_attributes():
    text = f'<p title="{"tide " * 3000}" style="{"color:red;" * 1500}">x</p>'
    assert clean(text).text.count("tide") == 3000


@pytest.mark.parametrize("text", ["<p>x" * 60_001, '<iframe src="https://x/"></iframe>' * 49_000])
def test_more_tags_than_honest_texts_have_are_refused_before_they_are_read(monkeypatch, text):
    monkeypatch.setattr(markup_nesting, "_tags", None)
    with pytest.raises(InvalidInput) as caught:
        clean(text)
    assert caught.value.code == "too_much_markup"


@pytest.mark.parametrize(
    "part",
    [
        "<p>",
        "<b><p>",
        "<p title='",
        '<p title="',
        "<!--",
        "<![CDATA[",
        "<a b=c ",
        "</",
        "<script>",
        "<style><!--",
        "<p style=a:b;",
        "<iframe src=https://a.example/>",
        "<table><td>",
        "a = b = ",
        "&#x",
        "&am",
    ],
)
def test_reading_the_tags_looks_at_each_place_once(part, monkeypatch):
    # Steps, not seconds: how far the search for tags has come, summed up, is no more than the text, in each cleaning.
    text = part * 5000
    looked = Counter()

    class Counted:
        def search(self, text, place):
            found = _TOKEN.search(text, place)
            looked[text] += (found.end() if found else len(text)) - place
            return found

    monkeypatch.setattr(markup_nesting, "_TOKEN", Counted())
    with suppress(InvalidInput):
        clean(text)
    assert looked
    assert all(steps <= len(read) for read, steps in looked.items())


def test_comments_raw_texts_and_omitted_ends_do_not_count_as_nested():
    part = "<!--[if x]><b><![endif]--><style><b></style><ul><li>a<li>b</ul><table><tr><td>a<td>b<tr><td>c</table>"
    assert clean(part * 300).text.count("<li>") == 600


def test_a_script_and_a_comment_behind_it_do_not_make_what_follows_count_as_nested():
    text = "<script><!-- x() //--></script><!-- y -->" + "<p>a</p>" * 300
    assert clean(text).text == "<p>a</p>" * 300


def test_what_is_lost_is_told_by_twenty_names_at_most():
    assert len(clean("".join(f"<x{number}></x{number}>" for number in range(3000))).removed) == 20


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ('<a href="/" target="_blank" rel="opener">x</a>', '<a href="/" target="_blank">x</a>'),
        ('<a href="/" rel="Opener nofollow">x</a>', '<a href="/" rel="nofollow">x</a>'),
        ('<p style="margin:-999px;color:red">x</p>', '<p style="color:red">x</p>'),
        ('<p style="MARGIN-top: 1px -.5em;color:red">x</p>', '<p style="color:red">x</p>'),
        ('<p style="margin-left:calc(0px - 9px);color:red">x</p>', '<p style="color:red">x</p>'),
        ('<p style="margin:0 auto 1em">x</p>', '<p style="margin:0 auto 1em">x</p>'),
    ],
)
def test_nothing_reaches_the_page_that_it_was_opened_from_or_lies_over_it(text, cleaned):
    assert clean(text).text == cleaned


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [("&copy &copy; &#65; &", "© © A &amp;"), ("a&b&amp;c &notit; &zzz;", "a&amp;b&amp;c ¬it; &amp;zzz;")],
)
def test_references_to_characters_stay_what_they_are(text, cleaned):
    assert clean(text).text == cleaned


def test_a_long_name_of_what_is_lost_is_cut():
    assert clean(f"<{'x' * 1000}>").removed == ["x" * 60]


def test_elements_that_need_no_end_do_not_count_as_nested():
    text = "<p>a<br><li>b<img src=x>" * 5000
    assert clean(text).text.count("<img") == 5000


@pytest.mark.parametrize("address", ["//v.example/p.html?bvid=BV1&amp;a=1", " //v.example/p.html?bvid=BV1&amp;a=1"])
def test_a_frame_of_the_scheme_of_its_page_shows_https(address, settings):
    settings.CMS_EMBED_HOSTS = ["v.example"]
    cleaned = clean(f'<iframe src="{address}" allowfullscreen="true"></iframe>')
    assert ' src="https://v.example/p.html?bvid=BV1&amp;a=1"' in cleaned.text
    assert cleaned.removed == []
    assert clean(cleaned.text).text == cleaned.text


@pytest.mark.parametrize(
    "address",
    ["//w.example/x", "///v.example/x", "//", "/museum/map.html", "@/upload/a.html", "map.html", "//v.example\\x"],
)
def test_other_frames_without_a_scheme_are_removed_and_named(address, settings):
    settings.CMS_EMBED_HOSTS = ["v.example"]
    cleaned = clean(f'<p>a</p><iframe src="{address}"></iframe>')
    assert (cleaned.text, cleaned.removed) == ("<p>a</p>", ["iframe"])


def test_a_frame_may_show_hosts_that_are_named_and_those_below_them(settings):
    text = "".join(f'<iframe src="https://{host}/x"></iframe>' for host in ("v.example", "a.v.example", "xv.example"))
    assert clean(text).text.count("<iframe") == 3
    settings.CMS_EMBED_HOSTS = ["v.example"]
    assert re.findall("https://([^/]*)", clean(text).text) == ["v.example", "a.v.example"]


PIECES = """
< > / " ' = a script style svg math <p> </p> <!-- --> <table> <td> onerror= javascript: <iframe> </iframe> <noscript>
<title> </title> &lt; &#x3c; <select> <option> <mglyph> <form> 你 <b> </b> style='color:red; position:fixed' <textarea>
<![CDATA[ ]]> <h1> <li> <a>
"""
SPACED = (" ", "\n", "\r", "\0", "<img src=x ", "<a href=")


@pytest.mark.parametrize(
    "text",
    ["<h1><table><h2>x", "<li><table><li>x", "<a href='/'><table><a href='/'>x", "<h1><a href='/'><h2><a href='/'>x"],
)
def test_what_stands_wrongly_is_put_where_it_stays(text):
    cleaned = clean(text).text
    assert clean(cleaned).text == cleaned


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*PIECES.split(), *SPACED]), max_size=40).map("".join))
def test_nothing_that_acts_survives_whatever_is_written_and_cleaning_again_changes_nothing(text):
    cleaned = clean(text).text
    assert list(dangers(cleaned)) == []
    assert clean(cleaned).text == cleaned


class Text(HTMLParser):
    """The text of a markup as a browser reads it: without a line end that follows the tag of a `pre`."""

    def __init__(self, markup):
        super().__init__()
        self.parts, self._drops = [], False
        self.feed(re.sub("\r\n?", "\n", markup))
        self.close()

    def handle_starttag(self, tag, attributes):
        self._drops = tag == "pre"

    def handle_endtag(self, tag):
        self._drops = False

    def handle_data(self, data):
        self.parts.append(data.removeprefix("\n") if self._drops else data)
        self._drops = False


PRE = ["<pre>", "<pre class='a'>", "</pre>", "<b>", "</b>", "<code>", "<font>", "<p>", "\n", "\n", "\r\n", "x"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PRE), max_size=20).map("".join))
def test_no_line_end_of_a_text_is_lost(text):
    cleaned = clean(text).text
    assert "".join(Text(cleaned).parts) == "".join(Text(text).parts)
    assert clean(cleaned).text == cleaned


def test_line_ends_at_the_start_of_a_pre_stay_however_often_they_are_stored():
    text = "<pre>\n\n\nx</pre><p>a</p>"
    assert clean(clean(text).text).text == text


# A text of one line, and what is left of it.
LINES = [
    ("a < b", "a < b"),
    ("5 > 3 & x", "5 > 3 & x"),
    ("1<2, R&D, &lt;b&gt;", "1<2, R&D, &lt;b&gt;"),
    ("<b>a & b</b> < c", "<b>a & b</b> < c"),
    ("Open <day>", "Open <day>"),
    ("<day onclick=ran()><script>", ""),
    ("x <b", "x &lt;b"),
    ("a <", "a &lt;"),
    ("<p>x</p>", "x"),
    ("<img src=x onerror=ran()>", '<img src="x">'),
    ("<svg onload=ran()></svg>y", "y"),
    ("<a href='java&#115;cript:ran()'>y</a>", "<a>y</a>"),
    ("--><script>ran()</script>", "-->"),
    ("<iframe srcdoc='<script>ran()</script>'></iframe>", ""),
]


@pytest.mark.parametrize(("text", "left"), LINES)
def test_a_text_of_one_line(text, left):
    assert clean_line(text).text == left
    assert clean_line(left).text == left


@given(st.lists(st.sampled_from([*"<>/!?&;= x'", "<b>", "</b>", "&amp;", "&lt;", "onerror=", "script", "<!--", "-->"])))
def test_cleaning_a_line_again_changes_nothing(pieces):
    once = clean_line("".join(pieces)).text
    assert clean_line(once).text == once
