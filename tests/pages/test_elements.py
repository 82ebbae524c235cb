"""Elements and entities of templates, on channels and contents of a site."""

import json
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contents.models import Content
from pages.engine.scope import Limits, TooMuch
from pages.models import Template, TemplateKind
from sites.models import FieldDefinition
from tests.cases import each_once
from tests.factories import ChannelFactory, ContentFactory
from tests.pages.hostile import show
from tests.pages.showing import Museum
from tests.worlds import world

pytestmark = pytest.mark.django_db


@world
def museum():
    return Museum()


# Template, what it shows on the page of the channel News.
ON_NEWS = [
    ("plain {text} <b>", "plain {text} <b>"),
    ("<stl:unknown a='1'>x{channel.title}</stl:unknown>", "<stl:unknown a='1'>xNews</stl:unknown>"),
    ("{channel.title}|{Channel.ChannelIndex}|{stl.siteUrl}|{stl.siteName}", "News|news|/museum|Harbour museum"),
    ("{channel.up.title}|{channel.top0.title}|{channel.title_about}", "{home}|{home}|About"),
    ('<stl:channel type="title" wordNum="2"></stl:channel>', "News"),
    ('<stl:channel channelIndex="about"></stl:channel>', "About"),
    ('<stl:channel type="imageUrl" class="x"></stl:channel>', '<img src="/museum/news.png" class="x" />'),
    ('{stl:channel type="imageUrl"}', "/museum/news.png"),
    ('<stl:contents totalNum="2">{content.title},</stl:contents>', "Fourth,Third,"),
    ('<stl:contents startNum="3">{content.title}{content.itemIndex}</stl:contents>', "Second1First2"),
    ('<stl:contents scope="descendant" order="addDateBack">{channel.title}</stl:contents>', "Reports"),
    ('<stl:contents tags="harbour">{content.title}</stl:contents>', "Second"),
    (
        "<stl:channels>{channel.title}<stl:contents>:{content.title}</stl:contents>;</stl:channels>",
        "Reports:Report;Talks & more;",
    ),
    (
        '<stl:channels><stl:itemTemplate type="header">[</stl:itemTemplate><stl:itemTemplate type="item">'
        '{channel.title}</stl:itemTemplate><stl:itemTemplate type="separator">,</stl:itemTemplate>'
        '<stl:itemTemplate type="footer">]'
        "</stl:itemTemplate></stl:channels>",
        "[Reports,Talks & more]",
    ),
    (
        '<stl:channels><stl:itemTemplate type="item">a</stl:itemTemplate><stl:itemTemplate type="alternatingItem">b'
        "</stl:itemTemplate></stl:channels>",
        "ab",
    ),
    (
        '<stl:channels isTotal="true"><stl:itemTemplate type="selectedItem" selected="current">!</stl:itemTemplate>'
        '<stl:itemTemplate type="item">.</stl:itemTemplate></stl:channels>',
        ".!...",
    ),
    ('<stl:channels channelIndex="about"><stl:itemTemplate type="header">[</stl:itemTemplate></stl:channels>', ""),
    (
        '<stl:a channelIndex="about" class="c" data-x="1"></stl:a>',
        '<a href="/museum/channels/{about}.html" class="c" data-x="1">About</a>',
    ),
    (
        '<stl:a channelIndex="talks" title="{channel.title}">{channel.title}</stl:a>',
        '<a href="/museum/channels/{talks}.html" title="News">Talks & more</a>',
    ),
    ('<stl:a href="@/x.html" queryString="?a=1">x</stl:a>', '<a href="/museum/x.html?a=1">x</a>'),
    ("{stl:a channelIndex='about'}", "/museum/channels/{about}.html"),
    ('<stl:if type="channelIndex" value="news"><stl:yes> y </stl:yes><stl:no>n</stl:no></stl:if>', "y"),
    ('<stl:if testType="channelName" testOperate="In" testValue="About,Ne*">y</stl:if>', "y"),
    ('<stl:if type="topLevel" operate="GreatThan" value="1">y</stl:if>', ""),
    ('<stl:if type="imageUrl" operate="NotEmpty"><stl:successTemplate>y</stl:successTemplate></stl:if>', "y"),
    (
        '<stl:channels isTotal="true"><stl:if type="upChannelOrSelf"><stl:yes>1</stl:yes><stl:no>0</stl:no></stl:if>'
        "</stl:channels>",
        "11000",
    ),
    ('<stl:contents><stl:if type="oddItem">{content.itemIndex}</stl:if></stl:contents>', "13"),
    (
        '<stl:location separator=" &gt; "></stl:location>',
        '<a href="/museum/index.html">{home}</a> &gt; <a href="/museum/channels/{news}.html">News</a>',
    ),
    ('<stl:count type="contents"></stl:count>|<stl:count scope="all"></stl:count>', "4|5"),
    (
        '<stl:marquee width="50%" height="9">x</stl:marquee>',
        '<marquee direction="up" style="width: 50%; height: 9px" truespeed scrollamount="1" scrolldelay="40" '
        'onmouseover="this.stop()" onmouseout="this.start()">x</marquee>',
    ),
    (
        '<stl:marquee direction="Horizontal" width="9;--x:&quot;" scrollDelay="5">x</stl:marquee>',
        '<marquee direction="left" style="width: 9" truespeed scrollamount="1" scrolldelay="5" '
        'onmouseover="this.stop()" onmouseout="this.start()">x</marquee>',
    ),
    ('<stl:tags isOrderByCount="true" context="channel">{Tag.Name}{Tag.Count} </stl:tags>', "ship2 harbour1 crane1 "),
    (
        '<stl:navigation type="NextChannel" emptyText="none"></stl:navigation>',
        '<a href="/museum/channels/{about}.html">About</a>',
    ),
    (
        '<stl:navigation type="NextChannel" isKeyboard="true"><stl:yes></stl:yes></stl:navigation>',
        "<script>addEventListener('keydown', function (event) { if (event.key === 'ArrowRight' && "
        "!/INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) location.href = '/museum/channels/{about}.html'; });"
        "</script>",
    ),
    ('<stl:navigation type="PreviousChannel" tipText="Back: " emptyText="none"></stl:navigation>', "Back: none"),
    ('<stl:each type="imageUrl">x</stl:each><stl:content></stl:content>{content.title}{user.name}', ""),
    ('<stl:contents where="nonsense =">x</stl:contents>after', "after"),
    (
        '<stl:container channelIndex="about">{channel.title}<stl:a></stl:a></stl:container>',
        '{about}<a href="/museum/channels/{about}.html">About</a>',
    ),
    ("<stl:video playUrl='@/a.mp4' width='9'></stl:video>", '<video src="/museum/a.mp4" width="9" controls></video>'),
    (
        "<stl:player src='/b.mp4' imageUrl='@/p.png' isAutoPlay='true' isPreload='false' isControls='false' />",
        '<video src="/b.mp4" poster="/museum/p.png" autoplay preload="none"></video>',
    ),
    ("<stl:audio type='imageUrl' isLoop='true'></stl:audio>", '<audio src="/museum/news.png" controls loop></audio>'),
    (
        "<stl:video></stl:video><stl:audio src='javascript:x'></stl:audio><p title='{stl:video src=@/c.mp4}'>",
        "<p title='/museum/c.mp4'>",
    ),
    ("<stl:tree></stl:tree><stl:select></stl:select>", ""),
]


