"""The body of a content in the frame of its page: shown as it was written, and without any rights."""

import pytest

_HOSTILE = """
<p id="told" style="color: rgb(200, 0, 0)">Doors open</p>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">
<script>top.document.title = "taken"; document.title = "taken"</script>
<img src="x:" onerror="parent.document.title = 'taken'; document.getElementById('told').remove()">
<svg onload="document.getElementById('told').remove()"></svg>
<meta http-equiv="refresh" content="0; url=/admin/password_change/">
<iframe src="/admin/" srcdoc="<script>top.location = '/admin/password_change/'</script>"></iframe>
<form action="/admin/logout/" method="post"><button id="sent">Send</button></form>
<a id="out" href="/admin/password_change/" target="_top">Out</a>
"""
_MAKE = """
from contents.models import Content, ContentBody
content = Content.objects.filter(trashed_at=None).order_by("pk").last()  # other tests open the first one
ContentBody.objects.update_or_create(content=content, defaults={{"text": {text!r}}})
from django.contrib.auth.models import Permission
from accounts.models import Administrator
reader = Administrator.objects.create_user("reader", "harbour-21")
reader.user_permissions.add(Permission.objects.get(codename="view_content"))
print(content.pk)
"""
_MAKE_TWO = """
from accounts.models import Administrator
from channels_app.models import Channel
from core.rest.serializers import Members
from contents.models import ContentBody
from contents.services.single import create_content, trash_content
from django.contrib.auth.models import Permission
body = ContentBody.objects.filter(text__contains='src="@/', content__trashed_at=None).first()
channel = Channel.objects.get(pk=body.content.channel_id)
members = lambda: Members({"title": "Pictured", "content": body.text}, {})
kept, gone = (create_content(channel.site_id, channel.pk, members(), "harriet").pk for _number in range(2))
trash_content(channel.site_id, channel.pk, gone)
looker = Administrator.objects.create_user("looker", "harbour-21")
looker.user_permissions.add(*Permission.objects.filter(codename__in=["view_content", "view_trashedcontent"]))
print(kept, gone)
"""


def test_stored_bodies_are_shown_as_visitors_see_them(visit, sign_in, desk):
    kept, gone = desk.installation.manage("shell", "--no-imports", "-c", _MAKE_TWO).split()
    with visit() as page:
        sign_in(page, "looker", "harbour-21")
        places = f"content/{kept}/change/", f"content/{kept}/versions/1/", f"trashedcontent/{gone}/change/"
        for place in places:
            page.goto(f"/admin/contents/{place}", wait_until="networkidle")
            body = page.frame_locator(".body-frame")
            assert body.locator("img").first.evaluate("e => e.naturalWidth") > 0
            assert "system-ui" in body.locator("p").first.evaluate("e => getComputedStyle(e).fontFamily")


@pytest.fixture
def number(desk):
    """The number of a content with a hostile body."""
    return desk.installation.manage("shell", "--no-imports", "-c", _MAKE.format(text=_HOSTILE))


def test_a_hostile_body_is_shown_and_does_nothing(chromium, desk, sign_in, number):
    # Without `visit`: the browser complains of all that it refuses here.
    context = chromium.new_context(base_url=desk.address, locale="en-US")
    page, opened = context.new_page(), []  # and what opens besides
    context.on("page", lambda other: opened.append(other.url))
    # Who writes contents meets their source; who only looks sees them in a frame.
    sign_in(page, "reader", "harbour-21")
    place = f"/admin/contents/content/{number}/change/"
    page.goto(place, wait_until="networkidle")
    title = page.title()
    body = page.frame_locator(".body-frame")
    assert body.locator("#told").evaluate("e => getComputedStyle(e).color") == "rgb(200, 0, 0)"
    assert body.locator("img").first.evaluate("e => e.naturalWidth") == 1
    body.locator("#sent").click()
    body.locator("#out").click()
    page.wait_for_load_state("networkidle")
    assert page.url == f"{desk.address}{place}"
    assert (page.title(), opened) == (title, [])
    frame = page.locator(".body-frame").element_handle().content_frame()
    assert frame.url == f"{desk.address}/admin/contents/content/{number}/body/"
    assert frame.title() == ""
    assert body.locator("#told").inner_text() == "Doors open"
    page.reload()  # still signed in
    assert page.url == f"{desk.address}{place}"
    # Nor does anything run where the body is opened by its own address.
    page.goto(f"/admin/contents/content/{number}/body/", wait_until="networkidle")
    assert page.title() == ""
    assert page.inner_text("#told") == "Doors open"
    context.close()
