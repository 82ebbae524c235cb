"""A member comments, a moderator approves on a phone, and the page shows it at once, also on another node."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import barriers
from tools.servers import Installation

_MAKE = """
from accounts.models import Administrator, User
from channels_app.services import create_channel, create_site
from contents.models import Content
from channels_app.models import Channel
from pages.models import Template
from core.lib import clock
site = create_site("Harbour", site_dir="harbour")
site.settings |= {"comments": "Members"}
site.save()
text = '<!DOCTYPE html><html lang="en"><head><title>Boats</title></head><body><main>%s</main>'
kinds = {"IndexPageTemplate": "index.html", "ChannelTemplate": "", "ContentTemplate": ""}
for kind, path in kinds.items():
    inner = "<h1>Boats</h1><stl:commentInput></stl:commentInput>" if kind == "ContentTemplate" else ""
    Template.objects.create(site=site, kind=kind, name="t", is_default=True, page_path=path, text=text % inner)
channel = Channel.objects.get(site=site)
content = Content.objects.create(site=site, channel=channel, title="Boats", is_checked=True, add_date=clock.now())
user = User(user_name="ann", display_name="Ann")
user.set_password("river7stone")
user.save()
Administrator.objects.create_superuser("chief", "harbour-21")
print(content.pk)
"""


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    made = Installation(tmp_path_factory.mktemp("comments"))
    made.content = made.manage("shell", "-v", "0", "-c", _MAKE).splitlines()[-1]
    return made


def test_from_the_visitor_to_the_page(chromium, installation):
    hosts = {"CMS_SITE_HOSTS": "localhost=harbour", "CMS_ALLOWED_HOSTS": "127.0.0.1"}
    with installation.serve(**hosts) as node, installation.serve(**hosts) as other:
        visitor = chromium.new_context(base_url=f"http://localhost:{node.port}").new_page()
        elsewhere = chromium.new_context(base_url=f"http://localhost:{other.port}").new_page()
        place = f"/harbour/_content/{installation.content}"
        elsewhere.goto(place)
        visitor.goto(place)
        assert barriers(visitor, "main") == []
        visitor.get_by_label("Comment").fill("What a fine <b>boat</b>")
        visitor.get_by_role("button", name="Send").click()
        expect(visitor.get_by_text("Sign in to comment.")).to_be_visible()
        expect(visitor.get_by_label("Comment")).to_have_value("What a fine <b>boat</b>")
        visitor.get_by_role("link", name="Sign in to comment").click()
        visitor.get_by_label("Name, email address or mobile number").fill("ann")
        visitor.get_by_label("Password").fill("river7stone")
        visitor.get_by_role("button", name="Sign in").click()
        visitor.get_by_label("Comment").fill("What a fine <b>boat</b>")
        visitor.get_by_role("button", name="Send").click()
        expect(visitor.get_by_text("Your comment appears after approval.")).to_be_focused()

        phone = chromium.new_context(base_url=node.address, viewport={"width": 360, "height": 740}, has_touch=True)
        desk = phone.new_page()
        desk.goto("/admin/comments/comment/")
        desk.get_by_label("Name, email address or mobile number").fill("chief")
        desk.get_by_label("Password").fill("harbour-21")
        desk.keyboard.press("Enter")
        row = desk.get_by_role("row").filter(has_text="What a fine <b>boat</b>")
        expect(row).to_be_visible()
        row.get_by_role("checkbox").check()
        desk.get_by_role("button", name="Approve").first.click()
        expect(desk.get_by_text("1 comment was approved.")).to_be_visible()
        assert desk.evaluate("document.documentElement.scrollWidth") <= 360

        for page in (visitor, elsewhere):
            page.goto(place)
            expect(page.get_by_role("listitem").filter(has_text="Ann")).to_contain_text("What a fine <b>boat</b>")
        assert barriers(elsewhere, "main") == []
        elsewhere.get_by_role("link", name="Reply").click()
        expect(elsewhere.get_by_role("link", name="Sign in")).to_be_visible()