@pytest.mark.parametrize(("text", "shown"), ON_NEWS)
def test_on_the_page_of_a_channel(museum, text, shown):
    places = {name: getattr(museum, name) for name in ("home", "news", "about", "talks")}
    for name, channel in places.items():
        shown = shown.replace(f"/{{{name}}}.html", f"/{channel.pk}.html").replace(f"{{{name}}}", channel.channel_name)
    assert museum.show(text, museum.news) == shown


# Template, what it shows on the page of the content Second.
ON_SECOND = [
    ("{content.title}|{channel.title}|{content.tags}", "Second|News|ship,harbour"),
    ("<stl:a></stl:a>", '<a href="{url}">Second</a>'),
    ('<stl:a context="channel"></stl:a>', '<a href="/museum/channels/{news}.html">News</a>'),
    ("<stl:tags>{Tag.Name} </stl:tags>", "ship harbour "),
    (
        '<stl:navigation type="NextContent"><stl:yes>{content.title}</stl:yes><stl:no>-</stl:no></stl:navigation>',
        "First",
    ),
    ("<stl:navigation type='PreviousContent' emptyText='-'></stl:navigation>", '<a href="{third}">Third</a>'),
    ('<stl:contents isRelatedContents="true">{content.title}</stl:contents>', "First"),
    ("<stl:channels channelIndex='news'>{content.title}</stl:channels>", "SecondSecond"),
    (
        '<stl:contents><stl:itemTemplate type="selectedItem" selected="current">*</stl:itemTemplate>'
        '<stl:itemTemplate type="item">.</stl:itemTemplate></stl:contents>',
        "..*.",
    ),
    ('<stl:if type="title" value="second">same</stl:if>', "same"),
    ('<stl:if type="tags" operate="Empty"><stl:no>some</stl:no></stl:if>', "some"),
]


