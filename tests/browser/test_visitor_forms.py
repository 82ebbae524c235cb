"""Forms of a site as visitors fill them in, with and without scripts."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import barriers
from tools.servers import Installation

_MAKE = """
from channels_app.services import create_site
from forms.models import Field, Form
from pages.models import Template
site = create_site("Harbour", site_dir="harbour")
visit = Form.objects.create(site=site, name="visit", title="Book a visit")
for key, kind, needed in [("name", "text", True), ("mail", "email", True), ("remark", "textarea", False)]:
    Field.objects.create(form=visit, key=key, label=key.title(), kind=kind, is_required=needed)
news = Form.objects.create(site=site, name="news", success_text="Welcome")
Field.objects.create(form=news, key="name", label="Name")
text = '''<!DOCTYPE html><html lang="en"><head><title>Visit</title></head><body><main><h1>Visit</h1>
<stl:input inputName="visit"></stl:input>
<div class="second"><stl:input inputName="news"><stl:template><form action="/elsewhere"><table><tr><td>
<label>Your name <input id="name" onblur="checkAttributeValue(this)"></label></td></tr></table>
<script>event_observe('name', 'blur', checkAttributeValue);</script>
<a id="submit" href="javascript:;">Subscribe</a></form></stl:template><stl:yes><b>You are in</b></stl:yes>
</stl:input></div></main></body></html>'''
kind, path = "IndexPageTemplate", "index.html"
Template.objects.create(site=site, kind=kind, name="t", is_default=True, page_path=path, text=text)
"""
_ENTRIES = "from forms.models import Entry; print([list(e.values.values()) for e in Entry.objects.order_by('pk')])"


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    made = Installation(tmp_path_factory.mktemp("forms"))
    made.manage("shell", "-v", "0", "-c", _MAKE)
    return made


def entries(installation):
    return installation.manage("shell", "-v", "0", "-c", _ENTRIES)


def test_a_visitor_sends_both_forms_of_a_page_in_place(chromium, installation):
    with installation.serve() as server:
        page = chromium.new_page(base_url=server.address)
        problems = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto("/harbour/index.html")
        assert barriers(page, "main") == []
        first, second = page.locator("main > form"), page.locator(".second form")
        first.get_by_role("textbox", name="Name").fill("Ann")
        first.get_by_role("textbox", name="Mail").fill("ann@")
        first.get_by_role("button", name="Send").click()  # the browser itself refuses
        assert first.get_by_role("textbox", name="Mail").evaluate("input => input.validity.typeMismatch")
        first.get_by_role("textbox", name="Mail").fill("ann@example")
        first.get_by_role("button", name="Send").click()
        expect(first.get_by_role("textbox", name="Mail")).to_have_attribute("aria-invalid", "true")
        expect(first.get_by_role("textbox", name="Mail")).to_be_focused()
        expect(first.get_by_role("textbox", name="Mail")).to_have_accessible_description("Enter an email address.")
        assert barriers(page, "main") == []
        first.get_by_role("textbox", name="Mail").fill("ann@example.org")
        first.get_by_role("button", name="Send").click()
        told = page.get_by_text("Thank you. We have received what you sent.")
        expect(told).to_be_focused()
        second.get_by_label("Your name").fill("Bob")
        second.get_by_role("button", name="Subscribe").click()
        expect(page.locator(".second b")).to_have_text("You are in")
        assert page.url.endswith("/harbour/index.html") and problems == []
        page.close()
    assert entries(installation) == "[['Ann', 'ann@example.org'], ['Bob']]"


def test_without_scripts_a_page_says_what_is_wrong_and_then_thanks(chromium, installation):
    with installation.serve() as server:
        page = chromium.new_page(base_url=server.address, java_script_enabled=False, locale="zh-CN")
        page.goto("/harbour/index.html")
        page.get_by_role("textbox", name="Name").first.fill("Eve")
        page.get_by_role("textbox", name="Mail").fill("eve@example")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("textbox", name="Name")).to_have_value("Eve")
        expect(page.get_by_role("textbox", name="Mail")).to_have_attribute("aria-invalid", "true")
        page.get_by_role("textbox", name="Mail").fill("eve@example.org")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("heading")).to_have_text("Book a visit")
        page.get_by_role("link").click()
        assert page.url == f"{server.address}/harbour/index.html"
        page.close()
    assert "eve@example.org" in entries(installation)
