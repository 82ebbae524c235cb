"""The pages of members on the host of a site, by keys and without scripts."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import barriers
from tools.servers import Installation

_MAKE = """
from channels_app.services import create_site
from pages.models import Template
site = create_site("Harbour", site_dir="harbour")
text = '<!DOCTYPE html><html lang="en"><head><title>Harbour</title></head><body><main>%s</main></body></html>'
kind = {"kind": "IndexPageTemplate", "name": "t", "is_default": True, "page_path": "index.html"}
Template.objects.create(site=site, **kind, text=text % "<h1>Harbour</h1>")
"""


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    made = Installation(tmp_path_factory.mktemp("members"))
    made.manage("shell", "-v", "0", "-c", _MAKE)
    return made


@pytest.mark.parametrize("scripts", [True, False])
def test_a_visitor_registers_changes_the_profile_and_signs_out(chromium, installation, scripts):
    hosts = {"CMS_SITE_HOSTS": "localhost=harbour", "CMS_ALLOWED_HOSTS": "127.0.0.1", "CMS_REGISTRATION": "approved"}
    with installation.serve(**hosts) as server:
        context = chromium.new_context(base_url=f"http://localhost:{server.port}", java_script_enabled=scripts)
        page = context.new_page()
        page.goto("/harbour/_account/sign-in?next=/harbour/index.html")
        page.get_by_role("link", name="Register").click()
        name = f"ann{scripts}"
        for label, text in (("Name", name), ("Display name", "Ann"), ("Email address", f"{name}@example.org")):
            page.get_by_label(label, exact=False).first.fill(text)
        page.get_by_label("Password:", exact=True).fill("river7stone")
        page.get_by_label("Password again").fill("river7stones")
        page.keyboard.press("Enter")
        again = page.get_by_label("Password again")
        expect(again).to_have_accessible_description("The two passwords differ.")
        if scripts:
            assert barriers(page, "main") == []
        page.get_by_label("Password:", exact=True).fill("river7stone")
        again.fill("river7stone")
        page.get_by_role("button", name="Register").click()
        expect(page.get_by_label("Display name")).to_have_value("Ann")
        page.get_by_label("Signature").fill("By the sea")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("status")).to_have_text("Your profile was saved.")
        expect(page.get_by_label("Signature")).to_have_value("By the sea")
        if scripts:
            assert barriers(page, "main") == []
        page.get_by_role("link", name="Sign out").click()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Harbour")).to_be_visible()
        page.goto("/harbour/_account/profile")
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        context.close()