@pytest.mark.parametrize(("text", "shown"), ON_SECOND)
def test_on_the_page_of_a_content(museum, text, shown):
    second, third = museum.contents[1:3]
    shown = shown.replace("{url}", f"/museum/contents/{museum.news.pk}/{second.pk}.html")
    shown = shown.replace("{third}", f"/museum/contents/{museum.news.pk}/{third.pk}.html")
    assert museum.show(text, content=second) == shown.replace("{news}", str(museum.news.pk))


def test_an_include_gets_parameters_and_hides_those_around_it(museum):
    text = '<stl:include file="@/include/outer.html" name="a" other="b"></stl:include>'
    outer = '{stl.name}{stl.other}<stl:include file="/include/inner.html" name="c"></stl:include>'
    assert museum.show(text, outer=outer, inner='{stl.name}{stl.other}<stl:value type="name"></stl:value>') == "abcc"


def test_a_missing_include_is_reported_and_shows_nothing(museum):
    page = museum.page('a<stl:include file="no.html"></stl:include>b')
    assert (page.html, [problem.message for problem in page.problems]) == ("ab", ["The include no.html is missing."])


PAGED = '<stl:pageContents pageNum="3">{content.title}{content.itemIndex} </stl:pageContents>'
LINKS = (
    '<stl:pageItems><stl:pageItem type="previousPage" text="<"></stl:pageItem>'
    '<stl:pageItem type="pageNavigation"><stl:yes><a href="{Current.Url}">{Current.Num}</a></stl:yes>'
    "<stl:no><b>{Current.Num}</b></stl:no></stl:pageItem>"
    '<stl:pageItem type="totalNum"></stl:pageItem></stl:pageItems>'
)


def test_a_list_has_pages(museum):
    first, second = (museum.page(LINKS + PAGED, museum.news, number=number) for number in (1, 2))
    url = f"/museum/channels/{museum.news.pk}"
    assert first.page_count == second.page_count == 2
    assert first.html == f'<<b>1</b><a href="{url}_2.html">2</a>4Fourth1 Third2 Second3 '
    assert second.html == f'<a href="{url}.html"><</a><a href="{url}.html">1</a><b>2</b>4First4 '


def test_a_body_has_pages(museum):
    content = ContentFactory(channel=museum.about, content="one[SITESERVER_PAGE]two", is_checked=True)
    text = '<stl:content type="PageContent"></stl:content>|<stl:content type="content"></stl:content>'
    page = museum.page(text, content=content, number=2)
    assert (page.html, page.page_count) == ("two|onetwo", 2)


def test_dynamic_parts_use_the_query_of_the_address(museum):
    listed = '<stl:pageContents scope="All" tags="{Request.tagName}">{content.title} </stl:pageContents>'
    assert (
        museum.show(f"<stl:dynamic>{listed}</stl:dynamic>", kind=TemplateKind.FILE, query={"tagname": "ship"})
        == "Second First "
    )


# Template around {content.title}, and its result for the title `<i>"'</i> & ${x}`.
PLACES = [
    ("<p>{}</p>", "<p><i>\"'</i> & ${x}</p>"),
    ('<p title="{}">', '<p title="&lt;i&gt;&quot;&#x27;&lt;/i&gt; &amp; ${x}">'),
    (
        "<script>var a = '{}';</script>",
        "<script>var a = '\\u003ci\\u003e\\\"\\'\\u003c/i\\u003e \\u0026 \\${x}';</script>",
    ),
    ("<a onclick=\"f('{}')\">", '<a onclick="f(&#x27;\\u003ci\\u003e\\&quot;\\&#x27;'),
    ("<style>p {{ color: {}; }}</style>", "<style>p { color: \\3c i>\"'\\3c /i> & ${x\\7d ; }</style>"),
]


