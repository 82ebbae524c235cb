"""The trash in a browser: a channel comes back with its contents, and what leaves leaves for good."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import barriers
from tests.browser.conftest import new_desk

CONTENTS, CHANNELS = "/admin/contents/trashedcontent/", "/admin/channels_app/trashedchannel/"
_MAKE = """
from channels_app.models import Channel
from channels_app.services import create_channel, trash_channel
from core.rest.serializers import Members
from contents.services.single import create_content
home = Channel.objects.get(parent=None)
top = create_channel(home, "{name}")
below = create_channel(top, "Below {name}")
for number, channel in enumerate((top, below, below)):
    create_content(home.site_id, channel.pk, Members({{"title": f"{name} {{number}}"}}, {{}}), "harriet")
trash_channel(home.site_id, top.pk)
"""
_FILL = """
from channels_app.models import Channel
from contents.models import Content
channel = Channel.objects.get(channel_name="{name}")
place = dict(site_id=channel.site_id, channel=channel, trashed_with_id=channel.pk)
times = dict.fromkeys(["add_date", "last_edit_date", "trashed_at"], channel.trashed_at)
made = (Content(title=f"Hull {{number}}", taxis=number, **place, **times) for number in range({count}))
Content.objects.bulk_create(made)
"""
# The page between two steps stays.
_STAY = """{
  const real = window.setTimeout;
  window.setTimeout = (act, delay, ...more) => (delay === 400 ? 0 : real(act, delay, ...more));
}"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A back end of our own, with one site: elsewhere others have their trash too."""
    with new_desk(tmp_path_factory.mktemp("trash")) as own:
        yield own


@pytest.fixture
def gone(desk):
    """Makes a channel of that name in the trash, with one below it and three contents."""
    return lambda name: desk.installation.manage("shell", "--no-imports", "-c", _MAKE.format(name=name))


@pytest.fixture
def fill(desk):
    """Puts so many contents into the channel of that name, which is in the trash."""
    return lambda name, count: desk.installation.manage(
        "shell", "--no-imports", "-c", _FILL.format(name=name, count=count)
    )


def choose(page, name, action):
    """Tick the row of that name, and begin the action."""
    page.locator("#result_list tr", has_text=name).locator(".action-select").first.check()
    page.click(f'.action-bar button[value="{action}"]')


def confirm(page):
    page.click("input.default")
    page.wait_for_selector(".messagelist, progress.replaced")


def told(page):
    return page.locator(".messagelist").inner_text()


def found(page, words):
    """How many contents the list of contents finds."""
    page.goto(f"/admin/contents/content/?q={words}")
    return page.locator("#result_list tbody tr").count()


def test_a_channel_comes_back_with_its_contents(visit, sign_in, gone):
    gone("Skerry")
    with visit() as page:
        sign_in(page)
        assert found(page, "skerry") == 0
        page.goto(f"{CONTENTS}?q=Skerry")
        expect(page.locator("#result_list tbody tr")).to_have_count(3)
        assert "deleted with the channel Skerry" in page.locator("#result_list").inner_text()
        page.goto(CHANNELS)
        assert "2 channels and 3 content items" in page.locator("#result_list tr", has_text="Skerry").inner_text()
        choose(page, "Skerry", "restore")
        assert "Total: 2 channels and 3 content items." in page.locator(".consequence").inner_text()
        confirm(page)
        assert "1 channel was restored. Total: 2 channels and 3 content items." in told(page)
        assert found(page, "skerry") == 3


def test_a_channel_that_is_deleted_for_good_is_in_no_list(visit, sign_in, gone):
    gone("Weir")
    with visit() as page:
        sign_in(page)
        page.goto(CHANNELS)
        choose(page, "Weir", "purge")
        expect(page.locator(".errornote", has_text="This cannot be undone.")).to_be_visible()
        confirm(page)
        assert "permanently deleted. Total: 2 channels and 3 content items." in told(page)
        page.goto(f"{CONTENTS}?q=Weir")
        expect(page.get_by_text("Nothing in the trash matches.")).to_be_visible()


def test_the_trash_is_emptied_and_then_says_that_it_is(visit, sign_in, gone):
    gone("Lock")
    with visit() as page:
        sign_in(page)
        page.goto(CONTENTS)
        page.get_by_role("link", name="Empty the trash…").click()
        confirm(page)
        assert "Permanently deleted:" in told(page)
        expect(page.get_by_text("The trash is empty.")).to_be_visible()
        page.goto(CHANNELS)
        expect(page.get_by_text("The trash is empty.")).to_be_visible()


def test_a_channel_with_many_contents_leaves_step_by_step_and_the_page_goes_on_by_itself(visit, sign_in, gone, fill):
    gone("Fleet")
    fill("Fleet", 4100)
    with visit() as page:
        sign_in(page)
        page.goto(CHANNELS)
        choose(page, "Fleet", "purge")
        confirm(page)
        page.wait_for_selector(".messagelist")
        assert "1 channel was permanently deleted. Total: 2 channels and 4103 content items." in told(page)
        page.goto(f"{CONTENTS}?q=Hull")
        expect(page.get_by_text("Nothing in the trash matches.")).to_be_visible()


@pytest.mark.parametrize(("language", "colours", "width"), [("en", "light", 1280), ("zh-hans", "dark", 390)])
def test_its_pages_have_no_flaws_and_are_not_wider_than_the_window(
    chromium, desk, sign_in, gone, fill, language, colours, width
):
    gone(f"Basin {width}")
    fill(f"Basin {width}", 2000)
    # What looks for flaws writes styles into the page, which our policy would complain about.
    context = chromium.new_context(
        base_url=desk.address,
        locale={"en": "en-US", "zh-hans": "zh-CN"}[language],
        color_scheme=colours,
        viewport={"width": width, "height": 800},
        bypass_csp=True,
    )
    page = context.new_page()
    page.add_init_script(_STAY)
    sign_in(page)
    for place in (CONTENTS, CHANNELS, f"{CONTENTS}?q=zzzz", f"{CONTENTS}empty/"):
        page.goto(place)
        assert_flawless(page)
    confirm(page)
    assert page.locator("progress.replaced").get_attribute("value") == "2000"
    assert_flawless(page)
    context.close()


def assert_flawless(page):
    assert barriers(page) == [], page.url
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
