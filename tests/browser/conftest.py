"""The back end as people meet it: Chromium, driven through a real server with the sample site.

Nothing here touches the database of the other tests; what has to exist is made by management commands.
"""

import os
import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import sync_playwright

from tools.browser import LANGUAGES, SECONDS, Desk, launch
from tools.servers import Installation


@pytest.fixture(scope="package")
def chromium():
    """A browser. Where there is none the tests are left out, but not under CI."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        if browser is None:
            assert os.environ.get("CI") != "true", "Chromium is not installed."
            pytest.skip("Chromium is not installed; CMS_TEST_BROWSER may name it.")
        yield browser
        browser.close()


@contextmanager
def new_desk(folder):
    """The back end of a new installation, with the sample site."""
    installation, printed = Installation.first_started(folder)
    with installation.serve(CMS_RESTART_MIN_SECONDS="0") as server:
        yield Desk(installation, server, printed)


@pytest.fixture(scope="package")
def desk(tmp_path_factory):
    """The back end that tests share."""
    with new_desk(tmp_path_factory.mktemp("desk")) as shared:
        yield shared


@pytest.fixture(scope="package")
def documentation():
    """The folder of the documentation of this tree, built as a site."""
    from tests.documentation import building  # mkdocs is loaded only where it is needed

    return building.documentation()


@pytest.fixture
def visit(chromium, desk, request, tmp_path):
    """Opens a page of the back end: `with visit("zh-hans") as page`.

    No page may complain in the console, unless `is_heard` is false: axe tries styles that our policy refuses.
    """

    @contextmanager
    def open_page(language="en", *, colours="light", width=1280, height=900, is_heard=True):
        context = chromium.new_context(
            base_url=desk.address,
            locale=LANGUAGES.get(language, language),
            color_scheme=colours,
            viewport={"width": width, "height": height},
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(SECONDS * 1000)
        page, complaints = context.new_page(), []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        try:
            yield page
        except BaseException:
            page.screenshot(path=tmp_path / "failed.png", full_page=True)
            print(f"{page.url}: {tmp_path / 'failed.png'}")
            raise
        finally:
            context.close()
        assert not (complaints and is_heard)

    return open_page


@pytest.fixture
def sign_in(desk):
    """Signs in whoever looks at the page, by default as the first administrator; opens nothing.

    By the requests of the form alone, since its pages take as long as many a test; `fill_in_sign_in` goes through them.
    """

    def enter(page, name=desk.name, password=desk.password):
        form = page.request.get("/admin/login/").text()
        values = {"username": name, "password": password, "next": "/admin/"}
        values["csrfmiddlewaretoken"] = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)[1]
        assert page.request.post("/admin/login/", form=values, max_redirects=0).status == 302

    return enter


@pytest.fixture
def fill_in_sign_in(desk):
    """Signs in the first administrator by the form, and returns when the home is there."""

    def enter(page):
        page.goto("/admin/")
        page.fill("#id_username", desk.name)
        page.fill("#id_password", desk.password)
        page.press("#id_password", "Enter")
        page.wait_for_url("**/admin/")

    return enter