@pytest.mark.parametrize(("template", "shown"), PLACES)
def test_a_value_is_encoded_for_its_place(museum, template, shown):
    Content.objects.filter(pk=museum.contents[0].pk).update(title="<i>\"'</i> & ${x}")
    text = museum.show(
        template.replace("{{", "{").replace("}}", "}").replace("{}", "{content.title}"), content=museum.contents[0]
    )
    shown = shown.replace("f(&#x27;", "f('")
    assert text == shown or text.startswith(shown)


# Template with `@` for the value, the value, its form if it is stored, and its form if a visitor sent it.
VALUES = [
    ("<script>var a = @;</script>", "5", "5", "5"),
    ("<script>var a = @;</script>", "true", "true", "true"),
    ("<script>var a = @;</script>", "[1, 2]", "[1, 2]", '"1 2"'),
    ("<script>var a = @;</script>", "document.cookie", '"document.cookie"', '"document\\u002ecookie"'),
    ("<script>tab@()</script>", "news", "news", '"news"'),
    ("<p onclick=f('@')>", "it's", "it&#92;&#39;s", "its"),
    ("<a href=\"javascript:f('@')\">", "企业😀", "企业😀", "企业"),
    ("<a href=\"javascript:f('@')\">", "\\u4f01\u2028", "\\\\u4f01\\u2028", "u4f01"),
    ('<iframe srcdoc="<p>@</p>">', "<b>", "&lt;b&gt;", "&amp;lt;b&amp;gt;"),
    ('<p style="color:@">', "red;top:0", "red\\3b top:0", "redtop0"),
    ('<p style="background:url(@)">', "/a b.png", "/a\\20 b.png", "ab.png"),
    ('<a href="@">', "/a?b=1&c", "/a?b=1&amp;c", "/a?b=1&amp;c"),
    ('<a href="java@">', "script:x", "", ""),
    ('<a href="@">', "javascript:;", "javascript:;", ""),
    ("<p title=@ class=x>", "", '""', '""'),
    ("<a href=@/x>", "", "", ""),
    ("<@>", "h2", "h2", "h2"),
    ("<@>", "script", "", ""),
    ("<title>@</title>", "a < b & c <i>", "a < b & c &lt;i>", "a &lt; b &amp; c &lt;i&gt;"),
    ('<meta name=description content="@">', "0;url=javascript:x", "0;url=javascript:x", "0;url=javascript:x"),
]


@pytest.mark.parametrize(("template", "value", "stored", "visitors"), VALUES)
def test_a_value_is_written_for_what_reads_it(template, value, stored, visitors):
    if value:
        assert show(template.replace("@", "{content.title}"), stored=value) == template.replace("@", stored)
    assert show(template.replace("@", "{request.q}"), q=value) == template.replace("@", visitors)


RUNS = "<b onclick=\"x('y')\">"
# A template, and what it shows if the visitor writes RUNS as `word`.
FROM_VISITORS = [
    ("{request.word}", "&lt;b onclick=&quot;x(&#x27;y&#x27;)&quot;&gt;"),
    ('<p title="{request.word}">', '<p title="&lt;b onclick=&quot;x(&#x27;y&#x27;)&quot;&gt;">'),
    ("<p title={request.word}>", "<p title=&#60;b&#32;onclick&#61;&#34;x&#40;&#39;y&#39;&#41;&#34;&#62;>"),
    ("<script>var a = {request.word};</script>", '<script>var a = "b onclickxy";</script>'),
    ("<style>a{{color:{request.word}}}</style>", "<style>a{{color:b onclickxy}}</style>"),
    ('<p onclick="f({request.word})">', '<p onclick="f(&quot;b onclickxy&quot;)">'),
    ('<stl:channel leftText="{request.word}"></stl:channel>', "&lt;b onclick=&quot;x(&#x27;y&#x27;)&quot;&gt;Home"),
    ('<stl:include file="p.html" w="{request.word}"/>', "&lt;b onclick=&quot;x(&#x27;y&#x27;)&quot;&gt;"),
]


@pytest.mark.parametrize(("text", "shown"), FROM_VISITORS)
def test_what_a_visitor_writes_runs_nowhere(museum, text, shown):
    Template.objects.create(site=museum.site, kind=TemplateKind.INCLUDE, name="p.html", text="{stl.w}")
    museum.home.channel_name = "Home"
    museum.home.save()
    assert museum.show(text, query={"word": RUNS}) == shown


