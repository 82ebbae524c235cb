"""The documentation as it is read from the disk: nothing is fetched from a host, and the search finds."""

import pytest
from playwright.sync_api import expect


@pytest.fixture(scope="module")
def index(documentation):
    """The address of the first page."""
    return (documentation / "index.html").as_uri()


@pytest.fixture
def reader(chromium, index):
    """A page with the first page in it; whatever it asks a host for, and whatever its scripts complain of, is wrong."""
    page, asked, complaints = chromium.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(index)
    yield page
    page.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
    assert complaints == []


@pytest.mark.parametrize(
    ("word", "page"),
    [("rotate", "API keys"), ("idempotency", "Recipes"), ("首页", "Tour"), ("迁移", "十分钟上手")],
)
def test_the_search_finds_from_the_disk(reader, word, page):
    reader.get_by_role("textbox", name="Search").click()
    reader.keyboard.type(word)
    reader.keyboard.press("End")  # the page listens for keys, of which Playwright presses none for Chinese
    expect(reader.locator(".md-search-result__item").get_by_role("heading", name=page).first).to_be_visible()


def test_a_page_leads_to_the_next_and_shows_its_pictures(reader):
    reader.get_by_role("link", name="Tour", exact=True).click()
    picture = reader.get_by_role("img", name="English", exact=True).first
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("element => element.naturalWidth") > 0


def test_it_leads_to_no_service(reader):
    expect(reader.get_by_role("link", name="Reference").first).to_be_visible()
    expect(reader.locator(".service-link")).to_have_count(0)
