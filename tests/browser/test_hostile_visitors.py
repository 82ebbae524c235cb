"""On its own host, a site runs the scripts of its templates, and no script that a visitor sends."""

from urllib.parse import urlencode

import pytest

_MAKE = """
from django.test import Client
from django.test.utils import setup_test_environment
from accounts.models import Administrator
from channels_app.services import create_channel, create_site
from contents.models import Content
from contents.services.single import create_content
from core.rest.serializers import Members
from pages.models import Template
from tests.admin.pages.writing.forms import add
setup_test_environment()
site = create_site("Visited", site_dir="visited")
home = site.channels.get(parent=None)
channel = create_channel(home, "News")
made = {"site": site, "kind": "FileTemplate", "name": "visited", "page_path": "visited.html"}
Template.objects.create(**made, text=r'''%s''')
first = create_content(site.pk, channel.pk, Members({"title": "First", "is_checked": True}, {}), "")
client = Client(HTTP_HOST="127.0.0.1")
client.force_login(Administrator.objects.filter(is_superuser=True).earliest("pk"))
hostile = "<img src=x onerror=console.log('PWNED-A')>"
add(client, channel, title="Second" + hostile, summary=hostile, author=hostile, body=hostile, state="approved")
print(first.pk, Content.objects.filter(channel=channel, is_checked=True).count())
"""
_TEMPLATE = """<!DOCTYPE html><html><body><script>window.f = () => console.log("f");</script>
<a class="c" href="javascript:f('{Request.q}')">1</a>
<stl:a class="c" href="javascript:f('{Request.q}')">2</stl:a>
<p class="c" onclick=f('{Request.q}')>3</p>
<p class="c" onclick=f({Request.q})>4</p>
<p class="c" onclick="f('{Request.q}')">5</p>
<p class="c" style="color:{Request.q}">6</p>
<iframe srcdoc="<p>{Request.q}</p>"></iframe>
<script>var a = '{Request.q}', b = {Request.q};</script>
<ul id="where"><stl:contents channelName="News" where="Id = {Request.w}"><li>{Content.Title}</li></stl:contents></ul>
<ul id="sql"><stl:sqlContents queryString="SELECT Title FROM siteserver_Content WHERE Id = {Request.w}">
<li>{sql.Title}</li></stl:sqlContents></ul>
<ul id="comment"><stl:sqlContents
 queryString="SELECT Title FROM siteserver_Content WHERE Id = 0 /* '{Request.w}' */ -- it's {Request.w}">
<li>{sql.Title}</li></stl:sqlContents></ul>
<ul id="all"><stl:contents channelName="News"><li>{Content.Title} {Content.Summary}
<stl:content type="author"></stl:content><stl:content type="content"></stl:content></li></stl:contents></ul>
</body></html>"""
SCRIPTS = [
    "');console.log('PWNED')//",
    "console.log(/PWNED/)",
    "<script>console.log('PWNED')</script>",
    "red;background:url(//evil.example/PWNED);position:fixed",
    "%27);console.log('PWNED')//",
]
CONDITIONS = ["0 OR Id > 0", "0 OR IsTop = FALSE", "*/ OR 1=1 /*", "x\n OR 1=1", "0' OR '1'='1"]


@pytest.fixture(scope="module")
def site(desk, chromium):
    """A page on the site's own host, the address of its template, and the number of a content."""
    first, approved = desk.installation.manage("shell", "--no-imports", "-c", _MAKE % _TEMPLATE).split()[-2:]
    assert approved == "2"
    hosts = {"CMS_SITE_HOSTS": "localhost=visited", "CMS_ALLOWED_HOSTS": "127.0.0.1"}
    with desk.installation.serve(**hosts) as server:
        context = chromium.new_context(base_url=f"http://localhost:{server.port}")
        yield context.new_page(), first
        context.close()


def opened(page, **query):
    """Click everything on the page; return its console messages and its requests to other hosts."""
    heard = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("request", lambda request: heard.append(request.url) if "//evil.example" in request.url else None)
    page.goto(f"/visited/visited.html?{urlencode(query)}")
    for place in page.locator(".c").all():
        place.click()
    page.wait_for_timeout(200)
    return heard


def listed(page, name):
    return page.locator(f"#{name} li").all_inner_texts()


def test_the_page_runs_its_own_scripts_and_lists_what_is_asked_for(site):
    page, first = site
    assert opened(page, q="5", w=first).count("f") == 5
    assert (listed(page, "where"), listed(page, "sql"), listed(page, "comment")) == (["First"], ["First"], [])
    assert len(listed(page, "all")) == 2


@pytest.mark.parametrize("script", SCRIPTS)
def test_no_script_of_a_visitor_or_an_author_runs(site, script):
    page, first = site
    assert not [text for text in opened(page, q=script, w=first) if "PWNED" in text]
    assert page.locator("#all img").count() == 4
    assert page.locator("[style]").evaluate("each => getComputedStyle(each).position") == "static"


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_visitor_does_not_change_a_condition(site, condition):
    page, _first = site
    opened(page, q="5", w=condition)
    assert (listed(page, "where"), listed(page, "sql"), listed(page, "comment")) == ([], [], [])