@pytest.mark.parametrize("scheme", ["javascript:x()", " JaVa\nScript:x()", "data:text/html,x", "vbscript:x"])
def test_an_address_from_a_visitor_runs_nothing(museum, scheme):
    assert museum.show('<a href="{request.to}">', query={"to": scheme}) == '<a href="">'
    assert museum.show('<stl:a href="{request.to}">x</stl:a>', query={"to": scheme}).endswith('">x</a>')
    assert "script:" not in museum.show('<stl:a href="{request.to}">x</stl:a>', query={"to": scheme}).lower()


@each_once(
    ("link", [" JaVa\tScript:ran()", "javascript:ran()", "data:text/html,ran()", "vbscript:ran()"]),
    (
        "text",
        [
            "<stl:contents><stl:a>x</stl:a></stl:contents>",
            "<stl:contents><a href='{content.linkUrl}'>x</a></stl:contents>",
            "<stl:contents><a href='{content.navigationUrl}'>x</a></stl:contents>",
            "<stl:contents><p onclick=\"location='{content.navigationUrl}'\">x</p></stl:contents>",
            "<stl:contents><script>open('{content.linkUrl}')</script></stl:contents>",
            "<stl:a>x</stl:a>",
            "<stl:location></stl:location>",
            "<a href='{channel.navigationUrl}'>x</a>",
            "<script>open('{channel.linkUrl}')</script>",
            "<stl:navigation type='nextContent' isKeyboard='true'></stl:navigation>",
            "<stl:navigation type='previousChannel' isKeyboard='true'></stl:navigation>",
            "<a href='{navigation.previousChannel}'>x</a>",
        ],
    ),
)
def test_an_address_of_a_record_runs_nothing(museum, text, link):
    museum.about.__class__.objects.update(link_url=link)
    content = ContentFactory(channel=museum.about, link_url=link, is_checked=True)
    ContentFactory(channel=museum.about, link_url=link, is_checked=True)
    assert "ran()" not in museum.show(text, museum.about, content=content)


def test_addresses_keep_their_query(museum):
    content = ContentFactory(channel=museum.about, link_url="https://example.org/?a=1&region=2&copy=3", is_checked=True)
    shown = '<a href="https://example.org/?a=1&amp;region=2&amp;copy=3">x</a>'
    assert museum.show("<stl:contents><stl:a>x</stl:a></stl:contents>", museum.about) == shown
    assert museum.show('<stl:a href="/?a=1&amp;b=2">x</stl:a>') == '<a href="/?a=1&amp;b=2">x</a>'
    assert content.pk


def test_each_shows_the_address_of_a_field_and_the_further_ones(museum):
    content = ContentFactory(
        channel=museum.about, title="One", image_url="@/1.png", settings_xml='{"imageUrl_Extend": "@/2.png, @/3.png"}',
        is_checked=True,
    )  # fmt: skip
    text = '<stl:each type="imageUrl"><stl:value type="imageUrl"></stl:value> </stl:each>'
    assert museum.show(text, content=content) == "/museum/1.png /museum/2.png /museum/3.png "
    assert museum.show('<stl:each type="title">x</stl:each>', content=content) == "x"


@pytest.mark.parametrize("attributes", ['where="x("', 'order="x y z,"', 'tags="{request.many}"'])
def test_a_list_with_pages_that_fails_shows_nothing(museum, attributes):
    text = f'a<stl:pageContents pageNum="2" {attributes}>x</stl:pageContents>b'
    page = museum.page(text, museum.news, query={"many": " ".join(f"t{number}" for number in range(300))})
    assert (page.html, page.page_count) == ("ab", 1)


@pytest.mark.parametrize("number", [0, 3, 2_000_000_000, 10**30])
def test_a_page_number_of_the_query_that_does_not_exist_is_the_last(museum, number):
    listed = '<stl:pageContents pageNum="3" scope="All">{content.title}{content.itemIndex}</stl:pageContents>'
    shown = museum.show(f"<stl:dynamic>{listed}</stl:dynamic>", museum.news, query={"page": str(number)})
    assert shown == ("Report1Fourth2Third3" if number in (0, 10**30) else "Second4First5")


def test_tags_with_blanks_are_found_by_each_word(museum):
    for number in range(120):
        ContentFactory(channel=museum.about, title=f"t{number}", tags=f"rope w{number}", is_checked=True)
    assert museum.show('<stl:contents tags="rope">x</stl:contents>', museum.about) == "x" * 120


def test_tags_in_stored_texts_are_not_evaluated(museum):
    tag = "<stl:channel></stl:channel>{stl.siteUrl}"
    content = ContentFactory(channel=museum.about, title=tag, content=tag, is_checked=True)
    assert museum.show('{content.title}<stl:content type="content"></stl:content>', content=content) == tag * 2


def test_a_field_shows_as_its_kind_says(museum):
    define = FieldDefinition.objects.create
    define(site=museum.site, owner="content", name="Logo", folded_name="logo", label="Logo", kind="Image")
    choices = [["Red", "1"], ["Blue", "2"]]
    define(
        site=museum.site, owner="content", name="Hue", folded_name="hue", label="Hue", kind="CheckBox", choices=choices
    )
    content = ContentFactory(channel=museum.about, settings_xml='{"Logo": "@/l.png", "Hue": "2,1"}', is_checked=True)
    logo, hue = (
        '<stl:content type="logo" width="9"></stl:content>{content.logo}',
        '<stl:content type="Hue" separator="/">',
    )
    assert (
        museum.show(f"{logo}|{hue}</stl:content>", content=content)
        == '<img src="/museum/l.png" width="9" />/museum/l.png|Red/Blue'
    )


def test_all_are_related_to_a_content_whose_tags_no_other_has(museum):
    text = '<stl:contents isRelatedContents="true">{content.title}</stl:contents>'
    fourth = museum.contents[3]
    assert museum.show(text, content=fourth) == "ThirdSecondFirst"
    ContentFactory(channel=museum.about, tags="crane", title="Waiting")
    assert museum.show(text, content=fourth) == "ThirdSecondFirst"
    ContentFactory(channel=museum.about, tags="crane", title="Elsewhere", is_checked=True)
    assert museum.show(text, content=fourth) == ""


@pytest.mark.parametrize(("kind", "shown"), [
    ("Image", '<img src="/museum/a.png" class="c" />'),
    ("Video", '<video src="/museum/a.png" controls class="c"></video>'),
    ("File", '<a href="/museum/a.png" class="c">a.png</a>'),
])  # fmt: skip
@pytest.mark.parametrize("owner", ["channel", "content"])
def test_an_entity_shows_a_custom_field_as_the_element(museum, owner, kind, shown):
    FieldDefinition.objects.create(site=museum.site, owner=owner, name="Icon", folded_name="icon", kind=kind)
    channel = ChannelFactory(site=museum.site, settings={"Icon": "@/a.png"}, image_url="@/b.png")
    content = ContentFactory(
        channel=channel,
        settings_xml='{"Icon": "@/a.png"}',
        image_url="@/b.png",
        video_url="@/c.mp4",
        file_url="@/d.zip",
        is_checked=True,
    )
    assert museum.show(f'{{stl:{owner} type=Icon class="c"}}', content=content) == shown
    assert museum.show(f'<stl:{owner} type="icon" class="c"></stl:{owner}>', content=content) == shown
    for around in ('<p class="{}">', "<title>{}</title>", '<stl:a href="x" title="{}">y</stl:a>'):
        text = around.format(f"{{stl:{owner} type=icon}}")
        assert "/museum/a.png" in museum.show(text, content=content)
        assert museum.show(text, content=content).count("<") == text.count("<")
    assert museum.show(f"{{stl:{owner} type=imageUrl}}", content=content) == "/museum/b.png"
    if owner == "content":
        shown = museum.show("{stl:content type=videoUrl}{stl:content type=fileUrl}", content=content)
        assert shown == "/museum/c.mp4/museum/d.zip"


@pytest.mark.parametrize(("inner", "shown"), [
    ("", "Second"),
    (" ", " "),
    ('<stl:content type="author"></stl:content>', ""),
    ("{content.author}", ""),
    ('<stl:content type="imageUrl"></stl:content>', ""),
    ("<stl:if type='title' value='none'>x</stl:if>", ""),
])  # fmt: skip
def test_a_link_has_the_title_only_if_its_template_has_nothing(museum, inner, shown):
    content = museum.contents[1]
    assert museum.show(f"<stl:a>{inner}</stl:a>", content=content).endswith(f'.html">{shown}</a>')
    of_channel = museum.show(f"<stl:a channelIndex='news'>{inner}</stl:a>", content=content)
    assert of_channel.endswith(f'.html">{shown if inner.strip() else "News"}</a>')


def statements(museum, text, channel=None):
    museum.show(text, channel)  # what a process keeps is read once
    with CaptureQueriesContext(connection) as queries:
        shown = museum.show(text, channel)
    return len(queries), shown


def test_eleven_lists_are_read_together(museum):
    lists = [
        f'<stl:contents channelIndex="{index}" totalNum="{total}">{{content.title}}</stl:contents>'
        for index in ("news", "reports")
        for total in range(1, 7)
    ]
    count, shown = statements(museum, "|".join(lists))
    assert count == 2  # the tree's number, and the lists
    assert shown.startswith("Fourth|FourthThird|FourthThirdSecond|")
    assert shown.endswith("|Report|Report")


def test_lists_of_channels_and_in_includes_are_read_together(museum):
    lists = '<stl:contents totalNum="2">{content.title},</stl:contents><stl:contents totalNum="1">.</stl:contents>'
    text = f'<stl:channels isTotal="true">{{channel.title}}:{lists};</stl:channels>'
    count, shown = statements(museum, text)
    assert count == 2
    assert shown.endswith("News:Fourth,Third,.;Reports:Report,.;Talks & more:;About:;")
    museum.show("", parts=lists)
    assert statements(museum, '<stl:include file="include/parts.html"></stl:include>', museum.news) == (
        2,
        "Fourth,Third,.",
    )


def test_bodies_of_a_list_are_read_together(museum):
    text = '<stl:contents totalNum="4"><stl:content type="content"></stl:content></stl:contents>'
    assert statements(museum, text, museum.news)[0] == 3


def test_a_reference_shows_its_target_only_if_that_is_approved(museum):
    target = ContentFactory(channel=museum.about, title="Target", sub_title="secret", is_checked=False)
    content = ContentFactory(
        channel=museum.about, title="Own", sub_title="own", is_checked=True, reference_id=target.pk,
        source_id=museum.about.pk, settings_xml='{"translateContentType": "Reference"}',
    )  # fmt: skip
    text = '<stl:contents><stl:content type="subTitle"></stl:content></stl:contents>'
    assert museum.show(text, museum.about) == "own"
    Content.objects.filter(pk=target.pk).update(is_checked=True)
    assert museum.show(text, museum.about) == "secretsecret"
    assert content.pk > target.pk


def test_a_page_that_takes_too_much_is_given_up(museum, monkeypatch):
    monkeypatch.setattr("pages.rendering.Limits", lambda: Limits(items=6))
    lists = "<stl:contents>x</stl:contents>"
    assert museum.show(lists, museum.news) == "xxxx"
    with pytest.raises(TooMuch, match="more than 6 items"):
        museum.show(lists * 2, museum.news)
    with pytest.raises(TooMuch, match="Includes are nested"):
        museum.show('<stl:include file="include/a.html"/>', a='<stl:include file="include/a.html"></stl:include>')


def test_dates_of_today_are_written_by_the_browser(museum):
    assert "toLocaleDateString('zh-CN', {" in museum.show('<stl:value type="date"></stl:value>')
    assert "zh-CN-u-ca-chinese" in museum.show('<stl:value type="dateOfTraditional"></stl:value>')


def test_records_become_json_in_scripts(museum):
    museum.about.channel_name = "</script>"
    museum.about.save()
    entities = "c = {stl:channel channelIndex='about'}, l = {stl:contents totalNum='1'}, n = {stl:content}"
    text = f"<script>var {entities};</script>"
    shown = museum.show(text, museum.news).removesuffix("</script>")
    channel, listed = re.fullmatch(r"<script>var c = (.*), l = (.*), n = null;", shown).groups()
    assert "<" not in channel and json.loads(channel)["channelName"] == "</script>"
    assert [content["title"] for content in json.loads(listed)] == ["Fourth"]
    assert "{" not in museum.show("{stl:channel}", museum.news)


def test_the_name_of_a_tag_is_one_value_of_a_query(museum):
    content = ContentFactory(channel=museum.about, tags="C#&more,港口", is_checked=True)
    text = '<stl:tags><a href="/tags.html?page=1&amp;tagName={Tag.Name}">{Tag.Name}</a> </stl:tags>'
    assert museum.show(text, content=content) == (
        '<a href="/tags.html?page=1&amp;tagName=C%23%26more">C#&amp;more</a> '
        '<a href="/tags.html?page=1&amp;tagName=港口">港口</a> '
    )
